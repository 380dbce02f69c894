//! Keys that several machines sort together.
//!
//! Each machine counts its keys by their uppermost bits. From the counts of all they choose the same buckets, and who sorts
//! which; each spreads its keys over all buckets, they send each other what is in buckets of others, and sort their own.
//! That is what one machine does, with messages between two of its passes.

use std::ops::Range;

use super::places::Places;
use super::record::Joins;
use super::spread::{Bits, Buckets, Counts, NANOSECONDS, Plan, ends};
use crate::simd::ahead::Ahead;
use crate::simd::stream::{self, Stores};
use crate::simd::{Body, Level};
use crate::sort::order::{Key, Word};
use crate::{memory, threads};

/// The uppermost bits that keys are counted by.
pub(super) const BITS: u32 = 14;

/// What stands for a key while it is sorted.
pub(super) type Record<K> = <<K as Key>::Word as Word>::Alone;

/// The keys of one machine, counted by their uppermost bits.
///
/// ```
/// use warpwise::sort::cpu::Tally;
///
/// // Two machines. The first sorts keys whose uppermost bit is 0: all values below half of them.
/// let keys: [[u32; 3]; 2] = [[7, 1 << 31, 5], [3 << 30, 6, 1 << 30]];
/// let [first, second] = keys.each_ref().map(|keys| Tally::new(keys, false).unwrap());
/// let values = first.counts().len();
/// assert_eq!(second.counts()[..values / 2].iter().sum::<u64>(), 2);
///
/// let bins = [0, values / 2, values];
/// let (first, second) = (first.spread(&bins, 0..1, &[4]), second.spread(&bins, 1..2, &[2]));
/// assert_eq!(first.sort(&|_| vec![second.leaving(0..1)]), [5, 6, 7, 1 << 30]);
/// ```
pub struct Tally<'a, K> {
    keys: &'a [K],
    descending: bool,
    members: usize,
    counts: Counts,
}

impl<'a, K: Key> Tally<'a, K> {
    /// Counts keys; `None` for keys of less than 32 bits, which are not sorted like this.
    ///
    /// ```
    /// use warpwise::sort::cpu::Tally;
    ///
    /// assert!(Tally::new(&[1.5, 0.5], true).is_some());
    /// assert!(Tally::new(b"short", false).is_none());
    /// ```
    pub fn new(keys: &'a [K], descending: bool) -> Option<Self> {
        if const { size_of::<K>() != size_of::<Record<K>>() } {
            return None;
        }
        let members = threads::available(keys.len() * NANOSECONDS);
        let counts = Counts::of(keys.len(), K::BITS, BITS, members, &make(keys, descending));
        Some(Self { keys, descending, members, counts })
    }

    /// How many keys there are with each value of the uppermost bits, in the order of the result.
    ///
    /// ```
    /// use warpwise::sort::cpu::Tally;
    ///
    /// let keys = [0_u32, 1, u32::MAX];
    /// let counts = Tally::new(&keys, true).unwrap().counts();
    /// assert_eq!((counts[0], counts[counts.len() - 1]), (1, 2));
    /// ```
    pub fn counts(&self) -> Vec<u64> {
        self.counts.totals().into_iter().map(|count| count as u64).collect()
    }

