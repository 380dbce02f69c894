//! Sort by buckets that all ranks agree on: what one machine does, with an exchange between two of its passes.
//!
//! Ranks count their keys by the uppermost bits, and from the counts of all choose the same buckets, of which each rank
//! sorts some. They spread their keys over all buckets, send each other what is in buckets of others, and sort their own.
//! Keys that differ in too few of these bits for even parts are left to the samples.

use std::ops::Range;

use warpwise::sort::Key;
use warpwise::sort::cpu::Tally;

use crate::communicator::{Communicator, exchange, gather};
use crate::redistribute::elements;

/// Fewer keys are not worth counting: there are about as many counts.
const FEW: usize = 1 << 20;
/// With more ranks, counts of all are much to send.
const MOST_RANKS: usize = 64;
/// The keys of a full bucket, which fits the caches; the least and the most buckets.
const BUCKET: usize = 1 << 17;
const LEAST: usize = 256;
const MOST: usize = 1024;
/// How far the length of a part may be from the mean, as a share of it.
const UNEVEN: f64 = 0.05;

/// Bytes of the counts of a rank.
pub(crate) const COUNTS: f64 = 8.0 * 16384.0;

/// Whether that many random keys are sorted by buckets on so many ranks.
pub(crate) fn by_buckets(length: usize, ranks: usize) -> bool {
    length >= FEW && ranks <= MOST_RANKS
}

/// Buckets of all ranks.
struct Agreed {
    /// The first value of each, and the number of values.
    bins: Vec<usize>,
    /// The buckets of each rank.
    owned: Vec<Range<usize>>,
    /// How many keys each rank has for each bucket.
    lengths: Vec<Vec<usize>>,
}

impl Agreed {
    /// Buckets for the counts of all ranks; `None` where values are too few for even parts.
    fn new(counts: &[&[u64]]) -> Option<Self> {
        let values = counts.first()?.len();
        let totals: Vec<u64> = (0..values).map(|value| counts.iter().map(|of| of[value]).sum()).collect();
        let cuts = cuts(&totals, counts.len())?;
        let all: u64 = totals.iter().sum();
        let full = all / (all as usize / BUCKET).clamp(LEAST, MOST) as u64;
        let (mut bins, mut owned) = (Vec::new(), Vec::new());
        for rank in cuts.windows(2) {
            let first = bins.len();
            let mut held = full;
            for (value, &total) in (rank[0]..).zip(&totals[rank[0]..rank[1]]) {
                if held >= full || (total >= full && held > 0) {
                    bins.push(value);
                    held = 0;
                }
                held += total;
            }
            owned.push(first..bins.len());
        }
        bins.push(values);
        let in_buckets = |of: &&[u64]| {
            let length = |pair: &[usize]| of[pair[0]..pair[1]].iter().sum::<u64>() as usize;
            bins.windows(2).map(length).collect()
        };
        let lengths = counts.iter().map(in_buckets).collect();
        Some(Self { bins, owned, lengths })
    }

    /// How many keys a rank has for each bucket of another one.
    fn sent(&self, from: usize, to: usize) -> &[usize] {
        &self.lengths[from][self.owned[to].clone()]
    }
}

/// The values with which the parts of ranks begin, and the number of values, if parts are about even.
fn cuts(totals: &[u64], ranks: usize) -> Option<Vec<usize>> {
    let all: u64 = totals.iter().sum();
    let even = all as f64 / ranks as f64;
    let (mut cuts, mut begins, mut before) = (vec![0], vec![0_u64], 0);
    for (value, &total) in totals.iter().enumerate() {
        let wanted = cuts.len() as f64 * even;
        // The nearer end of the value that the cut would be in.
        if cuts.len() < ranks && (before + total) as f64 >= wanted {
            let here = wanted - before as f64 <= (before + total) as f64 - wanted && value > cuts[cuts.len() - 1];
            cuts.push(if here { value } else { value + 1 });
            begins.push(if here { before } else { before + total });
        }
        before += total;
    }
    cuts.push(totals.len());
    begins.push(all);
    let is_even = begins.windows(2).all(|pair| ((pair[1] - pair[0]) as f64 - even).abs() <= UNEVEN * even);
    (cuts.len() == ranks + 1 && cuts.is_sorted() && is_even).then_some(cuts)
}

