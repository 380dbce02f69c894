//! Elements cut into the parts of the ranks before they are sorted: by splitters from samples.

use std::ops::Range;

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use warpwise::random::Random;
use warpwise::sort::Key;
use warpwise::sort::cpu::{Leaves, split};

use crate::communicator::{Communicator, gather, gather_vectors};
use crate::parts::Parts;

/// Samples of all ranks together, and the least and the most of one: with 4096 of each rank, the lengths of parts differ
/// by 2 % in the root mean square.
const SAMPLES: usize = 1 << 18;
const LEAST_SAMPLES: usize = 1 << 12;
const MOST_SAMPLES: usize = 1 << 14;
/// Fewer elements are partitioned by one thread.
const FEW: usize = 1 << 16;
/// Room in a bucket for what is written at once.
const BLOCK: usize = 2048;
/// Room in a bucket beyond its share: one part in so many.
const SPARE: usize = 16;

/// How many samples each of so many ranks takes.
pub(crate) fn samples(ranks: usize) -> usize {
    (SAMPLES / ranks).clamp(LEAST_SAMPLES, MOST_SAMPLES)
}

/// The first element of a rank's part of the result: told from equal ones by the rank that has it and its place there.
#[derive(Clone, Copy, Debug)]
struct Splitter<K> {
    key: K,
    rank: usize,
    place: usize,
}

/// The splitters of all ranks but the first, in order.
pub(super) struct Splitters<K> {
    all: Vec<Splitter<K>>,
    descending: bool,
}

impl<K: Key> Splitters<K> {
    /// The one splitter of two ranks.
    pub(super) fn at(key: K) -> Self {
        Self { all: vec![Splitter { key, rank: 0, place: 0 }], descending: false }
    }

    /// What all ranks agree on, from samples of their parts.
    pub(super) fn agree(ranks: &dyn Communicator, descending: bool, part: &[K]) -> Self {
        let size = ranks.size();
        let lengths: Vec<usize> = gather(ranks, part.len() as u64).iter().map(|&n| n as usize).collect();
        let total: usize = lengths.iter().sum();
        let wanted = size * samples(size);
        let share = wanted as f64 / total.max(1) as f64;
        let samples = |length: usize| length.min((length as f64 * share).ceil() as usize);
        // One of each stretch, at random: input may repeat itself.
        let stretches = Parts::new(part.len(), samples(part.len()));
        let mut random = Random::new(ranks.rank() as u64);
        let places = (0..samples(part.len())).map(|i| {
            let stretch = stretches.of(i);
            (stretch.start + random.below(stretch.len())) as u64
        });
        let places: Vec<u64> = places.collect();
        let keys: Vec<K> = places.iter().map(|&place| part[place as usize]).collect();
        let owners = lengths.iter().enumerate().flat_map(|(rank, &length)| std::iter::repeat_n(rank, samples(length)));
        let (keys, places) = (gather_vectors(ranks, &keys), gather_vectors(ranks, &places));
        let all = keys.into_iter().zip(places).zip(owners);
        let mut all: Vec<_> = all.map(|((key, place), rank)| Splitter { key, rank, place: place as usize }).collect();
        all.sort_unstable_by(|a, b| {
            let by_key = a.key.ordered().cmp(&b.key.ordered());
            let by_key = if descending { by_key.reverse() } else { by_key };
            by_key.then((a.rank, a.place).cmp(&(b.rank, b.place)))
        });
        let cuts = Parts::new(all.len(), size);
        let firsts = (1..size).filter_map(|rank| all.get(cuts.of(rank).start).copied());
        Self { all: firsts.collect(), descending }
    }
}

/// Elements that leave: the rank that they go to, and what goes there.
pub(super) type Leaving<K> = Vec<(usize, Vec<K>)>;

