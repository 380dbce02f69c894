//! Histogram: how many elements of all ranks are in each bin.

use warpwise::Device;
use warpwise::histogram::{Binning, Countable, Histogram};

use crate::Error;
use crate::communicator::Communicator;
use crate::error::agree_on_device;

/// The counts of all ranks together, in every rank.
///
/// # Errors
///
/// Bins that there cannot be, and what the device says.
///
/// ```
/// use warpwise::{Device, histogram::Binning};
/// use warpwise_cluster::{Threads, histogram};
///
/// let counts = Threads::run(2, |ranks| {
///     histogram::histogram(ranks, &Device::cpu(), Binning::Modulo { bins: 3 }, &[0, 1, 2, 4]).unwrap()
/// });
/// assert_eq!(counts, [[2, 4, 2], [2, 4, 2]]);
/// ```
pub fn histogram<T: Countable>(
    ranks: &dyn Communicator,
    device: &Device,
    binning: Binning,
    part: &[T],
) -> Result<Vec<u64>, Error> {
    let mut counts = agree_on_device(ranks, device, Histogram::new(binning).run(device, part))?;
    ranks.sum_all(&mut counts);
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parts, Threads};
    use warpwise::histogram::cpu;
    use warpwise::random::Random;

    #[test]
    fn counts_are_those_of_one_machine() {
        for n in [0, 1, 5, 30_000] {
            let xs: Vec<i32> = Random::new(2).elements(n);
            let fs: Vec<f64> = Random::new(3).elements(n);
            let bytes: Vec<u8> = Random::new(4).elements(n);
            for ranks in [1, 2, 3, 4, 7, 8] {
                let (modulo, even) = (Binning::Modulo { bins: 1000 }, Binning::Even { bins: 17, lo: -0.5, hi: 0.75 });
                let found = Threads::run(ranks, |comm| {
                    let mine = Parts::new(n, ranks).of(comm.rank());
                    let device = Device::cpu();
                    [
                        histogram(comm, &device, modulo, &xs[mine.clone()]).unwrap(),
                        histogram(comm, &device, even, &fs[mine.clone()]).unwrap(),
                        histogram(comm, &device, Binning::Value, &bytes[mine]).unwrap(),
                    ]
                });
                let alone = [
                    cpu::seq(modulo, &xs).unwrap(),
                    cpu::seq(even, &fs).unwrap(),
                    cpu::seq(Binning::Value, &bytes).unwrap(),
                ];
                assert!(found.iter().all(|found| *found == alone), "{n} {ranks}");
            }
        }
    }
}