/// This rank's part of all keys in order; `None`, in all ranks, with the keys unchanged, where another way suits them.
pub(super) fn sort<K: Key>(ranks: &dyn Communicator, descending: bool, part: &mut Vec<K>) -> Option<Vec<K>> {
    let (me, size) = (ranks.rank(), ranks.size());
    let total: u64 = gather(ranks, part.len() as u64).iter().sum();
    if !by_buckets(total as usize, size) {
        return None;
    }
    let tally = Tally::new(part, descending)?;
    let mine = tally.counts();
    let all: Vec<u64> = elements(&ranks.gather_all(bytemuck::cast_slice(&mine)));
    let agreed = Agreed::new(&all.chunks(mine.len()).collect::<Vec<_>>())?;
    let of_all = |bucket: usize| agreed.lengths.iter().map(|lengths| lengths[bucket]).sum();
    let whole: Vec<usize> = agreed.owned[me].clone().map(of_all).collect();
    let spread = tally.spread(&agreed.bins, agreed.owned[me].clone(), &whole);
    // What comes goes where the keys were.
    let coming: Vec<usize> = (0..size).map(|from| agreed.sent(from, me).iter().sum()).collect();
    part.resize(coming.iter().sum::<usize>() - coming[me], K::zeroed());
    let (mut rest, mut receives, mut sends) = (&mut part[..], Vec::new(), Vec::new());
    for rank in (0..size).filter(|&rank| rank != me) {
        let (room, behind) = rest.split_at_mut(coming[rank]);
        rest = behind;
        if !room.is_empty() {
            receives.push((rank, room));
        }
        let leaving = spread.leaving(agreed.owned[rank].clone());
        if !leaving.is_empty() {
            sends.push((rank, leaving));
        }
    }
    exchange(ranks, &sends, receives);
    // What came from each rank for each bucket.
    let (mut at, mut pieces) = (0, vec![Vec::new(); whole.len()]);
    for rank in (0..size).filter(|&rank| rank != me) {
        for (pieces, &length) in pieces.iter_mut().zip(agreed.sent(rank, me)) {
            pieces.push(&part[at..at + length]);
            at += length;
        }
    }
    Some(spread.sort(&|bucket| pieces[bucket].clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_at_the_nearest_value() {
        assert_eq!(cuts(&[10; 8], 4), Some(vec![0, 2, 4, 6, 8]));
        assert_eq!(cuts(&[0, 49, 2, 49, 0], 2), Some(vec![0, 2, 5]));
        assert_eq!(cuts(&[0, 49, 2, 47, 0], 2), Some(vec![0, 2, 5]));
        assert_eq!(cuts(&[0, 0, 5, 0], 2), None);
        assert_eq!(cuts(&[0; 4], 2), Some(vec![0, 1, 4]));
        assert_eq!(cuts(&[20, 10, 10], 3), None);
    }

    #[test]
    fn buckets_are_full_and_belong_to_one_rank() {
        let counts: Vec<u64> = (0..1 << 14).map(|value| value % 130 + (value == 77) as u64 * 9000).collect();
        let agreed = Agreed::new(&[&counts, &counts, &counts]).unwrap();
        assert_eq!((agreed.bins[0], agreed.bins[agreed.bins.len() - 1]), (0, 1 << 14));
        assert_eq!((agreed.owned[0].start, agreed.owned[2].end), (0, agreed.bins.len() - 1));
        assert!(agreed.owned.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(agreed.bins.is_sorted_by(|a, b| a < b) && agreed.bins.len() > 200);
        assert!(agreed.bins.windows(2).any(|pair| pair == [77, 78]), "what fills a bucket has its own");
        assert_eq!(agreed.lengths[1].iter().sum::<usize>() as u64, counts.iter().sum::<u64>());
    }
}