    /// Spreads the keys over buckets: from one of the values `bins` to the next. The first must be 0 and the last the
    /// number of values. `own` are the buckets that this machine sorts, and `lengths` how many keys all machines have for
    /// each of them.
    ///
    /// # Panics
    ///
    /// When the numbers do not fit each other, or buckets are more than 65,536.
    ///
    /// ```
    /// use warpwise::sort::cpu::Tally;
    ///
    /// let spread = Tally::new(&[2.5, -1.0], false).unwrap().spread(&[0, 1 << 14], 0..1, &[2]);
    /// assert_eq!(spread.sort(&|_| Vec::new()), [-1.0, 2.5]);
    /// ```
    pub fn spread(self, bins: &[usize], own: Range<usize>, lengths: &[usize]) -> Spread<K> {
        check_bins(bins, &own);
        assert_eq!(own.len(), lengths.len(), "a length for each bucket");
        let plan = Plan::new(self.counts, bins.to_vec());
        let (mine, ends) = (plan.lengths(), ends(lengths));
        let enough = mine[own.clone()].iter().zip(lengths).all(|(mine, length)| mine <= length);
        assert!(enough, "all machines have at least the keys that this one has");
        // Own buckets have room for what comes; behind them are those of others, without a gap. One thread needs no room in
        // between: it brings a bucket together when it sorts it, from the last bucket to the first.
        let compact = self.members == 1;
        let mut next = 0;
        let mut behind = if compact { mine[own.clone()].iter().sum() } else { ends[own.len()] };
        let begin = |(bucket, length): (usize, &usize)| {
            let at = match own.contains(&bucket) {
                true if !compact => return ends[bucket - own.start],
                true => &mut next,
                false => &mut behind,
            };
            *at += length;
            *at - length
        };
        let begins: Vec<usize> = mine.iter().enumerate().map(begin).collect();
        let behind = behind.max(ends[own.len()]);
        let mut room = memory::zeros::<K>(behind);
        let places = Places::<Record<K>>::new(bytemuck::cast_slice_mut(&mut room));
        plan.spread(self.members, &make(self.keys, self.descending), &begins, places.uninitialized());
        Spread { plan, own, begins, mine, room, descending: self.descending, members: self.members }
    }
}

/// # Panics
///
/// When buckets do not cover all values, are too many, or own ones are not among them.
pub(super) fn check_bins(bins: &[usize], own: &Range<usize>) {
    let whole = bins.first() == Some(&0) && bins.last() == Some(&(1 << BITS)) && bins.is_sorted();
    assert!(whole && bins.len() <= 1 << 16 && own.end < bins.len(), "{} buckets, {own:?}", bins.len());
}

/// What stands for keys, in the order of the result.
pub(super) fn make<K: Key>(keys: &[K], descending: bool) -> impl Fn(Range<usize>, &mut [Record<K>]) + Sync {
    let flip = K::Word::ones(if descending { K::BITS } else { 0 });
    let (level, ahead) = (Level::current(), Ahead::within(keys));
    move |range, records| level.run(Ordered { keys: &keys[range], flip, ahead, records })
}

/// What stands for keys.
struct Ordered<'a, K: Key> {
    keys: &'a [K],
    flip: K::Word,
    ahead: Ahead,
    records: &'a mut [Record<K>],
}

impl<K: Key> Body for Ordered<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        self.ahead.of(self.keys);
        for (record, &key) in self.records.iter_mut().zip(self.keys) {
            *record = Record::<K>::join(key.ordered() ^ self.flip, ());
        }
    }
}

/// The keys that records stand for, in their place.
pub(super) struct Restored<'a, K: Key> {
    pub(super) flip: K::Word,
    pub(super) records: &'a mut [Record<K>],
}

impl<K: Key> Body for Restored<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for record in self.records {
            *record = bytemuck::cast(K::restored(record.split().0 ^ self.flip));
        }
    }
}

/// The keys of one machine in buckets, in the form in which they are sorted.
pub struct Spread<K> {
    pub(super) plan: Plan,
    pub(super) own: Range<usize>,
    /// Where every bucket begins, and the keys that this machine has for it.
    pub(super) begins: Vec<usize>,
    pub(super) mine: Vec<usize>,
    pub(super) room: Vec<K>,
    pub(super) descending: bool,
    pub(super) members: usize,
}

impl<K: Key> Spread<K> {
    /// How many keys this machine has for each bucket.
    ///
    /// ```
    /// use warpwise::sort::cpu::Tally;
    ///
    /// let spread = Tally::new(&[1_u64, 2, 3], false).unwrap().spread(&[0, 1 << 13, 1 << 14], 1..2, &[0]);
    /// assert_eq!(spread.lengths(), [3, 0]);
    /// ```
    pub fn lengths(&self) -> &[usize] {
        &self.mine
    }

