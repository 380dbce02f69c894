//! Device memory: who has allocated what, and where it lies.
//!
//! Every allocation lies at its own host address, so that pinned, managed and mapped memory need nothing special.

mod access;
mod advice;
mod alloc;
mod arena;
mod block;
mod copy;
mod host;
mod ipc;
mod managed;
mod mapped;
mod pointer;
mod pool;
mod set;

use std::collections::BTreeMap;
use std::ptr::NonNull;

use warpwise_simt::DevicePtr;
use warpwise_trace::{Bounds, HostPlace, Settings};

use crate::error::{Error, Outcome};
use crate::handles::Table;
use crate::state::State;
use advice::Advice;
use arena::Arena;
use ipc::{Opened, Shared};
use mapped::{Physical, Reservation};
use pool::Pool;

pub(crate) use access::Use;
pub(crate) use block::Memcpy3d;
pub(crate) use copy::Copy;
pub(crate) use set::Set;

/// The functions of the API.
pub(crate) mod api {
    pub use super::alloc::*;
    pub use super::block::*;
    pub use super::copy::*;
    pub use super::host::*;
    pub use super::ipc::*;
    pub use super::managed::*;
    pub use super::mapped::*;
    pub use super::pointer::*;
    pub use super::pool::*;
    pub use super::set::*;
}

/// What an allocation is to its owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `cuMemAlloc` and the like.
    Device,
    /// From a pool, in the order of a stream.
    Pooled,
    /// Pinned host memory.
    Pinned,
    /// Host memory of the program's own.
    Registered,
    /// Managed memory.
    Managed,
    /// The texels of an array.
    Array,
    /// A mapping of memory that was created apart from its address.
    Mapped,
}

impl Kind {
    /// Whether it is memory of the host.
    pub(crate) fn is_host(self) -> bool {
        matches!(self, Self::Pinned | Self::Registered)
    }

    /// Whether it counts against the device's memory.
    fn is_counted(self) -> bool {
        !self.is_host() && self != Self::Mapped
    }
}

/// A piece of memory that kernels can reach.
pub(crate) struct Allocation {
    /// Bytes asked for.
    pub(crate) bytes: u64,
    /// Bytes that can be used, with padding.
    pub(crate) extent: u64,
    pub(crate) kind: Kind,
    /// The context that it belongs to.
    pub(crate) context: u64,
    /// The pool that it is from, or 0.
    pub(crate) pool: u64,
    /// A number of its own, for `CU_POINTER_ATTRIBUTE_BUFFER_ID`.
    pub(crate) id: u64,
    /// Flags of the call that made it.
    pub(crate) flags: u32,
    /// The call that made it, where leaks are looked for.
    pub(crate) place: Option<HostPlace>,
}

impl Allocation {
    /// Whether the program should have freed it by its end.
    pub(crate) fn is_leak(&self) -> bool {
        !matches!(self.kind, Kind::Array | Kind::Mapped) && self.flags & pool::OF_A_GRAPH == 0
    }
}

/// Memory as the driver keeps track of it.
pub(crate) struct Memory {
    /// Addresses for memory that is mapped by hand.
    arena: Arena,
    allocations: BTreeMap<u64, Allocation>,
    /// What was freed lately, so that late users can be told.
    freed: BTreeMap<u64, u64>,
    pub(crate) pools: Table<Pool>,
    /// The pool that allocations come from unless another is named; 0 as long as nobody asked.
    pub(crate) default_pool: u64,
    pub(crate) current_pool: u64,
    pub(crate) physical: Table<Physical>,
    pub(crate) reservations: BTreeMap<u64, Reservation>,
    /// Pages that other processes may have mapped, and pages of theirs.
    shared: BTreeMap<u64, Shared>,
    opened: BTreeMap<u64, Opened>,
    /// What was said about managed memory.
    pub(crate) advice: Advice,
    total: u64,
    used: u64,
    exact: bool,
    next_id: u64,
}

/// Memory is given out in units of this, as on hardware.
const GRAIN: u64 = 512;

