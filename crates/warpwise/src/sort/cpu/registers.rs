//! Records that fit the caches, sorted by all their bits in the vector registers of AVX-512: parts around pivots, down to
//! parts that fit registers, which a bitonic network sorts.

use std::arch::x86_64::*;

/// Vectors of the largest part that is sorted in registers.
const MOST: usize = 8;

/// Words in a register.
const LANES: usize = 16;

/// A register of unsigned integers. All functions need AVX-512 (F, DQ, BW, VL).
#[derive(Clone, Copy)]
struct Words(__m512i);

impl Words {
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Self {
        // SAFETY: guaranteed by the caller, as in all of these functions.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u32) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    /// Stores the first lanes.
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u32, lanes: usize) {
        // SAFETY: as above.
        unsafe { _mm512_mask_storeu_epi32(to.cast(), ((1_u32 << lanes) - 1) as u16, self.0) }
    }

    #[inline(always)]
    unsafe fn of(word: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_set1_epi32(word as i32) })
    }

    #[inline(always)]
    unsafe fn smaller(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_min_epu32(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_max_epu32(self.0, other.0) })
    }

    /// Each lane from the one whose number differs in the bits of `X`.
    #[inline(always)]
    unsafe fn partners<const X: usize>(self) -> Self {
        const fn places<const X: usize>() -> [u32; LANES] {
            let (mut places, mut lane) = ([0; LANES], 0);
            while lane < LANES {
                places[lane] = (lane ^ X) as u32;
                lane += 1;
            }
            places
        }
        let places = const { places::<X>() };
        // SAFETY: as above; there are as many places as lanes.
        Self(unsafe { _mm512_permutexvar_epi32(_mm512_loadu_si512(places.as_ptr().cast()), self.0) })
    }

    /// The lanes with a bit from the second, the others from the first.
    #[inline(always)]
    unsafe fn blend(bits: u16, first: Self, second: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mask_blend_epi32(bits, first.0, second.0) })
    }

    /// A bit for each lane that is below another's.
    #[inline(always)]
    unsafe fn below(self, other: Self) -> u16 {
        // SAFETY: as above.
        unsafe { _mm512_cmplt_epu32_mask(self.0, other.0) }
    }

    /// The lanes with a bit, side by side.
    #[inline(always)]
    unsafe fn compress(self, bits: u16) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_maskz_compress_epi32(bits, self.0) })
    }
}

/// Sorts records in place, with as much room beside them.
///
/// # Safety
///
/// The host must have AVX-512 (F, DQ, BW, VL).
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn sort(records: &mut [u32], spare: &mut [u32]) {
    assert_eq!(records.len(), spare.len());
    let depth = 2 * (usize::BITS - records.len().leading_zeros());
    // SAFETY: guaranteed by the caller.
    unsafe { part(records, spare, true, depth) };
}

/// Sorts `from`, to there or to the other slice.
///
/// # Safety
///
/// As for [`sort`]; both slices have the same length.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn part(from: &mut [u32], other: &mut [u32], stays: bool, depth: u32) {
    let n = from.len();
    // SAFETY: guaranteed by the caller.
    unsafe {
        if n <= MOST * LANES {
            let to = if stays { from.as_mut_ptr() } else { other.as_mut_ptr() };
            return match n.div_ceil(LANES) {
                0 => {}
                1 => few::<1>(from, to),
                2 => few::<2>(from, to),
                3 | 4 => few::<4>(from, to),
                _ => few::<MOST>(from, to),
            };
        }
        if depth == 0 {
            // Pivots were bad too often.
            from.sort_unstable();
            if !stays {
                other.copy_from_slice(from);
            }
            return;
        }
        let pivot = pivot(from);
        let below = around::<false>(from, other, pivot);
        if below == 0 {
            // The pivot is the lowest, and all that are equal to it come first.
            let equal = around::<true>(from, other, pivot);
            if stays {
                from[..equal].copy_from_slice(&other[..equal]);
            }
            return part(&mut other[equal..], &mut from[equal..], !stays, depth - 1);
        }
        part(&mut other[..below], &mut from[..below], !stays, depth - 1);
        part(&mut other[below..], &mut from[below..], !stays, depth - 1);
    }
}

/// The median of a few records.
#[inline(always)]
unsafe fn pivot(from: &[u32]) -> u32 {
    let mut some = [u32::MAX; LANES];
    let step = from.len() / LANES;
    for (i, word) in some.iter_mut().enumerate() {
        *word = from[i * step + step / 2];
    }
    // SAFETY: guaranteed by the caller; there are as many as lanes.
    unsafe { sorted(Words::load(some.as_ptr())).store(some.as_mut_ptr()) };
    some[LANES / 2]
}