    /// What this machine has for buckets of another one, a bucket after the other, to be sent there as it is. Keys that
    /// were spread by a [`Sample`](super::Sample) are not next to those of other buckets: ask for one at a time.
    ///
    /// # Panics
    ///
    /// When own buckets are among them, or some do not exist.
    ///
    /// ```
    /// use warpwise::sort::cpu::Tally;
    ///
    /// let spread = Tally::new(&[1_u64, 2, 3], false).unwrap().spread(&[0, 1 << 13, 1 << 14], 1..2, &[0]);
    /// assert_eq!(spread.leaving(0..1).len(), 3);
    /// ```
    pub fn leaving(&self, buckets: Range<usize>) -> &[K] {
        assert!(buckets.end <= self.own.start || self.own.end <= buckets.start, "own buckets stay");
        match buckets.clone().last() {
            Some(last) => &self.room[self.begins[buckets.start]..self.begins[last] + self.mine[last]],
            None => &[],
        }
    }

    /// The keys of own buckets in order, with what others have sent for each: one or several parts of it.
    ///
    /// # Panics
    ///
    /// When parts of a bucket have another length together than was said.
    ///
    /// ```
    /// use warpwise::sort::cpu::Tally;
    ///
    /// let spread = Tally::new(&[2_u32, 1], true).unwrap().spread(&[0, 1 << 14], 0..1, &[2]);
    /// assert_eq!(spread.sort(&|_| Vec::new()), [2, 1]);
    /// ```
    pub fn sort<'b>(mut self, coming: &(dyn Fn(usize) -> Vec<&'b [K]> + Sync)) -> Vec<K> {
        let came = |bucket: usize| coming(bucket).iter().map(|part| part.len()).sum::<usize>();
        let lengths: Vec<usize> =
            self.own.clone().map(|number| self.mine[number] + came(number - self.own.start)).collect();
        let ends = ends(&lengths);
        let total = ends[self.own.len()];
        let flip = K::Word::ones(if self.descending { K::BITS } else { 0 });
        let (compact, level) = (self.members == 1, Level::current());
        let mut elsewhere = match compact && !self.is_written_behind(&ends) {
            true => memory::zeros::<K>(total),
            false => Vec::new(),
        };
        let places = Places::<Record<K>>::new(bytemuck::cast_slice_mut(&mut self.room));
        let out = match elsewhere.is_empty() {
            true => places,
            false => Places::new(bytemuck::cast_slice_mut(&mut elsewhere)),
        };
        let fill = |bucket: usize, cached: &mut Vec<Record<K>>| {
            let number = self.own.start + bucket;
            let (begin, end, first, mine) = (ends[bucket], ends[bucket + 1], self.begins[number], self.mine[number]);
            let mut rest = if compact {
                cached.resize(end - begin, Record::<K>::default());
                let (here, rest) = cached.split_at_mut(mine);
                // SAFETY: the room has values, and nobody else uses these places.
                here.copy_from_slice(unsafe { places.part(first..first + mine) });
                rest
            } else {
                assert_eq!(first, begin, "bucket {bucket} has another length than was said");
                // SAFETY: as above.
                unsafe { places.part(begin + mine..end) }
            };
            for part in coming(bucket) {
                let (into, behind) = rest.split_at_mut(part.len());
                into.copy_from_slice(bytemuck::cast_slice(part));
                rest = behind;
            }
            compact
        };
        let finish = |first: usize, records: &mut [Record<K>]| {
            level.run(Restored::<K> { flip, records: &mut *records });
            if compact {
                // SAFETY: where a bucket is to be there is nothing but what has been sent, what was here of it and of later
                // ones, which has been taken.
                let to = unsafe { out.part(first..first + records.len()) };
                stream::write::<K>(
                    level,
                    Stores::Streamed,
                    bytemuck::cast_slice(records),
                    bytemuck::cast_slice_mut(to),
                );
            }
        };
        let bits = Bits { low: 0, high: K::BITS, whole: true };
        let buckets = Buckets { plan: &self.plan, first: self.own.start, ends: &ends, bits };
        // SAFETY: all of the room has been written, with zeros at least, and nobody else uses it.
        unsafe { buckets.sort(self.members, out.uninitialized(), &fill, &finish) };
        stream::finish();
        if !elsewhere.is_empty() {
            return elsewhere;
        }
        self.room.truncate(total);
        self.room.shrink_to_fit();
        self.room
    }

    /// Whether no own bucket begins, in the result, before the end of what is here of the one before, so that buckets can be
    /// written from the last to the first over what has been taken.
    fn is_written_behind(&self, ends: &[usize]) -> bool {
        let end = |number: usize| self.begins[number] + self.mine[number];
        ends[self.own.len()] <= self.room.len()
            && self.own.clone().zip(&ends[1..]).all(|(number, &next)| end(number) <= next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Three machines, which have other shares of the keys, and sort other shares of the buckets.
    fn together<K: Key + PartialOrd>(keys: &[Vec<K>; 3], descending: bool) -> Vec<K> {
        let tallies = keys.each_ref().map(|keys| Tally::new(keys, descending).unwrap());
        let counts = tallies.each_ref().map(Tally::counts);
        let values = counts[0].len();
        let bins: Vec<usize> = (0..=values).filter(|&value| value % 64 == 0 || value % 999 == 5).collect();
        let buckets = bins.len() - 1;
        let owned = [0..buckets / 5, buckets / 5..buckets / 2, buckets / 2..buckets];
        let length = |machine: usize, bucket: usize| {
            counts[machine][bins[bucket]..bins[bucket + 1]].iter().sum::<u64>() as usize
        };
        let mut machine = 0;
        let spreads = tallies.map(|tally| {
            let own = owned[machine].clone();
            machine += 1;
            let lengths: Vec<usize> = own.clone().map(|b| (0..3).map(|from| length(from, b)).sum()).collect();
            tally.spread(&bins, own, &lengths)
        });
        let sent: Vec<Vec<Vec<K>>> = (0..3)
            .map(|to| {
                (0..3)
                    .map(|from| if from == to { Vec::new() } else { spreads[from].leaving(owned[to].clone()).to_vec() })
                    .collect()
            })
            .collect();
        let mut all = Vec::new();
        for (me, spread) in spreads.into_iter().enumerate() {
            let own = owned[me].clone();
            let coming = |bucket: usize| {
                let piece = |from: usize| {
                    let begin = (own.start..own.start + bucket).map(|b| length(from, b)).sum::<usize>();
                    &sent[me][from][begin..begin + length(from, own.start + bucket)]
                };
                (0..3).filter(|&from| from != me).map(piece).collect()
            };
            all.extend(spread.sort(&coming));
        }
        all
    }

    #[test]
    fn machines_sort_together_on_one_thread_and_on_several() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut random = Random::new(threads as u64);
                for lengths in [[0, 1, 3], [50_000, 100, 90_000], [300_000, 200_000, 0]] {
                    let keys = lengths.map(|n| random.elements::<u32>(n));
                    let mut expected = keys.concat();
                    expected.sort_unstable();
                    assert!(together(&keys, false) == expected, "{lengths:?} on {threads}");
                    // Most of them in one bucket.
                    let keys = keys.map(|keys| keys.iter().map(|x| f64::from(x % 1000) - 3.0).collect::<Vec<f64>>());
                    let mut expected = keys.concat();
                    expected.sort_unstable_by(|a, b| b.total_cmp(a));
                    assert!(together(&keys, true) == expected, "{lengths:?} on {threads}");
                }
            });
        }
    }
}
