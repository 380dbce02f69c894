//! Allocations: buffers, `.global` and `.const` variables.

use std::ptr::NonNull;

use super::allocation::{ALIGN, Allocation};
use super::room::Rooms;
use super::validity::Written;
use super::{MachineError, PARAM, WINDOWS, is_global};

/// Unused bytes between two allocations, so that running off the end of one is noticed.
pub(super) const RED_ZONE: u64 = 64 * 1024;

/// The contents of allocations, and which bytes had been written.
pub(crate) struct Copied(Vec<(u64, Vec<u8>, Written)>);

/// All allocations of a machine, sorted by address.
#[derive(Debug)]
pub(crate) struct Global {
    allocations: Vec<Allocation>,
    /// What executing warps see: every allocation, and the parameter block, sorted by address.
    views: Vec<View>,
    /// The parameter block of the launch.
    params: Vec<u8>,
    /// Where allocations lie if device addresses are host addresses.
    rooms: Option<Rooms>,
    /// Whether accesses pass that end in the last unit of an allocation's memory.
    padded: bool,
    next_global: u64,
    next_const: u64,
    used: u64,
    limit: u64,
    /// Whether every allocation is known to be written.
    all_written: bool,
}

impl Global {
    /// Memory of at most that many bytes, at addresses of its own.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            allocations: Vec::new(),
            views: vec![View::new(PARAM, 0, std::ptr::null_mut())],
            params: Vec::new(),
            rooms: None,
            padded: false,
            next_global: super::GLOBAL,
            next_const: super::CONST,
            used: 0,
            limit,
            all_written: true,
        }
    }

    /// Memory of at most that many bytes, at the addresses that it has on the host.
    pub(crate) fn on_host(limit: u64) -> Self {
        Self { rooms: Some(Rooms::new()), ..Self::new(limit) }
    }

    /// Allocates zeroed memory in the global window, or in the constant one.
    pub(crate) fn alloc(&mut self, len: u64, constant: bool) -> Result<u64, MachineError> {
        let free = self.limit.saturating_sub(self.used);
        let refuse = MachineError::OutOfMemory { wanted: len, free };
        if len > free {
            return Err(refuse);
        }
        let allocation = match &mut self.rooms {
            // The bytes up to the next unit of memory are there as well, and zero.
            Some(rooms) if !constant => {
                let whole = len.checked_next_multiple_of(ALIGN).ok_or(refuse.clone())?;
                Allocation::in_room(len, rooms.take(whole).ok_or(refuse)?)
            }
            _ => {
                let next = if constant { &mut self.next_const } else { &mut self.next_global };
                let allocation = Allocation::own(*next, len).ok_or(refuse)?;
                *next = (*next + len + RED_ZONE).next_multiple_of(ALIGN);
                allocation
            }
        };
        self.used += len;
        self.all_written = false;
        Ok(self.insert(allocation))
    }

    /// Makes host memory device memory, at its own address.
    ///
    /// # Safety
    /// As for [`Machine::adopt`](crate::Machine::adopt).
    pub(crate) unsafe fn adopt(&mut self, host: NonNull<u8>, len: u64) -> Result<u64, MachineError> {
        let base = host.as_ptr() as u64;
        let bad = MachineError::BadAddress { address: base, bytes: len };
        let end = base.checked_add(len).filter(|_| len > 0).ok_or(bad.clone())?;
        if base < WINDOWS.end && end > WINDOWS.start {
            return Err(bad);
        }
        let at = self.allocations.partition_point(|a| a.base < end);
        if let Some(other) = at.checked_sub(1).map(|at| &self.allocations[at])
            && (other.base + other.len > base || other.base >= base)
        {
            return Err(MachineError::Overlap { address: base, bytes: len, other: other.base });
        }
        Ok(self.insert(Allocation::adopted(host, len)))
    }

    /// Makes accesses pass that end in the last unit of memory of what is allocated from now on.
    pub(crate) fn pad(&mut self) {
        self.padded = true;
    }

    /// Whether there may be such accesses.
    pub(crate) fn is_padded(&self) -> bool {
        self.padded
    }

    fn insert(&mut self, allocation: Allocation) -> u64 {
        let base = allocation.base;
        let padding = if self.padded && allocation.has_room() { allocation.len.next_multiple_of(ALIGN) } else { 0 };
        let view = View::new(base, allocation.len, allocation.host.as_ptr());
        let view = View { padded: view.end.max(base + padding), ..view };
        let at = self.views.partition_point(|v| v.base < base);
        self.views.insert(at, view);
        let at = self.allocations.partition_point(|a| a.base < base);
        self.allocations.insert(at, allocation);
        base
    }

    /// Bytes in use, without those that were adopted.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    pub(crate) fn free(&mut self, base: u64) -> Result<(), MachineError> {
        let at = self
            .allocations
            .binary_search_by_key(&base, |a| a.base)
            .map_err(|_| MachineError::BadAddress { address: base, bytes: 0 })?;
        let allocation = self.allocations.remove(at);
        if let Ok(at) = self.views.binary_search_by_key(&base, |v| v.base) {
            self.views.remove(at);
        }
        if allocation.is_own() {
            self.used -= allocation.len;
        }
        if let (Some(room), Some(rooms)) = (allocation.room(), &mut self.rooms) {
            rooms.leave(room);
        }
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

    /// Marks bytes as written that the host wrote at their own address.
    pub(crate) fn written(&self, address: u64, len: u64) -> Result<(), MachineError> {
        let a = &self.allocations[self.index_of(address, len)?];
        a.validity.write(address - a.base, len);
        Ok(())
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

    /// Marks all memory as written, because the kernel's writes will not be tracked.
    pub(crate) fn assume_written(&mut self) {
        if !std::mem::replace(&mut self.all_written, true) {
            for allocation in &self.allocations {
                allocation.validity.fill();
            }
        }
    }

    /// A copy of everything that kernels can write, unless it takes more than `limit` bytes.
    pub(crate) fn copy(&self, limit: u64) -> Option<Copied> {
        let own = || self.allocations.iter().filter(|a| is_global(a.base));
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

    /// Sets the parameter block that the next launch sees.
    pub(crate) fn set_params(&mut self, params: &[u8]) {
        self.params.clear();
        self.params.extend_from_slice(params);
        let view = View::new(PARAM, params.len() as u64, self.params.as_mut_ptr());
        if let Ok(at) = self.views.binary_search_by_key(&PARAM, |v| v.base) {
            self.views[at] = view;
        }
    }

    /// What executing warps see: every allocation, and the parameter block, sorted by address.
    pub(crate) fn views(&self) -> &[View] {
        &self.views
    }
}

/// An address range and where its bytes are on the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) base: u64,
    pub(crate) end: u64,
    /// Where the last unit of memory ends that hardware would give it; the same as `end` unless there is padding.
    pub(crate) padded: u64,
    pub(crate) host: *mut u8,
}

impl View {
    pub(crate) fn new(base: u64, len: u64, host: *mut u8) -> Self {
        Self { base, end: base + len, padded: base + len, host }
    }
}

// SAFETY: see `Allocation`; views are used only while the launch borrows the machine.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}