/// Moves the elements that stay to the front, in any order; returns how many these are, and the others by the rank that
/// they go to.
pub(super) fn partition<K: Key>(
    (me, size): (usize, usize),
    splitters: &Splitters<K>,
    part: &mut [K],
) -> (usize, Leaving<K>) {
    let threads = if part.len() < FEW { 1 } else { rayon::current_num_threads() };
    let each = part.len().div_ceil(threads).max(1);
    let pieces = part.par_chunks_mut(each).enumerate();
    let pieces: Vec<(usize, Vec<Vec<K>>)> =
        pieces.map(|(i, piece)| of_piece(splitters, (me, size), i * each, piece)).collect();
    let (mut front, mut leaving) = (0, Vec::new());
    for (i, (stays, buckets)) in pieces.into_iter().enumerate() {
        if i > 0 {
            part.copy_within(i * each..i * each + stays, front);
        }
        front += stays;
        leaving.extend(buckets.into_iter().enumerate().filter(|(_, bucket)| !bucket.is_empty()));
    }
    (front, leaving)
}

/// The same for one piece, which begins at a place of the part.
fn of_piece<K: Key>(
    splitters: &Splitters<K>,
    (me, size): (usize, usize),
    first: usize,
    piece: &mut [K],
) -> (usize, Vec<Vec<K>>) {
    let share = piece.len() / size;
    let room = |rank: usize| if rank == me { 0 } else { share + share / SPARE + BLOCK };
    let mut places =
        Places { keys: piece, stays: 0, me, buckets: (0..size).map(|rank| Vec::with_capacity(room(rank))).collect() };
    // Elements that equal a splitter of this rank go to its left up to its place, and to its right from there.
    let (all, end) = (&splitters.all, places.keys.len());
    let own = all.iter().filter(|splitter| splitter.rank == me && (first..first + end).contains(&splitter.place));
    let mut cuts: Vec<usize> = own.map(|splitter| splitter.place - first).collect();
    cuts.extend([0, end]);
    cuts.sort_unstable();
    for range in cuts.windows(2).map(|pair| pair[0]..pair[1]) {
        let takes_equal = |splitter: &Splitter<K>| (splitter.rank, splitter.place) <= (me, first + range.start);
        let bounds: Vec<(K, bool)> = all.iter().map(|splitter| (splitter.key, takes_equal(splitter))).collect();
        match (&bounds[..], splitters.descending) {
            (&[(bound, takes_equal)], descending) if size == 2 => {
                // The first rank has what is below, or what is above where that comes first.
                let above = (me == 0) != descending;
                places.in_two(range, Leaves { bound, equal_is_above: takes_equal != descending, above });
            }
            (bounds, false) => places.in_many(range, bounds, |x, y| x.ordered() < y.ordered()),
            (bounds, true) => places.in_many(range, bounds, |x, y| y.ordered() < x.ordered()),
        }
    }
    (places.stays, places.buckets)
}

/// Where the elements of a piece go: to its front, or to a bucket.
struct Places<'a, K> {
    keys: &'a mut [K],
    stays: usize,
    me: usize,
    buckets: Vec<Vec<K>>,
}

impl<K: Key> Places<'_, K> {
    /// The elements of a range, on two ranks.
    fn in_two(&mut self, range: Range<usize>, leaves: Leaves<K>) {
        self.stays += split(self.keys, range, self.stays, leaves, &mut self.buckets[1 - self.me]);
    }

    /// The elements of a range, by the number of bounds that they lie behind; those that equal a bound may count as
    /// behind it.
    fn in_many(&mut self, range: Range<usize>, bounds: &[(K, bool)], is_before: impl Fn(K, K) -> bool) {
        let is_behind = |key: K, &(bound, takes_equal): &(K, bool)| match takes_equal {
            true => !is_before(key, bound),
            false => is_before(bound, key),
        };
        for at in range {
            let key = self.keys[at];
            let rank = bounds.partition_point(|bound| is_behind(key, bound));
            if rank == self.me {
                self.keys[self.stays] = key;
                self.stays += 1;
            } else {
                self.buckets[rank].push(key);
            }
        }
    }
}
