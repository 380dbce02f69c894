//! Which clusters of a grid are run, and in which order, when a few may stand for all.

/// The clusters to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// How many, at most.
    pub(crate) run: u64,
    /// Clusters after which no new ones are started once the budget is spent.
    pub(crate) least: u64,
    /// Warp instructions that may be executed before the launch is cut short.
    pub(crate) budget: u64,
    /// From one cluster to the next, around the grid: 1 if blocks may wait for earlier ones.
    pub(crate) stride: u64,
}

impl Sample {
    /// A stride that spreads any number of clusters evenly over so many, and comes to each once.
    pub(crate) fn spread(all: u64) -> u64 {
        // The golden ratio is the number that is hardest to come close to by fractions.
        let near = (all as f64 * 0.618_033_988_749_895) as u64;
        (near.max(1)..=all.max(1)).find(|&stride| coprime(stride, all)).unwrap_or(1)
    }

    /// The number of the n-th cluster that is run, of so many in all.
    pub(crate) fn number(self, n: u64, all: u64) -> u64 {
        (u128::from(n) * u128::from(self.stride) % u128::from(all.max(1))) as u64
    }
}

fn coprime(mut a: u64, mut b: u64) -> bool {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(run: u64, all: u64, stride: u64) -> Vec<u64> {
        let sample = Sample { run, least: 0, budget: 0, stride };
        (0..run).map(|n| sample.number(n, all)).collect()
    }

    #[test]
    fn every_cluster_comes_once_and_the_first_ones_are_spread() {
        for all in [1, 2, 3, 64, 70, 100, 1000, 8192, 65536] {
            let mut list = numbers(all, all, Sample::spread(all));
            list.sort_unstable();
            assert_eq!(list, (0..all).collect::<Vec<_>>(), "of {all}");
        }
        let mut some = numbers(64, 8192, Sample::spread(8192));
        some.sort_unstable();
        assert!(some.windows(2).all(|pair| (48..=192).contains(&(pair[1] - pair[0]))), "{some:?}");
        // A grid is often as wide as a power of two: the first ones are not all in one column.
        let columns: std::collections::BTreeSet<u64> = some.iter().map(|n| n % 64 / 8).collect();
        assert_eq!(columns.len(), 8);
    }

    #[test]
    fn clusters_that_wait_run_in_order() {
        assert_eq!(numbers(4, 1000, 1), [0, 1, 2, 3]);
    }
}
