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

    /// Loads the first lanes; the others stay.
    #[inline(always)]
    unsafe fn load_first(self, from: *const u32, lanes: usize) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mask_loadu_epi32(self.0, ((1_u32 << lanes) - 1) as u16, from.cast()) })
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
            let (from, to) = (from.as_ptr(), if stays { from.as_mut_ptr() } else { other.as_mut_ptr() });
            return match n.div_ceil(LANES) {
                0 => {}
                1 => one(from, n, to),
                2 => two(from, n, to),
                3 => three(from, n, to),
                4 => four(from, n, to),
                5 | 6 => six(from, n, to),
                _ => eight(from, n, to),
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
        let mut below = around::<false>(from, other, stays, pivot);
        let none = below == 0;
        if none {
            // The pivot is the lowest, and all that are equal to it come first.
            if stays {
                from.copy_from_slice(other);
            }
            below = around::<true>(from, other, stays, pivot);
        }
        // Those below are where they are to be, and the others at the beginning of the other slice.
        let (result, rest) = if stays { (from, other) } else { (other, from) };
        let (low, high) = result.split_at_mut(below);
        let (highs, room) = rest.split_at_mut(n - below);
        if !none {
            part(low, room, true, depth - 1);
        }
        part(highs, high, false, depth - 1);
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

/// Moves those below the pivot, or not above it, to the beginning of the slice where all are to be, which is `from` if they
/// stay, and the rest to the beginning of the other one; says how many were below.
#[inline(always)]
unsafe fn around<const EQUAL: bool>(from: &mut [u32], other: &mut [u32], stays: bool, pivot: u32) -> usize {
    let n = from.len();
    let (from, other) = (from.as_mut_ptr(), other.as_mut_ptr());
    let (lows, highs) = if stays { (from, other) } else { (other, from) };
    let (mut low_end, mut high_end, mut at) = (lows, highs, 0);
    // SAFETY: guaranteed by the caller. Neither side has more records than have been read, so that a whole vector fits, and
    // replaces none that has not been read yet; what is stored behind the last record of a side is replaced.
    unsafe {
        let limit = Words::of(pivot);
        macro_rules! store {
            ($x:expr) => {
                let low = if EQUAL { !limit.below($x) } else { $x.below(limit) };
                let count = low.count_ones() as usize;
                $x.compress(low).store(low_end);
                $x.compress(!low).store(high_end);
                (low_end, high_end) = (low_end.add(count), high_end.add(LANES - count));
            };
        }
        while at + 4 * LANES <= n {
            let next = from.add(at);
            let a = Words::load(next);
            let b = Words::load(next.add(LANES));
            let c = Words::load(next.add(2 * LANES));
            let d = Words::load(next.add(3 * LANES));
            store!(a);
            store!(b);
            store!(c);
            store!(d);
            at += 4 * LANES;
        }
        while at + LANES <= n {
            let x = Words::load(from.add(at));
            store!(x);
            at += LANES;
        }
        // To both sides, without a branch that would be guessed wrong half of the time; one of them stays.
        while at < n {
            let x = from.add(at).read();
            let low = x < pivot || (EQUAL && x == pivot);
            low_end.write(x);
            high_end.write(x);
            low_end = low_end.add(usize::from(low));
            high_end = high_end.add(usize::from(!low));
            at += 1;
        }
        low_end.offset_from(lows) as usize
    }
}

/// How many of so many records are in a register.
#[inline(always)]
fn held(records: usize, register: usize) -> usize {
    records.saturating_sub(register * LANES).min(LANES)
}

/// Records in registers, each in order; what is left of the last ones is above all.
#[inline(always)]
unsafe fn load<const N: usize>(from: *const u32, n: usize) -> [Words; N] {
    // SAFETY: guaranteed by the caller; there are that many records.
    unsafe {
        let mut v = [Words::of(u32::MAX); N];
        let mut i = 0;
        // No iterators: their closures would be compiled without the instructions.
        while i < N {
            v[i] = sorted(v[i].load_first(from.wrapping_add(i * LANES), held(n, i)));
            i += 1;
        }
        v
    }
}

/// The first records to where they go.
#[inline(always)]
unsafe fn store<const N: usize>(v: [Words; N], to: *mut u32, n: usize) {
    // SAFETY: guaranteed by the caller; there is room for that many records.
    unsafe {
        let mut i = 0;
        while i < N {
            v[i].store_first(to.wrapping_add(i * LANES), held(n, i));
            i += 1;
        }
    }
}

/// Functions that sort records that fit some registers.
macro_rules! few {
    ($($name:ident $n:literal $v:ident $merged:expr;)*) => {$(
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $name(from: *const u32, n: usize, to: *mut u32) {
            // SAFETY: guaranteed by the caller; the records are all read before any is written.
            unsafe {
                let $v = load::<$n>(from, n);
                store($merged, to, n);
            }
        }
    )*};
}
few! {
    one 1 v v;
    two 2 v merge_2(v);
    three 3 v {
        let [a, b] = merge_2([v[0], v[1]]);
        // As with a fourth that is above all.
        let (b, c) = in_order(b, reversed(v[2]));
        let [a, b] = settle_2([a, b]);
        [a, b, settled(c)]
    };
    four 4 v merge_4(merge_2([v[0], v[1]]), merge_2([v[2], v[3]]));
    six 6 v {
        let [a, b, c, d] = merge_4(merge_2([v[0], v[1]]), merge_2([v[2], v[3]]));
        let [e, f] = merge_2([v[4], v[5]]);
        // As with a seventh and an eighth that are above all.
        let ((c, e), (d, f)) = (in_order(c, reversed(f)), in_order(d, reversed(e)));
        let ([a, b, c, d], [e, f]) = (settle_4([a, b, c, d]), settle_2([e, f]));
        [a, b, c, d, e, f]
    };
    eight 8 v {
        let first = merge_4(merge_2([v[0], v[1]]), merge_2([v[2], v[3]]));
        let second = merge_4(merge_2([v[4], v[5]]), merge_2([v[6], v[7]]));
        merge_8(first, second)
    };
}

/// The smaller ones and the larger ones of two registers.
#[inline(always)]
unsafe fn in_order(a: Words, b: Words) -> (Words, Words) {
    // SAFETY: guaranteed by the caller.
    unsafe { (a.smaller(b), a.larger(b)) }
}

// Merges of two sorted halves. The second is taken backwards: then the smaller ones of each pair belong to the first half,
// and both halves are bitonic.

#[inline(always)]
unsafe fn merge_2([a, b]: [Words; 2]) -> [Words; 2] {
    // SAFETY: guaranteed by the caller, as in all of these.
    unsafe { settle_2([a, reversed(b)]) }
}

#[inline(always)]
unsafe fn merge_4([a, b]: [Words; 2], [c, d]: [Words; 2]) -> [Words; 4] {
    // SAFETY: as above.
    unsafe { settle_4([a, b, reversed(d), reversed(c)]) }
}

#[inline(always)]
unsafe fn merge_8([a, b, c, d]: [Words; 4], [e, f, g, h]: [Words; 4]) -> [Words; 8] {
    // SAFETY: as above.
    unsafe {
        let [e, f, g, h] = [reversed(h), reversed(g), reversed(f), reversed(e)];
        let ((a, e), (b, f), (c, g), (d, h)) = (in_order(a, e), in_order(b, f), in_order(c, g), in_order(d, h));
        let ([a, b, c, d], [e, f, g, h]) = (settle_4([a, b, c, d]), settle_4([e, f, g, h]));
        [a, b, c, d, e, f, g, h]
    }
}

// Bitonic registers in order.

#[inline(always)]
unsafe fn settle_2([a, b]: [Words; 2]) -> [Words; 2] {
    // SAFETY: as above.
    unsafe {
        let (a, b) = in_order(a, b);
        [settled(a), settled(b)]
    }
}

#[inline(always)]
unsafe fn settle_4([a, b, c, d]: [Words; 4]) -> [Words; 4] {
    // SAFETY: as above.
    unsafe {
        let ((a, c), (b, d)) = (in_order(a, c), in_order(b, d));
        let ([a, b], [c, d]) = (settle_2([a, b]), settle_2([c, d]));
        [a, b, c, d]
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
