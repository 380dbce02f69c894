//! Allocations: buffers, `.global` and `.const` variables.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use super::validity::Written;
use super::{MachineError, Validity};

/// Unused bytes between two allocations, so that running off the end of one is noticed.
const RED_ZONE: u64 = 64 * 1024;
/// Alignment of allocations, as `cudaMalloc` gives it.
const ALIGN: u64 = 512;

/// A piece of device memory and the host bytes behind it.
pub(crate) struct Allocation {
    pub(crate) base: u64,
    pub(crate) len: u64,
    host: NonNull<u8>,
    layout: Layout,
    /// Which bytes have been written.
    pub(crate) validity: Validity,
    /// The name that its owner gave it.
    pub(crate) name: Option<Box<str>>,
}

// SAFETY: an allocation owns its bytes; nothing about them depends on the thread.
unsafe impl Send for Allocation {}
// SAFETY: shared access to the bytes goes through raw pointers by executing kernels, whose threads may race exactly
// as threads of a GPU may; host access takes `&mut Machine` or happens while no kernel runs.
unsafe impl Sync for Allocation {}

impl Allocation {
    fn new(base: u64, len: u64) -> Option<Self> {
        let size = usize::try_from(len.max(1)).ok()?;
        let layout = Layout::from_size_align(size, ALIGN as usize).ok()?;
        // SAFETY: the layout has a size of at least one byte.
        let host = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { base, len, host, layout, validity: Validity::new(len), name: None })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: `host` points to `len` initialised bytes (zeroed at birth) that live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.host.as_ptr(), self.len as usize) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` excludes every other access.
        unsafe { std::slice::from_raw_parts_mut(self.host.as_ptr(), self.len as usize) }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.host.as_ptr(), self.layout) };
    }
}

impl std::fmt::Debug for Allocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Allocation({:#x}, {} bytes)", self.base, self.len)
    }
}

/// The contents of allocations, and which bytes had been written.
pub(crate) struct Copied(Vec<(u64, Vec<u8>, Written)>);

/// All allocations of a machine, sorted by address.
#[derive(Debug)]
pub(crate) struct Global {
    allocations: Vec<Allocation>,
    next_global: u64,
    next_const: u64,
    used: u64,
    limit: u64,
}

impl Global {
    pub(crate) fn new(limit: u64) -> Self {
        Self { allocations: Vec::new(), next_global: super::GLOBAL, next_const: super::CONST, used: 0, limit }
    }

    /// Allocates zeroed memory in the global window, or in the constant one.
    pub(crate) fn alloc(&mut self, len: u64, constant: bool) -> Result<u64, MachineError> {
        let free = self.limit.saturating_sub(self.used);
        let refuse = MachineError::OutOfMemory { wanted: len, free };
        if len > free {
            return Err(refuse);
        }
        let next = if constant { &mut self.next_const } else { &mut self.next_global };
        let base = *next;
        let allocation = Allocation::new(base, len).ok_or(refuse)?;
        *next = (base + len + RED_ZONE).next_multiple_of(ALIGN);
        let at = self.allocations.partition_point(|a| a.base < base);
        self.allocations.insert(at, allocation);
        self.used += len;
        Ok(base)
    }

    /// Bytes in use.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    pub(crate) fn free(&mut self, base: u64) -> Result<(), MachineError> {
        let at = self
            .allocations
            .binary_search_by_key(&base, |a| a.base)
            .map_err(|_| MachineError::BadAddress { address: base, bytes: 0 })?;
        self.used -= self.allocations.remove(at).len;
        Ok(())
    }

    fn index_of(&self, address: u64, bytes: u64) -> Result<usize, MachineError> {
        let bad = MachineError::BadAddress { address, bytes };
        let at = self.allocations.partition_point(|a| a.base <= address);
        let at = at.checked_sub(1).ok_or(bad.clone())?;
        let a = &self.allocations[at];
        let inside = (address - a.base).checked_add(bytes).is_some_and(|end| end <= a.len);
        if inside { Ok(at) } else { Err(bad) }
    }

    pub(crate) fn bytes(&self, address: u64, len: u64) -> Result<&[u8], MachineError> {
        let a = &self.allocations[self.index_of(address, len)?];
        let start = (address - a.base) as usize;
        Ok(&a.bytes()[start..start + len as usize])
    }

    pub(crate) fn bytes_mut(&mut self, address: u64, len: u64) -> Result<&mut [u8], MachineError> {
        let at = self.index_of(address, len)?;
        let a = &mut self.allocations[at];
        let start = (address - a.base) as usize;
        a.validity.write(start as u64, len);
        Ok(&mut a.bytes_mut()[start..start + len as usize])
    }

    /// Sets every byte of an allocation; they still count as unwritten.
    pub(crate) fn fill_unwritten(&mut self, base: u64, byte: u8) {
        if let Ok(at) = self.allocations.binary_search_by_key(&base, |a| a.base) {
            self.allocations[at].bytes_mut().fill(byte);
        }
    }

    /// The allocation that holds an address.
    pub(crate) fn allocation(&self, address: u64) -> Option<&Allocation> {
        self.index_of(address, 1).ok().map(|at| &self.allocations[at])
    }

    /// Gives the allocation at that address a name.
    pub(crate) fn name(&mut self, address: u64, name: &str) -> Result<(), MachineError> {
        let at = self.index_of(address, 0)?;
        self.allocations[at].name = Some(name.into());
        Ok(())
    }

    /// Marks all memory as written, because the kernel's writes were not tracked.
    pub(crate) fn assume_written(&self) {
        for allocation in &self.allocations {
            allocation.validity.fill();
        }
    }

    /// A copy of everything that kernels can write, unless it takes more than `limit` bytes.
    pub(crate) fn copy(&self, limit: u64) -> Option<Copied> {
        let own = || self.allocations.iter().filter(|a| a.base >= super::GLOBAL);
        if own().map(|a| a.len).sum::<u64>() > limit {
            return None;
        }
        Some(Copied(own().map(|a| (a.base, a.bytes().to_vec(), a.validity.copy())).collect()))
    }

    /// Puts back what was there when the copy was made. No kernel may be running.
    pub(crate) fn restore(&self, before: &Copied) {
        for (base, bytes, validity) in &before.0 {
            let Ok(at) = self.allocations.binary_search_by_key(base, |a| a.base) else { continue };
            let allocation = &self.allocations[at];
            let len = bytes.len().min(allocation.len as usize);
            // SAFETY: the allocation has that many bytes, and nobody else uses them while no kernel runs.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), allocation.host.as_ptr(), len) };
            allocation.validity.restore(validity);
        }
    }

    /// What executing warps see: every allocation, and the parameter block.
    pub(crate) fn views(&self, params: &mut [u8]) -> Vec<View> {
        let mut views: Vec<View> = self
            .allocations
            .iter()
            .map(|a| View { base: a.base, end: a.base + a.len, host: a.host.as_ptr() })
            .collect();
        views.push(View { base: super::PARAM, end: super::PARAM + params.len() as u64, host: params.as_mut_ptr() });
        views.sort_by_key(|v| v.base);
        views
    }
}

/// An address range and where its bytes are on the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) base: u64,
    pub(crate) end: u64,
    pub(crate) host: *mut u8,
}

// SAFETY: see `Allocation`; views live only while the launch borrows the machine.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}
