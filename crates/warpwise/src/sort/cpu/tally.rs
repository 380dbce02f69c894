//! Keys that several machines sort together.
//!
//! Each machine counts its keys by their uppermost bits. From the counts of all they choose the same buckets, and who sorts
//! which; each spreads its keys over all buckets, they send each other what is in buckets of others, and sort their own.
//! That is what one machine does, with messages between two of its passes.

use std::ops::Range;

use super::places::Places;
use super::record::Joins;
use super::spread::{Buckets, Counts, NANOSECONDS, Plan, ends};
use crate::sort::order::{Key, Word};
use crate::{memory, threads};

/// The uppermost bits that keys are counted by.
const BITS: u32 = 14;

/// What stands for a key while it is sorted.
type Record<K> = <<K as Key>::Word as Word>::Alone;

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
        if size_of::<K>() != size_of::<Record<K>>() {
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
        let whole = bins.first() == Some(&0) && bins.last() == Some(&(1 << BITS)) && bins.is_sorted();
        assert!(whole && bins.len() <= 1 << 16 && own.end < bins.len(), "{} buckets, {own:?}", bins.len());
        assert_eq!(own.len(), lengths.len(), "a length for each bucket");
        let plan = Plan::new(self.counts, bins.to_vec());
        let (mine, ends) = (plan.lengths(), ends(lengths));
        let enough = mine[own.clone()].iter().zip(lengths).all(|(mine, length)| mine <= length);
        assert!(enough, "all machines have at least the keys that this one has");
        // Own buckets have room for what comes; behind them are those of others, without a gap.
        let mut behind = ends[own.len()];
        let begin = |(bucket, length): (usize, &usize)| {
            if own.contains(&bucket) {
                return ends[bucket - own.start];
            }
            behind += length;
            behind - length
        };
        let begins: Vec<usize> = mine.iter().enumerate().map(begin).collect();
        let mut room = memory::zeros::<K>(behind);
        let places = Places::<Record<K>>::new(bytemuck::cast_slice_mut(&mut room));
        plan.spread(self.members, &make(self.keys, self.descending), &begins, places.uninitialized());
        Spread { plan, own, ends, begins, mine, room, descending: self.descending, members: self.members }
    }
}

/// What stands for keys, in the order of the result.
fn make<K: Key>(keys: &[K], descending: bool) -> impl Fn(Range<usize>, &mut [Record<K>]) + Sync {
    let flip = K::Word::ones(if descending { K::BITS } else { 0 });
    move |range, records| {
        for (record, &key) in records.iter_mut().zip(&keys[range]) {
            *record = Record::<K>::join(key.ordered() ^ flip, ());
        }
    }
}

/// The keys of one machine in buckets, in the form in which they are sorted.
pub struct Spread<K> {
    plan: Plan,
    own: Range<usize>,
    /// Where own buckets begin, and where the last one ends.
    ends: Vec<usize>,
    /// Where every bucket begins, and the keys that this machine has for it.
    begins: Vec<usize>,
    mine: Vec<usize>,
    room: Vec<K>,
    descending: bool,
    members: usize,
}

impl<K: Key> Spread<K> {
    /// What this machine has for buckets of another one, a bucket after the other, to be sent there as it is.
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
        let total = self.ends[self.own.len()];
        // What leaves has been sent.
        self.room.truncate(total);
        let flip = K::Word::ones(if self.descending { K::BITS } else { 0 });
        let fill = |bucket: usize, mut rest: &mut [Record<K>]| {
            rest = &mut rest[self.mine[self.own.start + bucket]..];
            for part in coming(bucket) {
                let (into, behind) = rest.split_at_mut(part.len());
                into.copy_from_slice(bytemuck::cast_slice(part));
                rest = behind;
            }
            assert!(rest.is_empty(), "bucket {bucket} lacks {} keys", rest.len());
        };
        let finish = |_: usize, records: &mut [Record<K>]| {
            for record in records {
                *record = bytemuck::cast(K::restored(record.split().0 ^ flip));
            }
        };
        let buckets = Buckets { plan: &self.plan, first: self.own.start, ends: &self.ends, bits: (0, K::BITS) };
        let places = Places::<Record<K>>::new(bytemuck::cast_slice_mut(&mut self.room));
        // SAFETY: all of the room has been written, with zeros at least, and nobody else uses it.
        unsafe { buckets.sort(self.members, places.uninitialized(), &fill, &finish) };
        self.room.shrink_to_fit();
        self.room
    }
}
