//! Records that fit the caches, sorted by all their bits in the vector registers of AVX-512: parts around pivots, down to
//! parts that fit registers, which a network sorts.

mod network;
mod pivots;
mod rows;
mod split;
mod vector;

use self::vector::{Longs, Vector, Words};
use super::digits::ROOM;

/// More registers of words than that are split into four parts at once: they are read and written half as often as if they
/// were split into two parts twice.
const FOUR_PARTS: usize = 64;

/// Sorts words in place, with [room](ROOM) beside them.
///
/// # Safety
///
/// The host must have AVX-512 (F, DQ, BW, VL).
pub(super) unsafe fn words(words: &mut [u32], room: &mut [u32]) {
    // SAFETY: guaranteed by the caller.
    unsafe { sort::<Words>(words, room) };
}

/// As [`words`].
///
/// # Safety
///
/// As for [`words`].
pub(super) unsafe fn longs(longs: &mut [u64], room: &mut [u64]) {
    // SAFETY: guaranteed by the caller.
    unsafe { sort::<Longs>(longs, room) };
}

unsafe fn sort<V: Vector>(words: &mut [V::Word], room: &mut [V::Word]) {
    let n = words.len();
    assert!(room.len() >= ROOM * n);
    let depth = 2 * (usize::BITS - n.leading_zeros());
    let (other, room) = room.split_at_mut(n);
    let (third, fourth) = room.split_at_mut(n);
    // SAFETY: guaranteed by the caller.
    unsafe { in_fours::<V>(words, other, [third, fourth], true, depth) };
}

/// Sorts `from`, to there or to the other slice: four parts at a time.
///
/// # Safety
///
/// As for [`words`]; both slices have the same length, and the room is no shorter.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn in_fours<V: Vector>(
    from: &mut [V::Word],
    other: &mut [V::Word],
    [third, fourth]: [&mut [V::Word]; 2],
    stays: bool,
    depth: u32,
) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if from.len() <= FOUR_PARTS * V::LANES || depth == 0 {
            return in_twos::<V>(from, other, stays, depth);
        }
        let pivots = pivots::quarters::<V>(from);
        if pivots[0].below(pivots[2]) == 0 {
            // Many words are equal.
            return in_twos::<V>(from, other, stays, depth);
        }
        let [a, b, c, d] = split::in_four::<V>(from, other, [third, fourth], stays, pivots);
        // The first part is where it is to be, and the others at the beginnings of the other slices. When one has been
        // sorted to where it is to be, its place is room for those after it.
        let (result, second) = if stays { (from, other) } else { (other, from) };
        let (to_1, result) = result.split_at_mut(a);
        let (to_2, result) = result.split_at_mut(b);
        let (to_3, to_4) = result.split_at_mut(c);
        in_fours::<V>(&mut second[..b], to_2, [&mut third[c..], &mut fourth[d..]], false, depth - 1);
        in_fours::<V>(&mut third[..c], to_3, [second, &mut fourth[d..]], false, depth - 1);
        in_fours::<V>(&mut fourth[..d], to_4, [second, third], false, depth - 1);
        in_fours::<V>(to_1, &mut second[..a], [third, fourth], true, depth - 1);
    }
}

/// As [`in_fours`], two parts at a time.
///
/// # Safety
///
/// As for [`in_fours`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn in_twos<V: Vector>(from: &mut [V::Word], other: &mut [V::Word], stays: bool, depth: u32) {
    let n = from.len();
    // SAFETY: guaranteed by the caller.
    unsafe {
        if n <= network::MOST * V::LANES {
            let (from, to) = (from.as_ptr(), if stays { from.as_mut_ptr() } else { other.as_mut_ptr() });
            return network::sort::<V>(from, n, to);
        }
        if depth == 0 {
            // Pivots were bad too often.
            from.sort_unstable();
            if !stays {
                other.copy_from_slice(from);
            }
            return;
        }
        let pivot = pivots::median::<V>(from);
        let mut below = split::in_two::<V, false>(from, other, stays, pivot);
        let none = below == 0;
        if none {
            // The pivot is the lowest, and all that are equal to it come first.
            if stays {
                from.copy_from_slice(other);
            }
            below = split::in_two::<V, true>(from, other, stays, pivot);
        }
        // Those below are where they are to be, and the others at the beginning of the other slice.
        let (result, rest) = if stays { (from, other) } else { (other, from) };
        let (low, high) = result.split_at_mut(below);
        let (highs, room) = rest.split_at_mut(n - below);
        if !none {
            in_twos::<V>(low, room, true, depth - 1);
        }
        in_twos::<V>(highs, high, false, depth - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::simd::Level;

    fn are_sorted<W: Copy + Ord + Default>(word: impl Fn(u64) -> W, sort: unsafe fn(&mut [W], &mut [W])) {
        let mut random = Random::new(83);
        for n in (0..600).chain([1023, 5000, 40_000]) {
            for kind in 0..6 {
                let key = |random: &mut Random, i: u64| match kind {
                    0 => random.bits(),
                    1 => random.below(3) as u64,
                    2 => i,
                    3 => u64::MAX - i,
                    // Many equal ones in the middle.
                    4 => (random.below(99) as u64).clamp(30, 60),
                    _ => u64::MAX - random.below(2) as u64,
                };
                let mut words: Vec<W> = (0..n as u64).map(|i| word(key(&mut random, i))).collect();
                let mut expected = words.clone();
                expected.sort_unstable();
                let mut room = vec![W::default(); ROOM * n];
                // SAFETY: the level says that the host has the instructions.
                unsafe { sort(&mut words, &mut room) };
                assert!(words == expected, "{n} words of kind {kind}");
            }
        }
    }

    #[test]
    fn any_words_are_sorted() {
        if matches!(Level::current(), Level::Avx512(_)) {
            are_sorted(|key| key as u32, words);
            are_sorted(|key| key, longs);
        }
    }
}
