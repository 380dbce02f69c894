//! Counting bytes two at a time.
//!
//! Counting a byte takes a store, and a core completes one per clock. So two bytes that lie far apart are counted as
//! one pair, in either order: the pair of `x` and `y` is given by the distance between them around the circle of 256
//! values, 0 to 128, and the value that it begins at. There are 129 times 256 such pairs, and their counters, of one
//! byte each, fit into the first-level cache. Vector code finds the pairs; after some ten thousand of them the counters
//! are summed.
//!
//! Counters are not checked for overflow, because it shows in the end: each one removes 256 pairs from the sum of all
//! counters. Bytes with frequent pairs, such as text, fill few counters, and those may be wider. If a single pair
//! dominates, the bytes are counted one by one instead.

use std::ops::AddAssign;

use crate::simd::prefetch_later;

/// Bytes that are examined together: if they are all the same, as in the dark or bright parts of an image, one addition
/// counts them.
pub(super) const RUN: usize = 64;

/// Distances from one byte of a pair to the other.
const DISTANCES: usize = 129;

/// Runs whose pairs are found before they are counted: stores to the counters must not delay the loads of the next
/// pairs, but the pairs found should stay in the first-level cache along with the counters.
const STRIP: usize = 8;

/// Pairs that are counted first, to estimate how many can be.
const FIRST: usize = 1 << 12;

/// If fewer pairs than this would fit into counters of one byte, summing those does not pay.
const FEWEST: usize = 1 << 14;

/// If fewer pairs than this would fit into counters of one byte, one of them is so frequent that its sums wait for each
/// other.
const FEWEST_WIDE: usize = 1 << 11;

/// The most pairs counted in one byte each: for random bytes, all counters are then about 4, or 8.
const MOST: usize = 1 << 17;

/// The most pairs counted in two bytes each: no counter can overflow.
const MOST_WIDE: usize = (1 << 16) - RUN;

/// The fewest bytes for which the counters pay.
const LEAST: usize = 1 << 16;

/// How many bytes ahead to prefetch.
const AHEAD: usize = 4096;

/// Counters of all pairs. Only those of [`DISTANCES`] are ever used, but there is one for any index.
type Counters<C> = [C; 1 << 16];

/// A counter of a pair.
trait Counter: Copy + Default + Ord + Into<Self::Sum> + Into<u32> {
    /// Holds the sum of a counter for every distance.
    type Sum: Copy + Default + AddAssign + Into<u32>;
    /// One more, wrapping to 0.
    fn next(self) -> Self;
}

impl Counter for u8 {
    type Sum = u16;
    #[inline(always)]
    fn next(self) -> Self {
        self.wrapping_add(1)
    }
}

impl Counter for u16 {
    type Sum = u32;
    #[inline(always)]
    fn next(self) -> Self {
        self.wrapping_add(1)
    }
}

/// Indexes of counters.
#[repr(align(64))]
struct Indexes([[u16; RUN]; STRIP]);

/// Counts bytes from the first on, as far as they can be paired; returns the rest.
#[inline(always)]
pub(super) fn count<'a>(xs: &'a [u8], counts: &mut [u32; 256]) -> &'a [u8] {
    if xs.len() < LEAST {
        return xs;
    }
    // On the stack: an allocation may be returned to the system after every task, and come back page by page.
    let (mut narrow, mut wide) = ([0; 1 << 16], None);
    let (mut rest, mut most) = (xs, FIRST);
    loop {
        let is_wide = most != FIRST && most < FEWEST;
        let Some(part) = part(rest, if is_wide { MOST_WIDE } else { most }) else { return rest };
        let added = if is_wide {
            add(part, wide.get_or_insert([0_u16; 1 << 16]), counts)
        } else {
            add::<u8>(part, &mut narrow, counts)
        };
        let Some((counted, fullest)) = added else { return rest };
        rest = &rest[2 * part.0.len()..];
        if counted > 0 {
            // Half of what fills a counter, if the next bytes are like these.
            most = (counted * 128 / fullest as usize).min(MOST);
            if most < FEWEST_WIDE {
                return rest;
            }
        }
    }
}

/// Two consecutive parts of at most that many bytes, if there are enough.
#[inline(always)]
fn part(xs: &[u8], most: usize) -> Option<(&[u8], &[u8])> {
    let length = most.min(xs.len() / 2) / RUN * RUN;
    (length >= FIRST).then(|| xs[..2 * length].split_at(length))
}

