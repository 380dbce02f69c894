//! Compact: the elements of all ranks that fulfil a condition, in their order, as evenly over the ranks as can be.

use warpwise::Device;
use warpwise::compact::{Compact, Compactable, Condition};

use crate::communicator::{Communicator, gather};
use crate::parts::{Parts, of_lengths};
use crate::redistribute::redistribute;
use crate::{Error, agree};

/// This rank's part of the elements that are kept, and how many all ranks keep.
///
/// # Errors
///
/// What the device says.
///
/// ```
/// use warpwise::{Device, compact::Condition};
/// use warpwise_cluster::{Communicator, Threads, compact};
///
/// let parts = Threads::run(2, |ranks| {
///     // All that is kept is in the first rank; then each has half of it.
///     let mine = if ranks.rank() == 0 { [5, 6, 7, 8] } else { [0; 4] };
///     compact::compact(ranks, &Device::cpu(), Condition::Greater(0), &mine).unwrap().0
/// });
/// assert_eq!(parts, [[5, 6], [7, 8]]);
/// ```
pub fn compact<T: Compactable>(
    ranks: &dyn Communicator,
    device: &Device,
    condition: Condition<T>,
    part: &[T],
) -> Result<(Vec<T>, usize), Error> {
    let kept = agree(ranks, Compact::new(condition).run(device, part).map_err(Error::from))?;
    Ok(balanced(ranks, &kept))
}

/// Elements of which every rank has some, as evenly over the ranks as can be, and how many there are.
///
/// ```
/// use warpwise_cluster::{Communicator, Threads, compact};
///
/// let parts = Threads::run(2, |ranks| compact::balanced(ranks, &vec![1_u8; 6 * ranks.rank()]).0.len());
/// assert_eq!(parts, [3, 3]);
/// ```
pub fn balanced<T: bytemuck::Pod>(ranks: &dyn Communicator, part: &[T]) -> (Vec<T>, usize) {
    let lengths: Vec<usize> = gather(ranks, part.len() as u64).iter().map(|&n| n as usize).collect();
    let all = lengths.iter().sum();
    let to = Parts::new(all, ranks.size()).all();
    (redistribute(ranks, part, &of_lengths(&lengths), &to), all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;
    use warpwise::random::Random;

    #[test]
    fn what_is_kept_is_that_of_one_machine_and_balanced() {
        for n in [0, 1, 5, 10_000] {
            let xs: Vec<f32> = Random::new(6).elements(n);
            for ranks in [1, 2, 3, 4, 7, 8] {
                for condition in Condition::all(0.25) {
                    let parts = Threads::run(ranks, |comm| {
                        let mine = &xs[Parts::new(n, ranks).of(comm.rank())];
                        compact(comm, &Device::cpu(), condition, mine).unwrap()
                    });
                    let alone: Vec<f32> = xs.iter().copied().filter(|&x| condition.keeps(x)).collect();
                    let all = parts[0].1;
                    let lengths: Vec<usize> = parts.iter().map(|part| part.0.len()).collect();
                    assert_eq!(
                        lengths,
                        Parts::new(all, ranks).all().iter().map(ExactSizeIterator::len).collect::<Vec<_>>()
                    );
                    assert_eq!(parts.into_iter().flat_map(|part| part.0).collect::<Vec<_>>(), alone);
                }
            }
        }
    }
}