/// Moves those below the pivot, or not above it, to the beginning of the other slice, and the rest to its end; says how
/// many were below.
#[inline(always)]
unsafe fn around<const EQUAL: bool>(from: &[u32], to: &mut [u32], pivot: u32) -> usize {
    let (mut left, mut right) = (0, to.len());
    let (vectors, rest) = from.split_at(from.len() / LANES * LANES);
    let to = to.as_mut_ptr();
    // SAFETY: guaranteed by the caller. As many places are free as records are left, so that a whole vector fits, and
    // what is stored behind the left ones is replaced.
    unsafe {
        let limit = Words::of(pivot);
        for vector in vectors.chunks_exact(LANES) {
            let x = Words::load(vector.as_ptr());
            let low = if EQUAL { !limit.below(x) } else { x.below(limit) };
            let count = low.count_ones() as usize;
            x.compress(low).store(to.add(left));
            left += count;
            right -= LANES - count;
            x.compress(!low).store_first(to.add(right), LANES - count);
        }
        // To both ends, without a branch that would be guessed wrong half of the time; one of them stays.
        for &x in rest {
            let low = x < pivot || (EQUAL && x == pivot);
            to.add(left).write(x);
            to.add(right - 1).write(x);
            left += usize::from(low);
            right -= usize::from(!low);
        }
    }
    left
}

/// Sorts records that fit N registers.
#[inline(always)]
unsafe fn few<const N: usize>(from: &[u32], to: *mut u32) {
    let mut room = [u32::MAX; MOST * LANES];
    room[..from.len()].copy_from_slice(from);
    // SAFETY: guaranteed by the caller; there is room for N registers, and for the records where they go.
    unsafe {
        // No closures: they would be compiled without the instructions.
        let mut v = [Words::of(u32::MAX); N];
        for (i, v) in v.iter_mut().enumerate() {
            *v = sorted(Words::load(room.as_ptr().add(i * LANES)));
        }
        let mut width = 1;
        while width < N {
            for first in (0..N).step_by(2 * width) {
                merge(&mut v[first..first + 2 * width]);
            }
            width *= 2;
        }
        for (i, v) in v.iter().enumerate() {
            v.store(room.as_mut_ptr().add(i * LANES));
        }
        std::ptr::copy_nonoverlapping(room.as_ptr(), to, from.len());
    }
}

/// Merges two sorted halves. The second is taken backwards: then the smaller ones of each pair belong to the first half,
/// and both halves are bitonic.
#[inline(always)]
unsafe fn merge(v: &mut [Words]) {
    let half = v.len() / 2;
    // SAFETY: guaranteed by the caller.
    unsafe {
        for i in 0..half.div_ceil(2) {
            let j = half - 1 - i;
            let (a, b) = (v[i], reversed(v[half + j]));
            let (c, d) = (v[j], reversed(v[half + i]));
            (v[i], v[half + i]) = (a.smaller(b), a.larger(b));
            (v[j], v[half + j]) = (c.smaller(d), c.larger(d));
        }
        let mut distance = half / 2;
        while distance > 0 {
            for first in (0..v.len()).step_by(2 * distance) {
                for i in first..first + distance {
                    (v[i], v[i + distance]) = (v[i].smaller(v[i + distance]), v[i].larger(v[i + distance]));
                }
            }
            distance /= 2;
        }
        for v in v {
            *v = settled(*v);
        }
    }
}

/// A step of a network: lanes whose numbers differ in the bits of X are put in order.
#[inline(always)]
unsafe fn step<const X: usize>(v: Words) -> Words {
    const fn upper(x: usize) -> u16 {
        let (top, mut bits, mut lane) = (1 << x.ilog2(), 0, 0);
        while lane < LANES {
            if lane & top != 0 {
                bits |= 1 << lane;
            }
            lane += 1;
        }
        bits
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        let other = v.partners::<X>();
        Words::blend(const { upper(X) }, v.smaller(other), v.larger(other))
    }
}

#[inline(always)]
unsafe fn reversed(v: Words) -> Words {
    // SAFETY: guaranteed by the caller.
    unsafe { v.partners::<15>() }
}

/// A bitonic register in order.
#[inline(always)]
unsafe fn settled(v: Words) -> Words {
    // SAFETY: guaranteed by the caller.
    unsafe { step::<1>(step::<2>(step::<4>(step::<8>(v)))) }
}

/// A register in order.
#[inline(always)]
unsafe fn sorted(v: Words) -> Words {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let pairs = step::<1>(v);
        let fours = step::<1>(step::<3>(pairs));
        let eights = step::<1>(step::<2>(step::<7>(fours)));
        step::<1>(step::<2>(step::<4>(step::<15>(eights))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::simd::Level;

    #[test]
    fn any_records_are_sorted() {
        if !matches!(Level::current(), Level::Avx512(_)) {
            return;
        }
        let mut random = Random::new(83);
        for n in [0, 1, 2, 15, 16, 17, 33, 64, 127, 128, 129, 500, 5000] {
            for kind in 0..5 {
                let key = |random: &mut Random, i: usize| match kind {
                    0 => random.bits() as u32,
                    1 => random.below(3) as u32,
                    2 => i as u32,
                    3 => u32::MAX - i as u32,
                    _ => u32::MAX - random.below(2) as u32,
                };
                let mut records: Vec<u32> = (0..n).map(|i| key(&mut random, i)).collect();
                let mut expected = records.clone();
                expected.sort_unstable();
                let mut spare = vec![0; n];
                // SAFETY: the level says that the host has the instructions.
                unsafe { sort(&mut records, &mut spare) };
                assert!(records == expected, "{n} records of kind {kind}");
            }
        }
    }
}
