//! Sort: the elements of all ranks in order, each rank with about as many as every other.
//!
//! A sample sort: ranks agree on splitters from samples, [partition](partition) their elements by them, send each other
//! what is theirs, and sort what they have then with the local sort. Where sorted runs are to be kept, ranks sort first
//! and [merge](runs) afterwards.

mod partition;
mod runs;

pub use runs::{merge, merge_runs, run};

use warpwise::Device;
use warpwise::sort::Key;

pub(crate) use self::partition::samples;
use self::partition::{Bucket, Splitters, partition};
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
    part: Vec<K>,
) -> Result<Vec<K>, Error> {
    let own = if ranks.size() == 1 { part } else { collect(ranks, descending, part) };
    agree(ranks, run(device, descending, own))
}

/// The elements that belong to this rank's part of the result, in no order.
fn collect<K: Key>(ranks: &dyn Communicator, descending: bool, part: Vec<K>) -> Vec<K> {
    let me = ranks.rank();
    let splitters = Splitters::agree(ranks, descending, &part);
    let pieces = partition((me, ranks.size()), &splitters, &part);
    drop(part);
    let lengths = |piece: &Vec<Bucket<K>>| piece.iter().map(|bucket| bucket.keys().len() as u64).collect::<Vec<_>>();
    let coming = incoming(ranks, &pieces.iter().flat_map(lengths).collect::<Vec<_>>());
    // What comes lies behind what stays.
    let mut staying = Vec::new();
    let mut leaving = Vec::new();
    for (rank, bucket) in pieces.into_iter().flat_map(|piece| piece.into_iter().enumerate()) {
        if rank == me { staying.push(bucket) } else { leaving.push((rank, bucket)) }
    }
    let more = staying.iter().skip(1).map(|bucket| bucket.keys().len()).sum::<usize>();
    let first = staying.remove(0);
    let (mut own, filled) = first.with_room(more + coming.iter().map(|(_, length)| length).sum::<usize>());
    let mut rest = &mut own[filled..];
    for bucket in staying {
        let (room, behind) = rest.split_at_mut(bucket.keys().len());
        room.copy_from_slice(bucket.keys());
        rest = behind;
    }
    let mut receives = Vec::new();
    for (rank, length) in coming {
        let (room, behind) = rest.split_at_mut(length);
        receives.push((rank, room));
        rest = behind;
    }
    let sends = leaving.iter().map(|(rank, bucket)| (*rank, bucket.keys())).filter(|(_, keys)| !keys.is_empty());
    exchange(ranks, &sends.collect::<Vec<_>>(), receives);
    own
}

/// What the first of two ranks does before it sorts, for plans: returns how many elements would leave it.
pub(crate) fn partition_for_two<K: Key>(part: &[K], middle: K) -> usize {
    let pieces = partition((0, 2), &Splitters::at(middle), part);
    pieces.iter().map(|piece| piece[1].keys().len()).sum()
}

/// What comes from other ranks: the rank and the length of every message. Takes the lengths of this rank's own, for all
/// ranks, piece by piece.
fn incoming(ranks: &dyn Communicator, lengths: &[u64]) -> Vec<(usize, usize)> {
    let size = ranks.size();
    let pieces = gather(ranks, (lengths.len() / size) as u64);
    let all = gather_vectors(ranks, lengths);
    let owners = pieces.iter().enumerate().flat_map(|(rank, &pieces)| std::iter::repeat_n(rank, pieces as usize));
    let mine = owners.zip(all.chunks(size)).map(|(rank, lengths)| (rank, lengths[ranks.rank()] as usize));
    mine.filter(|&(rank, length)| rank != ranks.rank() && length > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parts, Threads};
    use warpwise::random::Random;
    use warpwise::sort::Sort;

    fn check<K: Key>(xs: &[K], ranks: usize, descending: bool, balanced: bool) {
        let alone = Sort::new().descending(descending).run(&Device::cpu(), xs).unwrap();
        let parts = Threads::run(ranks, |comm| {
            let mine = xs[Parts::new(xs.len(), ranks).of(comm.rank())].to_vec();
            sort(comm, &Device::cpu(), descending, mine).unwrap()
        });
        let found = parts.concat();
        let [a, b]: [&[u8]; 2] = [&alone, &found].map(|xs| bytemuck::cast_slice(xs));
        assert!(a == b, "{} {} {ranks}", K::NAME, xs.len());
        let even = xs.len() as f64 / ranks as f64;
        if balanced {
            assert!(parts.iter().all(|part| (part.len() as f64 - even).abs() <= 0.1 * even), "{ranks}");
        }
    }

    #[test]
    fn all_types_are_sorted_as_on_one_machine() {
        for ranks in [1, 2, 3, 4, 7, 8] {
            for n in [0, 1, 5, 100, 3001] {
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
    fn long_runs_are_merged_by_several_threads() {
        let xs: Vec<i64> = Random::new(4).elements(300_000);
        check(&xs, 3, false, true);
        check(&xs, 2, true, true);
    }
}
