//! Records that fit the caches, sorted by all their bits in the vector registers of AVX-512: parts around pivots, down to
//! parts that fit registers, which a network sorts.

mod network;
mod vector;

use self::vector::{Bits, Longs, Vector, Words};

/// Sorts words in place, with as much room beside them.
///
/// # Safety
///
/// The host must have AVX-512 (F, DQ, BW, VL).
pub(super) unsafe fn words(words: &mut [u32], spare: &mut [u32]) {
    // SAFETY: guaranteed by the caller.
    unsafe { sort::<Words>(words, spare) };
}

/// As [`words`].
///
/// # Safety
///
/// As for [`words`].
pub(super) unsafe fn longs(longs: &mut [u64], spare: &mut [u64]) {
    // SAFETY: guaranteed by the caller.
    unsafe { sort::<Longs>(longs, spare) };
}

unsafe fn sort<V: Vector>(words: &mut [V::Word], spare: &mut [V::Word]) {
    assert_eq!(words.len(), spare.len());
    let depth = 2 * (usize::BITS - words.len().leading_zeros());
    // SAFETY: guaranteed by the caller.
    unsafe { part::<V>(words, spare, true, depth) };
}

/// Sorts `from`, to there or to the other slice.
///
/// # Safety
///
/// As for [`words`]; both slices have the same length.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn part<V: Vector>(from: &mut [V::Word], other: &mut [V::Word], stays: bool, depth: u32) {
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
        let pivot = pivot::<V>(from);
        let mut below = around::<V, false>(from, other, stays, pivot);
        let none = below == 0;
        if none {
            // The pivot is the lowest, and all that are equal to it come first.
            if stays {
                from.copy_from_slice(other);
            }
            below = around::<V, true>(from, other, stays, pivot);
        }
        // Those below are where they are to be, and the others at the beginning of the other slice.
        let (result, rest) = if stays { (from, other) } else { (other, from) };
        let (low, high) = result.split_at_mut(below);
        let (highs, room) = rest.split_at_mut(n - below);
        if !none {
            part::<V>(low, room, true, depth - 1);
        }
        part::<V>(highs, high, false, depth - 1);
    }
}

/// The median of a few words, in all lanes.
#[inline(always)]
unsafe fn pivot<V: Vector>(from: &[V::Word]) -> V {
    let step = from.len() / V::LANES;
    // SAFETY: guaranteed by the caller; there are more words than lanes.
    unsafe {
        let some = network::sorted(V::load_every(step, from.as_ptr().add(step / 2)));
        if V::LANES == 8 { some.all::<4>() } else { some.all::<8>() }
    }
}

/// A bit for each lane that is below the pivot, or not above it.
#[inline(always)]
unsafe fn bits_below<V: Vector, const EQUAL: bool>(x: V, pivot: V) -> Bits {
    // SAFETY: guaranteed by the caller.
    unsafe { if EQUAL { !pivot.below(x) & (Bits::MAX >> (16 - V::LANES)) } else { x.below(pivot) } }
}

/// Moves those below the pivot, or not above it, to the beginning of the slice where all are to be, which is `from` if they
/// stay, and the rest to the beginning of the other one; says how many were below.
#[inline(always)]
unsafe fn around<V: Vector, const EQUAL: bool>(
    from: &mut [V::Word],
    other: &mut [V::Word],
    stays: bool,
    pivot: V,
) -> usize {
    let n = from.len();
    let (from, other) = (from.as_mut_ptr(), other.as_mut_ptr());
    let (lows, highs) = if stays { (from, other) } else { (other, from) };
    let (mut low_end, mut high_end, mut at) = (lows, highs, 0);
    // SAFETY: guaranteed by the caller. Neither side has more words than have been read, so that a whole vector fits, and
    // replaces none that has not been read yet; what is stored behind the last word of a side is replaced.
    unsafe {
        macro_rules! store {
            ($x:expr) => {
                let low = bits_below::<V, EQUAL>($x, pivot);
                let count = low.count_ones() as usize;
                $x.compress(low).store(low_end);
                $x.compress(!low).store(high_end);
                (low_end, high_end) = (low_end.add(count), high_end.add(V::LANES - count));
            };
        }
        while at + 4 * V::LANES <= n {
            let next = from.add(at);
            let a = V::load(next);
            let b = V::load(next.add(V::LANES));
            let c = V::load(next.add(2 * V::LANES));
            let d = V::load(next.add(3 * V::LANES));
            store!(a);
            store!(b);
            store!(c);
            store!(d);
            at += 4 * V::LANES;
        }
        while at + V::LANES <= n {
            let x = V::load(from.add(at));
            store!(x);
            at += V::LANES;
        }
        // Fewer words than lanes.
        if at < n {
            let all = (1 << (n - at)) - 1;
            let x = V::highest().load_first(from.add(at), n - at);
            let low = bits_below::<V, EQUAL>(x, pivot) & all;
            let count = low.count_ones() as usize;
            x.compress(low).store_first(low_end, count);
            x.compress(!low & all).store_first(high_end, n - at - count);
            low_end = low_end.add(count);
        }
        low_end.offset_from(lows) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::simd::Level;

    fn are_sorted<W: Copy + Ord + Default>(word: impl Fn(u64) -> W, sort: unsafe fn(&mut [W], &mut [W])) {
        let mut random = Random::new(83);
        for n in (0..300).chain([500, 1023, 5000]) {
            for kind in 0..5 {
                let key = |random: &mut Random, i: u64| match kind {
                    0 => random.bits(),
                    1 => random.below(3) as u64,
                    2 => i,
                    3 => u64::MAX - i,
                    _ => u64::MAX - random.below(2) as u64,
                };
                let mut words: Vec<W> = (0..n as u64).map(|i| word(key(&mut random, i))).collect();
                let mut expected = words.clone();
                expected.sort_unstable();
                let mut spare = vec![W::default(); n];
                // SAFETY: the level says that the host has the instructions.
                unsafe { sort(&mut words, &mut spare) };
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
