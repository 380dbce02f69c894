//! Accesses past the end of an allocation, or of a block's shared memory, that end where the next unit of memory would
//! start.
//!
//! Hardware gives memory in units of 512 bytes, shared memory in units of 128, and does not notice such accesses. A
//! machine can let them pass too, and remember them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Mutex, PoisonError};

/// The unit in which a block gets shared memory; older GPUs have larger ones.
pub(crate) const SHARED_UNIT: u32 = 128;

/// Instructions that are remembered.
const MOST: usize = 64;

/// Accesses of an instruction past the end of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Past {
    /// The first of them: number of the block, number of the thread in it, address.
    pub(crate) first: (u64, u32, u64),
    /// Bytes of an access.
    pub(crate) bytes: u64,
    /// The allocation, a number among the views; `None` for shared memory.
    pub(crate) view: Option<usize>,
    /// How many there were.
    pub(crate) count: u64,
}

/// What a launch did past the end of allocations, by instruction.
#[derive(Debug, Default)]
pub(crate) struct Padding(Mutex<BTreeMap<u32, Past>>);

impl Padding {
    /// Remembers an access.
    pub(crate) fn note(&self, pc: u32, past: Past) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let full = all.len() >= MOST;
        match all.entry(pc) {
            Entry::Occupied(mut known) => {
                let count = known.get().count + past.count;
                let first = if past.first < known.get().first { past } else { *known.get() };
                known.insert(Past { count, ..first });
            }
            Entry::Vacant(_) if full => {}
            Entry::Vacant(room) => {
                room.insert(past);
            }
        }
    }

    /// What was remembered, in the order of the code.
    pub(crate) fn all(&self) -> Vec<(u32, Past)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(&pc, &past)| (pc, past)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thread_stands_for_all() {
        let past = |block, thread| Past { first: (block, thread, 0x1000), bytes: 4, view: Some(0), count: 1 };
        let padding = Padding::default();
        for (pc, block, thread) in [(7, 1, 3), (7, 0, 9), (7, 0, 12), (2, 5, 5)] {
            padding.note(pc, past(block, thread));
        }
        assert_eq!(padding.all(), [(2, past(5, 5)), (7, Past { count: 3, ..past(0, 9) })]);
        (0..2 * MOST as u32).for_each(|pc| padding.note(pc, past(0, 0)));
        assert_eq!(padding.all().len(), MOST);
    }
}
