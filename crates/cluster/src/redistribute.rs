//! Arrays that move from one way of being cut to another.

use std::ops::Range;

use bytemuck::Pod;

use crate::communicator::{Communicator, exchange};
use crate::parts::common;

/// The part that this rank has to have, of an array of which it has another part. Both lists have a part for every rank,
/// in order, and cover the same array.
///
/// ```
/// use warpwise_cluster::{Communicator, Threads, redistribute};
///
/// let parts = Threads::run(2, |ranks| {
///     let mine = [[1, 2, 3].as_slice(), &[4]][ranks.rank()];
///     redistribute(ranks, mine, &[0..3, 3..4], &[0..2, 2..4])
/// });
/// assert_eq!(parts, [[1, 2], [3, 4]]);
/// ```
pub fn redistribute<T: Pod>(
    ranks: &dyn Communicator,
    mine: &[T],
    from: &[Range<usize>],
    to: &[Range<usize>],
) -> Vec<T> {
    let me = ranks.rank();
    let mut out = zeros::<T>(to[me].len());
    let overlap = |rank: usize, there: &Range<usize>, here: &Range<usize>| {
        let range = common(there, here);
        (!range.is_empty()).then_some((rank, range))
    };
    let sends = to.iter().enumerate().filter_map(|(rank, there)| overlap(rank, there, &from[me]));
    let begin = from[me].start;
    let sends: Vec<_> = sends.map(|(rank, r)| (rank, &mine[r.start - begin..r.end - begin])).collect();
    let mut receives = Vec::new();
    let mut rest = &mut out[..];
    for (rank, range) in from.iter().enumerate().filter_map(|(rank, there)| overlap(rank, there, &to[me])) {
        let (room, behind) = rest.split_at_mut(range.len());
        receives.push((rank, room));
        rest = behind;
    }
    exchange(ranks, &sends, receives);
    out
}

/// Zeros of any plain type, on large pages if they are many.
pub(crate) fn zeros<T: Pod>(length: usize) -> Vec<T> {
    let zeros = vec![T::zeroed(); length];
    warpwise::prefer_large_pages(&zeros);
    zeros
}

/// The elements that bytes are, wherever these lie.
pub(crate) fn elements<T: Pod>(bytes: &[u8]) -> Vec<T> {
    let mut out = zeros::<T>(bytes.len() / size_of::<T>().max(1));
    bytemuck::cast_slice_mut(&mut out).copy_from_slice(bytes);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;
    use crate::parts::{Parts, of_lengths};

    #[test]
    fn any_cut_becomes_any_other() {
        for ranks in [1, 2, 3, 7] {
            for n in [0_usize, 1, 5, 100] {
                let even = Parts::new(n, ranks).all();
                let mut lengths = vec![0; ranks];
                lengths[ranks - 1] = n / 3;
                lengths[0] += n - n / 3;
                let odd = of_lengths(&lengths);
                let parts = Threads::run(ranks, |comm| {
                    let mine: Vec<u32> = odd[comm.rank()].clone().map(|i| i as u32).collect();
                    redistribute(comm, &mine, &odd, &even)
                });
                assert_eq!(parts.concat(), (0..n as u32).collect::<Vec<_>>());
                assert!(parts.iter().zip(&even).all(|(part, range)| part.len() == range.len()));
            }
        }
    }
}
