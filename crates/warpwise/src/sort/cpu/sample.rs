//! Keys that several machines sort together, spread without having counted them.
//!
//! To count keys takes as long as a third of spreading them. Some of them say well enough how many each bucket has: it gets
//! room for a little more. What one machine sorts alone is spread to where it is sorted, which leaves no room; here what
//! others send lies elsewhere, and buckets are brought together when they are sorted.

use std::ops::Range;

use super::places::Places;
use super::spread::{Counts, NANOSECONDS, Plan};
use super::tally::{BITS, Record, Spread, check_bins, make};
use crate::sort::order::Key;
use crate::{memory, random, threads};

/// One of that many keys is counted.
const EVERY: usize = 64;
/// The room of a bucket: what is expected and that many deviations, and as many counted keys as may have been missed.
const DEVIATIONS: f64 = 5.0;
const MISSED: f64 = 16.0;

/// Some of the keys of one machine, counted by their uppermost bits.
///
/// ```
/// use warpwise::sort::cpu::Sample;
///
/// // Two machines, of one thread each. The first sorts keys whose uppermost bit is 0: all values below half of them.
/// let keys: [[u32; 3]; 2] = [[7, 1 << 31, 5], [3 << 30, 6, 1 << 30]];
/// let [first, second] = keys.each_ref().map(|keys| Sample::new(keys, false).unwrap());
/// let values = first.counts().len();
///
/// let bins = [0, values / 2, values];
/// let [first, second] = [(first, 0..1), (second, 1..2)].map(|(some, own)| some.spread(&bins, own).unwrap());
/// assert_eq!(second.lengths(), [2, 1]);
/// assert_eq!(first.sort(&|_| vec![second.leaving(0..1)]), [5, 6, 7, 1 << 30]);
/// ```
pub struct Sample<'a, K> {
    keys: &'a [K],
    descending: bool,
    counts: Counts,
}

impl<'a, K: Key> Sample<'a, K> {
    /// Counts some of the keys; `None` for keys of less than 32 bits and where several threads would sort, which have
    /// to know who writes where.
    ///
    /// ```
    /// use warpwise::sort::cpu::Sample;
    ///
    /// assert!(Sample::new(&[1.5, 0.5], true).is_some());
    /// assert!(Sample::new(b"short", false).is_none());
    /// ```
    pub fn new(keys: &'a [K], descending: bool) -> Option<Self> {
        if const { size_of::<K>() != size_of::<Record<K>>() } {
            return None;
        }
        if threads::available(keys.len() * NANOSECONDS) > 1 {
            return None;
        }
        // Not at even distances: keys may come in a rhythm.
        let one_of = |(i, keys): (usize, &[K])| keys[random::at(EVERY as u64, i as u64) as usize % keys.len()];
        let some: Vec<K> = keys.chunks(EVERY).enumerate().map(one_of).collect();
        let counts = Counts::of(some.len(), K::BITS, BITS, 1, &make(&some, descending));
        Some(Self { keys, descending, counts })
    }

    /// About how many keys there are with each value of the uppermost bits, in the order of the result.
    ///
    /// ```
    /// use warpwise::sort::cpu::Sample;
    ///
    /// let counts = Sample::new(&[u32::MAX; 128], true).unwrap().counts();
    /// assert_eq!((counts[0], counts[1]), (128, 0));
    /// ```
    pub fn counts(&self) -> Vec<u64> {
        self.counts.totals().into_iter().map(|count| (count * EVERY) as u64).collect()
    }

