//! Which view each memory instruction hit last.
//!
//! A hint saves the search for the allocation that an address is in. It may be wrong: it is compared with the address
//! before it is used. So hints of one launch serve the next one, which need not start with empty ones.

use std::sync::{Mutex, PoisonError};

/// The hints that no host thread uses at the moment, one list for each thread.
#[derive(Debug, Default)]
pub(crate) struct Hints(Mutex<Vec<Vec<u32>>>);

impl Hints {
    /// A hint for each of that many instructions.
    pub(crate) fn take(&self, instructions: usize) -> Vec<u32> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.filter(|hints| hints.len() == instructions).unwrap_or_else(|| vec![0; instructions])
    }

    /// Keeps hints for later launches.
    pub(crate) fn give_back(&self, hints: Vec<u32>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(hints);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_used_again_if_they_are_as_many() {
        let hints = Hints::default();
        let mut first = hints.take(3);
        assert_eq!((first.len(), hints.take(3)), (3, vec![0; 3]), "both are in use");
        first[1] = 7;
        hints.give_back(first);
        assert_eq!(hints.take(3), [0, 7, 0]);
        hints.give_back(vec![1; 3]);
        assert_eq!(hints.take(4), [0; 4]);
    }
}