impl Memory {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            arena: Arena::default(),
            allocations: BTreeMap::new(),
            freed: BTreeMap::new(),
            pools: Table::default(),
            default_pool: 0,
            current_pool: 0,
            physical: Table::default(),
            reservations: BTreeMap::new(),
            shared: BTreeMap::new(),
            opened: BTreeMap::new(),
            advice: Advice::default(),
            total: settings.memory.unwrap_or_else(half_of_the_host),
            used: 0,
            exact: settings.bounds == Bounds::Exact,
            next_id: 1,
        }
    }

    /// Bytes of device memory.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes that are still free.
    pub(crate) fn free(&self) -> u64 {
        self.total.saturating_sub(self.used)
    }

    /// The allocation that an address lies in, with its base.
    pub(crate) fn find(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (&base, allocation) = self.allocations.range(..=address).next_back()?;
        (address - base < allocation.extent.max(1)).then_some((base, allocation))
    }

    /// Bytes from the start of an allocation that can be used as one: mappings that follow each other are one range.
    fn reach(&self, base: u64) -> (u64, u64) {
        let mut pieces = self.allocations.range(base..);
        let Some((_, first)) = pieces.next() else { return (0, 0) };
        if first.kind != Kind::Mapped {
            return (first.bytes, first.extent);
        }
        let follows = |end: u64, (&at, next): (&u64, &Allocation)| {
            (at == end && next.kind == Kind::Mapped).then_some(at + next.bytes).ok_or(end)
        };
        let end = pieces.try_fold(base + first.bytes, follows).unwrap_or_else(|end| end);
        (end - base, end - base)
    }

    /// Whether an address lies in something that was freed.
    pub(crate) fn was_freed(&self, address: u64) -> bool {
        self.freed.range(..=address).next_back().is_some_and(|(&base, &bytes)| address - base < bytes)
    }

    /// Addresses are in use again.
    fn forget_freed(&mut self, base: u64, bytes: u64) {
        let end = base + bytes.max(1);
        let reused: Vec<u64> =
            self.freed.range(..end).rev().take_while(|(at, len)| *at + *len > base).map(|(&at, _)| at).collect();
        for at in reused {
            self.freed.remove(&at);
        }
    }

    /// Bytes that nodes of graphs have allocated.
    pub(crate) fn graph_bytes(&self) -> u64 {
        self.allocations.values().filter(|a| a.flags & pool::OF_A_GRAPH != 0).map(|a| a.bytes).sum()
    }

    /// All allocations, by address.
    pub(crate) fn allocations(&self) -> impl Iterator<Item = (u64, &Allocation)> {
        self.allocations.iter().map(|(&base, allocation)| (base, allocation))
    }
}

/// Half of the host's memory.
fn half_of_the_host() -> u64 {
    // SAFETY: these ask the system for numbers.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let bytes = u64::try_from(pages).unwrap_or(0) * u64::try_from(size).unwrap_or(0);
    (bytes / 2).max(1 << 30) >> 21 << 21
}

impl State {
    /// Allocates memory for a context.
    pub(crate) fn allocate(&mut self, bytes: u64, kind: Kind, context: u64, flags: u32) -> Outcome<u64> {
        if kind.is_counted() && bytes > self.memory.free() {
            return Err(Error::OUT_OF_MEMORY);
        }
        if self.has_own_pages(kind) {
            let (base, extent) = (self.own_pages(bytes)?, bytes.next_multiple_of(GRAIN));
            let host = NonNull::new(base as *mut u8).ok_or(Error::OUT_OF_MEMORY)?;
            // SAFETY: whole pages that were mapped for this, and stay so until `free_allocation`.
            unsafe { self.machine.adopt(host, extent) }.map_err(|_| Error::OUT_OF_MEMORY)?;
            self.note(base, bytes, extent, kind, context, flags);
            return Ok(base);
        }
        let base = self.machine.alloc(bytes).map_err(|_| Error::OUT_OF_MEMORY)?.0;
        if matches!(kind, Kind::Pinned | Kind::Managed) {
            // The host writes to it without telling anybody.
            let _ = self.machine.wrote(DevicePtr(base), bytes);
        }
        let extent = if self.memory.exact { bytes } else { bytes.next_multiple_of(GRAIN) };
        self.note(base, bytes, extent, kind, context, flags);
        Ok(base)
    }

    /// Makes memory that is there already an allocation.
    pub(crate) fn adopt(&mut self, base: u64, bytes: u64, kind: Kind, context: u64, flags: u32) -> Outcome {
        let host = NonNull::new(base as *mut u8).ok_or(Error::INVALID_VALUE)?;
        // SAFETY: the bytes are mapped, here or, for registered memory, by the program that vouches for them, and stay
        // so until `free_allocation` has made the machine forget them.
        unsafe { self.machine.adopt(host, bytes) }.map_err(|_| Error::INVALID_VALUE)?;
        self.note(base, bytes, bytes, kind, context, flags);
        Ok(())
    }

    fn note(&mut self, base: u64, bytes: u64, extent: u64, kind: Kind, context: u64, flags: u32) {
        let id = self.memory.next_id;
        self.memory.next_id += 1;
        self.memory.forget_freed(base, extent);
        if kind.is_counted() {
            self.memory.used += bytes;
        }
        let place = self.trace.wants_places().then(HostPlace::here);
        let allocation = Allocation { bytes, extent, kind, context, pool: 0, id, flags, place };
        self.memory.allocations.insert(base, allocation);
    }

    /// Frees the allocation that starts at an address.
    pub(crate) fn free_allocation(&mut self, base: u64) -> Outcome<Allocation> {
        let allocation = self.memory.allocations.remove(&base).ok_or(Error::INVALID_VALUE)?;
        self.memory.unshare(base, allocation.bytes);
        let _ = self.machine.free(DevicePtr(base));
        self.order_forgets(base, allocation.bytes);
        if allocation.kind.is_counted() {
            self.memory.used -= allocation.bytes;
        }
        if self.memory.freed.len() >= 4096 {
            self.memory.freed.pop_first();
        }
        self.memory.freed.insert(base, allocation.bytes.max(1));
        Ok(allocation)
    }

    /// Frees everything of a context.
    pub(crate) fn free_all_of(&mut self, context: u64) {
        let bases: Vec<u64> =
            self.memory.allocations.iter().filter(|(_, a)| a.context == context).map(|(&b, _)| b).collect();
        for base in bases {
            let _ = self.free_allocation(base);
        }
    }
}
