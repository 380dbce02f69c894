//! Sort: the elements of all ranks in order, each rank with about as many as every other.
//!
//! Where keys differ in their uppermost bits, ranks agree on buckets from counts of these. Else it is a sample sort: ranks
//! agree on splitters from samples, partition their elements by them, send each other what is theirs, and sort what
//! they have then with the local sort. Where sorted runs are to be kept, ranks sort first and merge afterwards.

mod buckets;
mod partition;
mod runs;

pub use runs::{merge, merge_runs, run};

use warpwise::Device;
use warpwise::sort::Key;

pub(crate) use self::buckets::{COUNTS, by_buckets};
pub(crate) use self::partition::samples;
use self::partition::{Leaving, Splitters, partition};
use crate::communicator::{Communicator, exchange, gather, gather_vectors};
use crate::{Error, agree};

/// This rank's part of all elements in order. Parts differ by a few percent in length.
///
/// # Errors
///
/// What the device says.
///
/// ```
/// use warpwise::Device;
/// use warpwise_cluster::{Communicator, Threads, sort};
///
/// let parts = Threads::run(2, |ranks| {
///     sort::sort(ranks, &Device::cpu(), false, vec![3 - ranks.rank() as i32, 9, -4]).unwrap()
/// });
/// assert_eq!(parts.concat(), [-4, -4, 2, 3, 9, 9]);
/// ```
pub fn sort<K: Key>(
    ranks: &dyn Communicator,
    device: &Device,
    descending: bool,
    mut part: Vec<K>,
) -> Result<Vec<K>, Error> {
    if ranks.size() == 1 {
        return run(device, descending, part);
    }
    if device.is_cpu()
        && let Some(sorted) = buckets::sort(ranks, descending, &mut part)
    {
        return Ok(sorted);
    }
    agree(ranks, run(device, descending, collect(ranks, descending, part)))
}

/// The elements that belong to this rank's part of the result, in no order.
fn collect<K: Key>(ranks: &dyn Communicator, descending: bool, mut part: Vec<K>) -> Vec<K> {
    let splitters = Splitters::agree(ranks, descending, &part);
    let (stays, leaving) = partition((ranks.rank(), ranks.size()), &splitters, &mut part);
    let coming = incoming(ranks, &leaving);
    // What comes lies behind what stays, where what leaves was.
    part.resize(stays + coming.iter().map(|(_, length)| length).sum::<usize>(), K::zeroed());
    let (mut rest, mut receives) = (&mut part[stays..], Vec::new());
    for (rank, length) in coming {
        let (room, behind) = rest.split_at_mut(length);
        receives.push((rank, room));
        rest = behind;
    }
    let sends: Vec<(usize, &[K])> = leaving.iter().map(|(rank, bucket)| (*rank, &bucket[..])).collect();
    exchange(ranks, &sends, receives);
    part
}

/// What the first of two ranks does before it sorts, for plans: returns how many elements would leave it.
pub(crate) fn partition_for_two<K: Key>(part: &mut [K], middle: K) -> usize {
    part.len() - partition((0, 2), &Splitters::at(middle), part).0
}

