//! The inner loop of heat in AVX-512 registers.
//!
//! A cell needs the one to its left and the one to its right. Loads that are shifted by one cell always straddle two
//! cache lines, and cannot be forwarded from recent stores. So cells are loaded in registers that lie in one line, and
//! neighbours are combined from two registers by shifts. Only the left neighbours in the row itself, which was stored
//! long before, are loaded again, because shifts are the bottleneck.

use std::arch::x86_64::*;

use crate::heat::{DIAGONAL, DIRECT};
use crate::{Element, Float};

macro_rules! between {
    ($name:ident $t:ty, $v:ty, $bits:ty, $lanes:literal, $mask:ty, $left:literal, $align:ident, $splat:ident,
     $load:ident $store:ident,
     $load_some:ident, $store_some:ident, $plus:ident $minus:ident $times:ident, $int:ident $float:ident,
     $splat_int:ident $abs:ident $max_of:ident $max_some:ident $max:ident) => {
        /// Like [`between`], but for one type.
        ///
        /// # Safety
        ///
        /// The host must have AVX-512 F and DQ. The lines must be valid for `n` cells, the one before and the one
        /// after, the conductivity and the result for `n` cells.
        #[inline]
        #[target_feature(enable = "avx512f,avx512dq")]
        unsafe fn $name(lines: [*const $t; 3], w: *const $t, new: *mut $t, n: usize) -> $bits {
            let [above, here, below] = lines;
            let (one, direct, diagonal) = ($splat(1.0), $splat(DIRECT as $t), $splat(DIAGONAL as $t));
            let mut largest = $splat_int(0);
            // SAFETY: guaranteed by the caller. Loads are masked after the last valid cell.
            unsafe {
                // The sums of the cells above and below, and the cells themselves, in a register.
                let upright = |j: usize| ($plus($load(above.add(j)), $load(below.add(j))), $load(here.add(j)));
                // As many of them as there are up to the cell after the last.
                let rest = |j: usize| {
                    let some = ((1_u32 << (n + 1 - j).min($lanes)) - 1) as $mask;
                    let load = |line: *const $t| $load_some(some, line.add(j));
                    ($plus(load(above), load(below)), load(here))
                };
                let left = |at, before| $float($align::<$left>($int(at), $int(before)));
                let right = |at, behind| $float($align::<1>($int(behind), $int(at)));
                let step = |before: $v, left_of: $v, at: ($v, $v), behind: ($v, $v), w: $v| {
                    let beside = $plus(left_of, right(at.1, behind.1));
                    let corners = $plus(left(at.0, before), right(at.0, behind.0));
                    let around = $plus($times($plus(at.0, beside), direct), $times(corners, diagonal));
                    $plus($times(w, at.1), $times($minus(one, w), around))
                };
                let mut before = ($splat(*above.sub(1) + *below.sub(1)), $splat(*here.sub(1)));
                let mut at = if n + 1 >= $lanes { upright(0) } else { rest(0) };
                let mut j = 0;
                macro_rules! cells {
                    ($before:expr, $at:expr, $behind:expr, $j:expr) => {
                        let next = step($before.0, $load(here.add($j).sub(1)), $at, $behind, $load(w.add($j)));
                        $store(new.add($j), next);
                        largest = $max_of(largest, $int($abs($minus(next, $at.1))));
                    };
                }
                // Three at a time: then each is in the same registers again, and none has to be moved.
                while j + 4 * $lanes <= n + 1 {
                    let first = upright(j + $lanes);
                    cells!(before, at, first, j);
                    let second = upright(j + 2 * $lanes);
                    cells!(at, first, second, j + $lanes);
                    let third = upright(j + 3 * $lanes);
                    cells!(first, second, third, j + 2 * $lanes);
                    (before, at) = (second, third);
                    j += 3 * $lanes;
                }
                while j + 2 * $lanes <= n + 1 {
                    let behind = upright(j + $lanes);
                    cells!(before, at, behind, j);
                    (before, at) = (at, behind);
                    j += $lanes;
                }
                while j < n {
                    // After the last register at most one cell counts, and only if the register is full.
                    let behind = if n + 1 > j + $lanes { rest(j + $lanes) } else { at };
                    let some = ((1_u32 << (n - j).min($lanes)) - 1) as $mask;
                    let next = step(before.0, left(at.1, before.1), at, behind, $load_some(some, w.add(j)));
                    $store_some(new.add(j), some, next);
                    largest = $max_some(largest, some, largest, $int($abs($minus(next, at.1))));
                    (before, at) = (at, behind);
                    j += $lanes;
                }
            }
            $max(largest)
        }
    };
}

between!(between_f64 f64, __m512d, i64, 8, __mmask8, 7, _mm512_alignr_epi64, _mm512_set1_pd, _mm512_loadu_pd _mm512_storeu_pd,
    _mm512_maskz_loadu_pd, _mm512_mask_storeu_pd, _mm512_add_pd _mm512_sub_pd _mm512_mul_pd,
    _mm512_castpd_si512 _mm512_castsi512_pd, _mm512_set1_epi64 _mm512_abs_pd _mm512_max_epi64 _mm512_mask_max_epi64
    _mm512_reduce_max_epi64);
between!(between_f32 f32, __m512, i32, 16, __mmask16, 15, _mm512_alignr_epi32, _mm512_set1_ps, _mm512_loadu_ps _mm512_storeu_ps,
    _mm512_maskz_loadu_ps, _mm512_mask_storeu_ps, _mm512_add_ps _mm512_sub_ps _mm512_mul_ps,
    _mm512_castps_si512 _mm512_castsi512_ps, _mm512_set1_epi32 _mm512_abs_ps _mm512_max_epi32 _mm512_mask_max_epi32
    _mm512_reduce_max_epi32);

/// The next temperatures of cells in a row, and the bits of the largest change; the lines around them begin one cell
/// before them and end one after them.
///
/// # Safety
///
/// The host must have AVX-512 F and DQ.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) unsafe fn between<T: Float>(above: &[T], here: &[T], below: &[T], w: &[T], new: &mut [T]) -> T::Bits {
    let n = new.len();
    assert!(above.len() >= n + 2 && here.len() >= n + 2 && below.len() >= n + 2 && w.len() >= n);
    let lines = [above, here, below];
    macro_rules! with {
        ($($name:ident $t:ty),*) => {
            match T::NAME {
                $(<$t as Element>::NAME => {
                    // SAFETY: names are unique, so `T` is this type, and its bits are those of the result. All slices
                    // are long enough, as asserted; the rest is guaranteed by the caller.
                    unsafe {
                        let lines = lines.map(|line| line.as_ptr().add(1).cast::<$t>());
                        let (w, new) = (w.as_ptr().cast(), new.as_mut_ptr().cast());
                        let bits = $name(lines, w, new, n);
                        (&raw const bits).cast::<T::Bits>().read()
                    }
                })*
                _ => super::rows::between(above, here, below, w, new),
            }
        };
    }
    with!(between_f64 f64, between_f32 f32)
}