    /// Spreads the keys over buckets, from one of the values `bins` to the next, of which this machine sorts `own`. The
    /// first value must be 0 and the last the number of values. `None` if a bucket has many more keys than the sample
    /// said: then they have to be [counted](super::Tally).
    ///
    /// # Panics
    ///
    /// When the numbers do not fit each other, or buckets are more than 65,536.
    ///
    /// ```
    /// use warpwise::sort::cpu::Sample;
    ///
    /// let spread = Sample::new(&[2.5, -1.0], false).unwrap().spread(&[0, 1 << 14], 0..1).unwrap();
    /// assert_eq!(spread.sort(&|_| Vec::new()), [-1.0, 2.5]);
    /// ```
    pub fn spread(self, bins: &[usize], own: Range<usize>) -> Option<Spread<K>> {
        check_bins(bins, &own);
        let plan = Plan::new(self.counts, bins.to_vec());
        let capacity = |counted: usize| {
            let counted = counted as f64;
            (EVERY * (counted + DEVIATIONS * counted.sqrt() + MISSED) as usize).min(self.keys.len())
        };
        // Own buckets first, in order.
        let capacities: Vec<usize> = plan.lengths().into_iter().map(capacity).collect();
        let mut behind = 0;
        let mut begins = vec![0; capacities.len()];
        for bucket in own.clone().chain(0..own.start).chain(own.end..capacities.len()) {
            begins[bucket] = behind;
            behind += capacities[bucket];
        }
        let mut room = memory::zeros::<K>(behind);
        let places = Places::<Record<K>>::new(bytemuck::cast_slice_mut(&mut room)).uninitialized();
        let rooms = begins.iter().zip(&capacities).map(|(&begin, capacity)| begin..begin + capacity);
        let make = make(self.keys, self.descending);
        // SAFETY: buckets have places one after the other, and nobody else has the room.
        let mine = unsafe { plan.spread_within(0..self.keys.len(), &make, rooms, places) }?;
        Some(Spread { plan, own, begins, mine, room, descending: self.descending, members: 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const VALUES: usize = 1 << BITS;

    /// Sorts on two machines of one thread each, of which the first has the lower half of the values; `None` if the samples
    /// mislead one of them.
    fn together<K: Key>(keys: [&[K]; 2], descending: bool) -> Option<Vec<K>> {
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        one.install(|| {
            let bins: Vec<usize> = (0..=VALUES).filter(|value| value % 512 == 0).collect();
            let (buckets, mut own) = (bins.len() - 1, 0..0);
            let spreads = keys.map(|keys| {
                own = if own.is_empty() { 0..bins.len() / 2 } else { own.end..buckets };
                Sample::new(keys, descending).unwrap().spread(&bins, own.clone())
            });
            let [first, second] = spreads;
            let (first, second) = (first?, second?);
            let half = bins.len() / 2;
            let sent = |from: &Spread<K>, buckets: Range<usize>| -> Vec<Vec<K>> {
                buckets.map(|bucket| from.leaving(bucket..bucket + 1).to_vec()).collect()
            };
            let (to_second, to_first) = (sent(&first, half..buckets), sent(&second, 0..half));
            let mut all = first.sort(&|bucket| vec![&to_first[bucket][..]]);
            all.extend(second.sort(&|bucket| vec![&to_second[bucket][..]]));
            Some(all)
        })
    }

    #[test]
    fn two_machines_sort_what_they_have_not_counted() {
        let mut random = Random::new(8);
        for lengths in [[0, 0], [0, 1], [3, 40], [70_000, 90_001], [1, 200_000], [150_000, 0]] {
            let keys = lengths.map(|n| random.elements::<u32>(n));
            let mut expected = keys.concat();
            expected.sort_unstable();
            assert!(together([&keys[0], &keys[1]], false) == Some(expected), "{lengths:?}");
            let keys = lengths.map(|n| random.elements::<i64>(n));
            let mut expected = keys.concat();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            assert!(together([&keys[0], &keys[1]], true) == Some(expected), "{lengths:?}");
            // Keys in order, and most of them in one bucket.
            let keys =
                lengths.map(|n| (0..n).map(|i| if i < n / 10 { i as f32 * 1e30 } else { 3.0 }).collect::<Vec<_>>());
            let mut expected = keys.concat();
            expected.sort_unstable_by(f32::total_cmp);
            assert!(together([&keys[0], &keys[1]], false) == Some(expected), "{lengths:?}");
        }
    }

    #[test]
    fn a_sample_that_misleads_is_noticed() {
        // What is counted has another value than all the rest.
        let mut keys = vec![7_u32; 1 << 16];
        for (i, keys) in keys.chunks_mut(EVERY).enumerate() {
            keys[random::at(EVERY as u64, i as u64) as usize % EVERY] = u32::MAX;
        }
        assert!(together([&keys, &[]], false).is_none());
        keys.reverse();
        assert!(together([&keys, &[5]], false).is_some());
    }
}
