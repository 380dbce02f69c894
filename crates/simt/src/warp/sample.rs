//! Which clusters of a large grid are run when a few stand for all.

/// Pieces of the grid that are run if any may be: each a row of neighbours, so that what neighbours share shows.
const PIECES: u64 = 8;

/// The clusters to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// How many.
    pub(crate) run: u64,
    /// Only the first ones: blocks may wait for earlier ones.
    pub(crate) first: bool,
}

impl Sample {
    /// The number of the n-th cluster that is run, of so many in all.
    pub(crate) fn number(self, n: u64, all: u64) -> u64 {
        if self.first || self.run >= all || self.run < PIECES {
            return n;
        }
        let each = self.run / PIECES;
        let (piece, at) = ((n / each).min(PIECES - 1), n);
        // Pieces begin evenly spaced; the last one ends with the grid.
        let room = all - self.run;
        at + room * piece / (PIECES - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_distinct_and_reach_both_ends() {
        for (run, all) in [(64, 1000), (67, 70), (8, 9), (100, 100), (5, 1000)] {
            let sample = Sample { run, first: false };
            let numbers: Vec<u64> = (0..run).map(|n| sample.number(n, all)).collect();
            assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{run} of {all}: {numbers:?}");
            assert_eq!(numbers[0], 0);
            assert!(numbers.iter().all(|&n| n < all));
            if run >= PIECES {
                assert_eq!(numbers[run as usize - 1], all - 1);
            }
        }
        let first = Sample { run: 64, first: true };
        assert_eq!((first.number(0, 1000), first.number(63, 1000)), (0, 63));
    }
}
