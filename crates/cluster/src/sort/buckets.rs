//! Sort by buckets that all ranks agree on: what one machine does, with an exchange between two of its passes.
//!
//! Ranks count their keys by the uppermost bits, and from the counts of all choose the same buckets, of which each rank
//! sorts some. They spread their keys over all buckets, send each other what is in buckets of others, and sort their own.
//! Ranks of one thread count only some of their keys, and all of them if these have misled them. Keys that differ in too
//! few bits for even parts are left to the samples.

use std::ops::Range;

use warpwise::sort::Key;
use warpwise::sort::cpu::{Sample, Spread, Tally};

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

/// Keys that a rank has for a bucket at least, on average, where each of its buckets is a message of its own.
const MESSAGE: usize = 1 << 12;

/// Bytes of the counts of a rank.
pub(crate) const COUNTS: f64 = 8.0 * 16384.0;

/// Whether that many random keys are sorted by buckets on so many ranks.
pub(crate) fn by_buckets(length: usize, ranks: usize) -> bool {
    length >= FEW && ranks <= MOST_RANKS
}

/// How many buckets that many keys are spread over.
fn buckets(length: usize) -> usize {
    (length / BUCKET).clamp(LEAST, MOST)
}

/// Buckets of all ranks.
struct Agreed {
    /// The first value of each, and the number of values.
    bins: Vec<usize>,
    /// The buckets of each rank.
    owned: Vec<Range<usize>>,
    /// How many keys each rank has for each bucket.
    lengths: Vec<Vec<usize>>,
    /// Whether keys are sent a bucket at a time, instead of all that a rank has for another one.
    by_bucket: bool,
}

impl Agreed {
    /// Buckets for the counts of all ranks; `None` where values are too few for even parts.
    fn new(counts: &[&[u64]]) -> Option<Self> {
        let values = counts.first()?.len();
        let totals: Vec<u64> = (0..values).map(|value| counts.iter().map(|of| of[value]).sum()).collect();
        let cuts = cuts(&totals, counts.len())?;
        let all: u64 = totals.iter().sum();
        let full = all / buckets(all as usize) as u64;
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
        Some(Self { bins, owned, lengths, by_bucket: false })
    }

    /// How many keys a rank has for buckets.
    fn sent(&self, from: usize, buckets: Range<usize>) -> usize {
        self.lengths[from][buckets].iter().sum()
    }

    /// The buckets that a rank sorts, in ranges of which each is sent as one message.
    fn messages(&self, to: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let owned = self.owned[to].clone();
        let each = if self.by_bucket { 1 } else { owned.len().max(1) };
        owned.step_by(each).map(move |first| first..first + each)
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
    let sample = Sample::new(part, descending);
    let facts = gather(ranks, [part.len() as u64, u64::from(sample.is_some())]);
    let total = facts.iter().map(|[length, _]| length).sum::<u64>() as usize;
    if !by_buckets(total, size) {
        return None;
    }
    let sampled = facts.iter().all(|&[_, sampled]| sampled == 1) && total / size / buckets(total) >= MESSAGE;
    let (agreed, spread) = match sample {
        Some(sample) if sampled => sampled_spread(ranks, sample)?,
        _ => None,
    }
    .or_else(|| counted_spread(ranks, Tally::new(part, descending)?))?;
    let others = || (0..size).filter(|&rank| rank != me);
    // What comes goes where the keys were.
    part.resize(others().map(|from| agreed.sent(from, agreed.owned[me].clone())).sum(), K::zeroed());
    let (mut rest, mut receives, mut sends) = (&mut part[..], Vec::new(), Vec::new());
    for rank in others() {
        for buckets in agreed.messages(me) {
            let (room, behind) = rest.split_at_mut(agreed.sent(rank, buckets));
            rest = behind;
            receives.push((rank, room));
        }
        sends.extend(agreed.messages(rank).map(|buckets| (rank, spread.leaving(buckets))));
    }
    receives.retain(|(_, room)| !room.is_empty());
    sends.retain(|(_, keys)| !keys.is_empty());
    exchange(ranks, &sends, receives);
    // A rank that left at once would keep the last answers to others: MPI sends them only while it is called.
    gather(ranks, 0_u8);
    // What came from each rank for each bucket.
    let (mut at, mut pieces) = (0, vec![Vec::new(); agreed.owned[me].len()]);
    for rank in others() {
        for (pieces, &length) in pieces.iter_mut().zip(&agreed.lengths[rank][agreed.owned[me].clone()]) {
            pieces.push(&part[at..at + length]);
            at += length;
        }
    }
    Some(spread.sort(&|bucket| pieces[bucket].clone()))
}

/// Keys spread over buckets that all ranks agree on.
type Agreement<K> = (Agreed, Spread<K>);

/// Buckets from the counts of some keys, and all keys spread over them. Nothing where these do not suit the keys; `None` where
/// keys are to be sorted in another way.
fn sampled_spread<K: Key>(ranks: &dyn Communicator, sample: Sample<'_, K>) -> Option<Option<Agreement<K>>> {
    let mut agreed = agree(ranks, &sample.counts())?;
    let spread = sample.spread(&agreed.bins, agreed.owned[ranks.rank()].clone());
    let buckets = agreed.bins.len() - 1;
    let mine = spread.as_ref().map_or(vec![usize::MAX; buckets], |spread| spread.lengths().to_vec());
    let lengths: Vec<usize> = elements(&ranks.gather_all(bytemuck::cast_slice(&mine)));
    if lengths.contains(&usize::MAX) {
        return Some(None);
    }
    agreed.lengths = lengths.chunks(buckets).map(<[usize]>::to_vec).collect();
    agreed.by_bucket = true;
    Some(spread.map(|spread| (agreed, spread)))
}

/// Buckets from the counts of all keys, and keys spread over them.
fn counted_spread<K: Key>(ranks: &dyn Communicator, tally: Tally<'_, K>) -> Option<Agreement<K>> {
    let agreed = agree(ranks, &tally.counts())?;
    let own = agreed.owned[ranks.rank()].clone();
    let whole = own.clone().map(|bucket| agreed.lengths.iter().map(|lengths| lengths[bucket]).sum());
    let spread = tally.spread(&agreed.bins, own.clone(), &whole.collect::<Vec<usize>>());
    Some((agreed, spread))
}

/// Buckets from what each rank has counted.
fn agree(ranks: &dyn Communicator, mine: &[u64]) -> Option<Agreed> {
    let all: Vec<u64> = elements(&ranks.gather_all(bytemuck::cast_slice(mine)));
    Agreed::new(&all.chunks(mine.len()).collect::<Vec<_>>())
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