/// What comes from other ranks: the rank and the length of every message, in the order in which they are sent.
fn incoming<K: Key>(ranks: &dyn Communicator, leaving: &Leaving<K>) -> Vec<(usize, usize)> {
    let words = leaving.iter().flat_map(|(to, bucket)| [*to as u64, bucket.len() as u64]);
    let words: Vec<u64> = words.collect();
    let counts = gather(ranks, leaving.len() as u64);
    let all = gather_vectors(ranks, &words);
    let from = counts.iter().enumerate().flat_map(|(rank, &count)| std::iter::repeat_n(rank, count as usize));
    let messages = from.zip(all.chunks(2)).filter(|(_, words)| words[0] == ranks.rank() as u64);
    messages.map(|(from, words)| (from, words[1] as usize)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parts, Threads};
    use warpwise::random::Random;
    use warpwise::sort::Sort;

    fn check<K: Key>(xs: &[K], ranks: usize, descending: bool, balanced: bool) {
        let alone = Sort::new().descending(descending).run(&Device::cpu(), xs).unwrap();
        let even = xs.len() as f64 / ranks as f64;
        for merges in [false, true] {
            let parts = Threads::run(ranks, |comm| {
                let mine = xs[Parts::new(xs.len(), ranks).of(comm.rank())].to_vec();
                match merges {
                    true => merge(comm, descending, run(&Device::cpu(), descending, mine).unwrap()),
                    false => sort(comm, &Device::cpu(), descending, mine).unwrap(),
                }
            });
            let found = parts.concat();
            let [a, b]: [&[u8]; 2] = [&alone, &found].map(|xs| bytemuck::cast_slice(xs));
            assert!(a == b, "{} {} {ranks} {merges}", K::NAME, xs.len());
            if balanced {
                assert!(parts.iter().all(|part| (part.len() as f64 - even).abs() <= 0.1 * even), "{ranks} {merges}");
            }
        }
    }

    #[test]
    fn all_types_are_sorted_as_on_one_machine() {
        for ranks in [1, 2, 3, 4, 7, 8] {
            for n in [0, 1, 2, 3, 5, 100, 3001] {
                let mut random = Random::new(n as u64);
                check::<u8>(&random.elements(n), ranks, false, false);
                check::<u16>(&random.elements(n), ranks, true, false);
                check::<i32>(&random.elements(n), ranks, true, false);
                check::<u64>(&random.elements(n), ranks, false, false);
                check::<f64>(&random.elements(n), ranks, false, false);
                let mut floats: Vec<f32> = random.elements(n);
                for (x, special) in floats.iter_mut().step_by(3).zip([f32::NAN, -0.0, 0.0, -f32::NAN].iter().cycle()) {
                    *x = *special;
                }
                check(&floats, ranks, ranks % 2 == 0, false);
            }
        }
    }

    #[test]
    fn parts_are_balanced_on_any_input() {
        let n = 200_000;
        let random: Vec<u32> = Random::new(1).elements(n);
        let sorted: Vec<u32> = (0..n as u32).collect();
        let skewed: Vec<u32> = random.iter().map(|x| if x % 10 == 0 { x % 1000 } else { 7 }).collect();
        let steep: Vec<u32> = random.iter().map(|x| x >> (x % 32)).collect();
        let backwards: Vec<u32> = sorted.iter().rev().copied().collect();
        for input in [random, sorted, vec![5; n], skewed, steep, backwards] {
            for ranks in [2, 3, 4, 7, 8] {
                check(&input, ranks, false, true);
            }
        }
    }

    #[test]
    fn long_parts_are_cut_and_merged_by_several_threads() {
        let xs: Vec<i64> = Random::new(4).elements(300_000);
        check(&xs, 3, false, true);
        check(&xs, 2, true, true);
    }

    #[test]
    fn many_keys_are_sorted_by_buckets_or_by_samples() {
        let n = (1 << 20) + 77;
        let even: Vec<u32> = Random::new(6).elements(n);
        // Half of them have the same upper bits, which is too many for even parts of three ranks.
        let steep: Vec<u32> = even.iter().map(|x| if x % 2 == 0 { x % 1000 } else { *x }).collect();
        let floats: Vec<f64> = even.iter().map(|&x| (f64::from(x) - 2e9) / 7.0).collect();
        for (ranks, descending) in [(2, false), (3, true), (7, false)] {
            check(&even, ranks, descending, true);
            check(&steep, ranks, descending, true);
            check(&floats, ranks, descending, true);
        }
    }

    #[test]
    fn keys_that_mislead_samples_of_one_thread_are_counted() {
        let one = |ranks: usize, xs: &[u32]| {
            let mut expected = xs.to_vec();
            expected.sort_unstable();
            let parts = Threads::run(ranks, |comm| {
                let mine = xs[Parts::new(xs.len(), ranks).of(comm.rank())].to_vec();
                let _one = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
                sort(comm, &Device::cpu(), false, mine).unwrap()
            });
            assert!(parts.concat() == expected, "{ranks}");
        };
        let mut random = Random::new(9);
        let even: Vec<u32> = random.elements(3 << 20);
        // One of 64 keys is looked at: those that are rare where it is looked, and frequent elsewhere, are too many.
        let mut hidden: Vec<u32> = random.elements(3 << 20);
        for ranks in [2, 3] {
            one(ranks, &even);
            let length = hidden.len();
            for part in (0..ranks).map(|rank| Parts::new(length, ranks).of(rank)) {
                for (i, keys) in hidden[part].chunks_mut(64).enumerate() {
                    let looked_at = warpwise::random::at(64, i as u64) as usize % keys.len();
                    keys.iter_mut()
                        .enumerate()
                        .filter(|(k, _)| *k != looked_at && k % 8 == 0)
                        .for_each(|(_, key)| *key = 99);
                }
            }
            one(ranks, &hidden);
        }
    }
}