/// Adds the bytes of two parts to the counts, through counters that are clear before and after. Returns how many pairs
/// were counted and the fullest counter, or `None` if one overflowed: then nothing is added.
#[inline(always)]
fn add<C: Counter>(part: (&[u8], &[u8]), counters: &mut Counters<C>, counts: &mut [u32; 256]) -> Option<(usize, u32)> {
    let mut more = [0; 256];
    let counted = find(part, counters, &mut more);
    let fullest = if counted > 0 { add_up(counters, counted, &mut more)? } else { 0 };
    counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    Some((counted, fullest))
}

/// Counts the pairs of two parts of equal length, a multiple of [`RUN`]; returns how many went to the counters. Two
/// matching runs of one value each are counted at once.
#[inline(always)]
fn find<C: Counter>((xs, ys): (&[u8], &[u8]), counters: &mut Counters<C>, counts: &mut [u32; 256]) -> usize {
    let mut counted = 0;
    let mut indexes = Indexes([[0; RUN]; STRIP]);
    for (xs, ys) in xs.chunks(STRIP * RUN).zip(ys.chunks(STRIP * RUN)) {
        let mut found = 0;
        for (x, y) in xs.as_chunks::<RUN>().0.iter().zip(ys.as_chunks::<RUN>().0) {
            prefetch_later(x.as_ptr().wrapping_add(AHEAD));
            prefetch_later(y.as_ptr().wrapping_add(AHEAD));
            if is_one_value(x) && is_one_value(y) {
                counts[usize::from(x[0])] += RUN as u32;
                counts[usize::from(y[0])] += RUN as u32;
                continue;
            }
            let row = &mut indexes.0[found];
            for i in 0..RUN {
                row[i] = pair(x[i], y[i]);
            }
            found += 1;
        }
        for row in &indexes.0[..found] {
            // Neighbours are often alike, and adding to the same counter again must wait for the first sum: others are
            // interleaved.
            let (lines, _) = row.as_chunks::<8>();
            for i in 0..8 {
                for line in lines {
                    let counter = &mut counters[usize::from(line[i])];
                    *counter = counter.next();
                }
            }
        }
        counted += found * RUN;
    }
    counted
}

/// Whether all bytes are the same.
#[inline(always)]
pub(super) fn is_one_value(run: &[u8; RUN]) -> bool {
    let (words, _) = run.as_chunks::<8>();
    let one = u64::from(run[0]) * 0x0101_0101_0101_0101;
    let differing = |word: &[u8; 8]| u64::from_ne_bytes(*word) ^ one;
    // Most runs of more than one value already differ at the start.
    differing(&words[0]) == 0 && words.iter().fold(0, |so_far, word| so_far | differing(word)) == 0
}

/// The index of a pair, in either order: its distance times 256, plus the byte that it begins at.
#[inline(always)]
fn pair(x: u8, y: u8) -> u16 {
    let (up, down) = (x.wrapping_sub(y), y.wrapping_sub(x));
    let distance = up.min(down);
    let first = if distance == up { y } else { x };
    u16::from(distance) << 8 | u16::from(first)
}

/// Adds the counters, with `counted` pairs in all, to the counts of both bytes of each pair, and clears them. Returns
/// the fullest counter, or `None` if one of them overflowed.
#[inline(always)]
fn add_up<C: Counter>(counters: &mut Counters<C>, counted: usize, counts: &mut [u32; 256]) -> Option<u32> {
    // The value that a pair ends at is `distance` after the one it begins at, wrapping around after the last value.
    let (mut firsts, mut seconds) = ([C::Sum::default(); 256], [C::Sum::default(); 512]);
    let mut fullest = [C::default(); 256];
    let (rows, _) = counters.as_chunks_mut::<256>();
    for (distance, row) in rows[..DISTANCES].iter_mut().enumerate() {
        let seconds: &mut [C::Sum; 256] = seconds[distance..].first_chunk_mut().expect("256 lie behind any distance");
        for i in 0..256 {
            firsts[i] += row[i].into();
            seconds[i] += row[i].into();
            fullest[i] = row[i].max(fullest[i]);
            row[i] = C::default();
        }
    }
    if firsts.iter().map(|&count| count.into()).sum::<u32>() as usize != counted {
        return None;
    }
    for i in 0..256 {
        counts[i] += firsts[i].into() + seconds[i].into() + seconds[i + 256].into();
    }
    fullest.into_iter().max().map(Into::into)
}
