//! The heap that `malloc` and `free` in kernels work on.
//!
//! What is allocated lives until it is freed, across launches, as on a GPU. Memory that was freed is used again only
//! when there is no other left, so that a use after `free` is noticed.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alignment of what `malloc` returns; also the least distance between two allocations, so that running off the end of
/// one is noticed.
const ALIGN: u64 = 16;

/// A heap in device memory.
#[derive(Debug)]
pub(crate) struct Heap {
    base: u64,
    bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Offset of the part that nobody has had yet.
    fresh: u64,
    /// Bytes of each allocation, by offset.
    live: BTreeMap<u64, u64>,
    /// Bytes of what was freed, with the distance to the next, by offset.
    freed: BTreeMap<u64, u64>,
}

/// Why memory cannot be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotFreed {
    /// It was freed before.
    Twice,
    /// No allocation starts there.
    Unknown,
}

/// What is wrong with an access to the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stray {
    /// It leaves an allocation of that many bytes; the access ends that many bytes after it.
    Past {
        /// Bytes of the allocation.
        len: u64,
        /// Where the access starts, from the allocation's start.
        offset: u64,
    },
    /// It is in memory that was freed.
    Freed,
    /// It is where nothing was ever allocated.
    Nothing,
}

impl Heap {
    /// A heap in that part of device memory.
    pub(crate) fn new(base: u64, bytes: u64) -> Self {
        Self { base, bytes, state: Mutex::default() }
    }

    /// Where it starts.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Whether anything was ever allocated.
    pub(crate) fn is_used(&self) -> bool {
        self.state().fresh > 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The address of that many bytes; null if there are not as many, or none are asked for.
    pub(crate) fn alloc(&self, bytes: u64) -> u64 {
        let Some(taken) = bytes.checked_add(2 * ALIGN - 1).map(|bytes| bytes / ALIGN * ALIGN) else { return 0 };
        let mut state = self.state();
        let offset = match state.fresh.checked_add(taken) {
            _ if bytes == 0 => return 0,
            Some(end) if end <= self.bytes => {
                state.fresh = end;
                end - taken
            }
            _ => match state.reuse(taken) {
                Some(offset) => offset,
                None => return 0,
            },
        };
        state.live.insert(offset, bytes);
        self.base + offset
    }

    /// Frees an allocation; a null pointer is fine.
    pub(crate) fn free(&self, address: u64) -> Result<(), NotFreed> {
        if address == 0 {
            return Ok(());
        }
        let offset = address.wrapping_sub(self.base);
        let mut state = self.state();
        match state.live.remove(&offset) {
            Some(bytes) => {
                state.freed.insert(offset, (bytes + 2 * ALIGN - 1) / ALIGN * ALIGN);
                Ok(())
            }
            None if state.freed.contains_key(&offset) => Err(NotFreed::Twice),
            None => Err(NotFreed::Unknown),
        }
    }

    /// What is wrong with an access to bytes of the heap.
    pub(crate) fn stray(&self, address: u64, bytes: u64) -> Option<Stray> {
        let offset = address.wrapping_sub(self.base);
        let state = self.state();
        let freed = state.freed.range(..=offset).next_back().filter(|(start, len)| offset - *start < **len);
        match (state.live.range(..=offset).next_back(), freed) {
            (Some((start, len)), _) if offset - start + bytes <= *len => None,
            (_, Some(_)) => Some(Stray::Freed),
            (Some((start, len)), None) if offset < state.fresh => {
                Some(Stray::Past { len: *len, offset: offset - start })
            }
            _ => Some(Stray::Nothing),
        }
    }
}

impl State {
    /// Takes bytes from what was freed, the first place where they fit.
    fn reuse(&mut self, taken: u64) -> Option<u64> {
        let mut merged: BTreeMap<u64, u64> = BTreeMap::new();
        for (&start, &len) in &self.freed {
            match merged.last_entry() {
                Some(mut last) if last.key() + last.get() == start => *last.get_mut() += len,
                _ => {
                    merged.insert(start, len);
                }
            }
        }
        self.freed = merged;
        let (start, len) = self.freed.iter().find(|(_, len)| **len >= taken).map(|(start, len)| (*start, *len))?;
        self.freed.remove(&start);
        if len > taken {
            self.freed.insert(start + taken, len - taken);
        }
        Some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_given_until_there_is_none_and_again_once_it_is_freed() {
        let heap = Heap::new(0x1000, 256);
        let first = heap.alloc(100);
        let second = heap.alloc(96);
        assert_eq!((first, second), (0x1000, 0x1080));
        assert_eq!(heap.alloc(1000), 0);
        assert_eq!(heap.alloc(u64::MAX), 0);
        assert_eq!(heap.alloc(0), 0);
        assert_eq!(heap.alloc(16), 0, "the last bytes keep two allocations apart");
        assert_eq!(heap.free(first), Ok(()));
        assert_eq!(heap.free(second), Ok(()));
        assert_eq!(heap.alloc(200), 0x1000, "neighbours become one");
        assert_eq!(heap.alloc(1), 0, "the rest is too short");
    }

    #[test]
    fn only_what_was_allocated_is_freed_and_only_once() {
        let heap = Heap::new(0x1000, 256);
        let pointer = heap.alloc(8);
        assert_eq!(heap.free(0), Ok(()));
        assert_eq!(heap.free(pointer + 4), Err(NotFreed::Unknown));
        assert_eq!(heap.free(pointer), Ok(()));
        assert_eq!(heap.free(pointer), Err(NotFreed::Twice));
        assert_eq!(heap.free(16), Err(NotFreed::Unknown));
    }

    #[test]
    fn accesses_are_told_apart() {
        let heap = Heap::new(0x1000, 256);
        let (first, second) = (heap.alloc(10), heap.alloc(16));
        assert_eq!(heap.stray(first + 6, 4), None);
        assert_eq!(heap.stray(first + 8, 4), Some(Stray::Past { len: 10, offset: 8 }));
        assert_eq!(heap.stray(second - 1, 1), Some(Stray::Past { len: 10, offset: 31 }));
        assert_eq!(heap.stray(second + 100, 4), Some(Stray::Nothing));
        assert_eq!(heap.free(first), Ok(()));
        assert_eq!(heap.stray(first, 4), Some(Stray::Freed));
        assert_eq!(heap.stray(second, 16), None);
    }
}
