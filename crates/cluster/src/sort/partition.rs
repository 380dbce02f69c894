//! Elements cut into the parts of the ranks before they are sorted: by splitters from samples.

use std::ops::Range;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use warpwise::random::Random;
use warpwise::sort::Key;

use crate::communicator::{Communicator, gather, gather_vectors};
use crate::parts::Parts;
use crate::redistribute::zeros;

/// Samples of all ranks together, and the least and the most of one: with 4096 of each rank, the lengths of parts differ
/// by 2 % in the root mean square.
const SAMPLES: usize = 1 << 18;
const LEAST_SAMPLES: usize = 1 << 12;
const MOST_SAMPLES: usize = 1 << 14;
/// Fewer elements are partitioned by one thread.
const FEW: usize = 1 << 16;
/// Elements that are partitioned at once, in the first cache.
const BLOCK: usize = 1024;
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

/// The elements of a part by the rank that they go to, for every piece that a thread has taken.
pub(super) fn partition<K: Key>(
    (me, size): (usize, usize),
    splitters: &Splitters<K>,
    part: &[K],
) -> Vec<Vec<Bucket<K>>> {
    let threads = if part.len() < FEW { 1 } else { rayon::current_num_threads() };
    let pieces = Parts::new(part.len(), threads).all();
    pieces.into_par_iter().map(|piece| of_piece(splitters, (me, size), part, piece)).collect()
}

fn of_piece<K: Key>(
    splitters: &Splitters<K>,
    (me, size): (usize, usize),
    part: &[K],
    piece: Range<usize>,
) -> Vec<Bucket<K>> {
    // What stays has room for what will come.
    let share = |rank: usize| if rank == me { piece.len() } else { piece.len() / size };
    let room = |rank: usize| share(rank) + share(rank) / SPARE + BLOCK;
    let mut buckets: Vec<Bucket<K>> = (0..size).map(|rank| Bucket::new(room(rank))).collect();
    // Elements that equal a splitter of this rank go to its left up to its place, and to its right from there.
    let own = splitters.all.iter().filter(|splitter| splitter.rank == me && piece.contains(&splitter.place));
    let mut bounds: Vec<usize> = own.map(|splitter| splitter.place).collect();
    bounds.extend([piece.start, piece.end]);
    bounds.sort_unstable();
    for range in bounds.windows(2).map(|pair| pair[0]..pair[1]) {
        let takes_equal = |splitter: &Splitter<K>| (splitter.rank, splitter.place) <= (me, range.start);
        let bounds: Vec<(K, bool)> =
            splitters.all.iter().map(|splitter| (splitter.key, takes_equal(splitter))).collect();
        for block in part[range.clone()].chunks(BLOCK) {
            let down = splitters.descending;
            match (&bounds[..], down) {
                (&[(key, true)], false) => in_two(block, &mut buckets, |x| x.ordered() >= key.ordered()),
                (&[(key, false)], false) => in_two(block, &mut buckets, |x| x.ordered() > key.ordered()),
                (&[(key, true)], true) => in_two(block, &mut buckets, |x| x.ordered() <= key.ordered()),
                (&[(key, false)], true) => in_two(block, &mut buckets, |x| x.ordered() < key.ordered()),
                (bounds, false) => in_many(block, &mut buckets, bounds, |x, y| x.ordered() < y.ordered()),
                (bounds, true) => in_many(block, &mut buckets, bounds, |x, y| y.ordered() < x.ordered()),
            }
        }
    }
    buckets
}

/// The elements of a block, of which some go to the right.
fn in_two<K: Key>(block: &[K], buckets: &mut [Bucket<K>], goes_right: impl Fn(K) -> bool) {
    let [left, right] = buckets else { return };
    let (to_left, to_right) = (left.room(), right.room());
    let (mut i, mut j) = (0, 0);
    for &key in block {
        // To both, and one of them moves on: which one it is cannot be predicted, so nothing may jump.
        to_left[i % BLOCK] = key;
        to_right[j % BLOCK] = key;
        let right = usize::from(goes_right(key));
        (i, j) = (i + 1 - right, j + right);
    }
    left.filled += i;
    right.filled += j;
}

/// The elements of a block, by the number of bounds that they lie behind; those that equal a bound may count as behind it.
fn in_many<K: Key>(block: &[K], buckets: &mut [Bucket<K>], bounds: &[(K, bool)], is_before: impl Fn(K, K) -> bool) {
    let is_behind = |key: K, &(bound, takes_equal): &(K, bool)| match takes_equal {
        true => !is_before(key, bound),
        false => is_before(bound, key),
    };
    for bucket in &mut *buckets {
        bucket.room();
    }
    for &key in block {
        let bucket = &mut buckets[bounds.partition_point(|bound| is_behind(key, bound))];
        bucket.keys[bucket.filled] = key;
        bucket.filled += 1;
    }
}

/// Keys that go to one rank, and room for more.
pub(super) struct Bucket<K> {
    keys: Vec<K>,
    filled: usize,
}

impl<K: Key> Bucket<K> {
    fn new(length: usize) -> Self {
        Self { keys: zeros(length), filled: 0 }
    }

    pub(super) fn keys(&self) -> &[K] {
        &self.keys[..self.filled]
    }

    /// Room for a block.
    fn room(&mut self) -> &mut [K; BLOCK] {
        let filled = self.filled;
        if self.keys.len() < filled + BLOCK {
            self.keys.resize((2 * self.keys.len()).max(filled + BLOCK), K::zeroed());
        }
        (&mut self.keys[filled..filled + BLOCK]).try_into().expect("a block has that many")
    }

    /// The keys, and behind them room for that many more: all of it, and where the room begins.
    pub(super) fn with_room(mut self, more: usize) -> (Vec<K>, usize) {
        self.keys.resize(self.filled + more, K::zeroed());
        (self.keys, self.filled)
    }
}
