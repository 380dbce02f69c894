//! The inner loop in AVX-512 registers, which can be compressed: the lanes of a mask move together.

use std::arch::x86_64::*;

use super::Condition;
use super::sift::Keep;
use crate::Element;
use crate::simd::ahead::Ahead;

/// Elements that are asked for at a time.
const STEP: usize = 64;

/// Sifts as many elements as fill registers, or only counts; how many these are, and how many of them are kept.
///
/// # Safety
///
/// The host must have AVX-512 F, BW, DQ and VL; a mask must have a byte for each element, and `to` must have room for all
/// elements, unless they are only counted.
pub(super) unsafe fn sift<T: Element, const WRITE: bool>(xs: &[T], keep: Keep<'_, T>, to: *mut T) -> (usize, usize) {
    // SAFETY: the caller's promises.
    unsafe {
        match (T::NAME, keep) {
            (i32::NAME, Keep::Where(condition)) => {
                where_i32::<WRITE>(bytemuck::cast_slice(xs), cast(condition), to.cast())
            }
            (u32::NAME, Keep::Where(condition)) => {
                where_u32::<WRITE>(bytemuck::cast_slice(xs), cast(condition), to.cast())
            }
            (f32::NAME, Keep::Where(condition)) => {
                where_f32::<WRITE>(bytemuck::cast_slice(xs), cast(condition), to.cast())
            }
            (f64::NAME, Keep::Where(condition)) => {
                where_f64::<WRITE>(bytemuck::cast_slice(xs), cast(condition), to.cast())
            }
            (_, Keep::Mask(mask)) if size_of::<T>() == 4 => {
                masked_4::<WRITE>(bytemuck::cast_slice(xs), mask, to.cast())
            }
            (_, Keep::Mask(mask)) if size_of::<T>() == 8 => {
                masked_8::<WRITE>(bytemuck::cast_slice(xs), mask, to.cast())
            }
            _ => (0, 0),
        }
    }
}

/// The condition with the same bits in another type of the same width.
pub(super) fn cast<T: Element, R: Element>(condition: Condition<T>) -> Condition<R> {
    match condition {
        Condition::Equal(value) => Condition::Equal(bytemuck::cast(value)),
        Condition::NotEqual(value) => Condition::NotEqual(bytemuck::cast(value)),
        Condition::Less(value) => Condition::Less(bytemuck::cast(value)),
        Condition::Greater(value) => Condition::Greater(bytemuck::cast(value)),
    }
}

/// The loop over registers. `$mask` is what is kept of the register that begins at element `$i`.
macro_rules! sifted {
    ($xs:ident, $to:ident, $lanes:literal, $compress:ident, |$i:ident, $x:ident| $mask:expr) => {{
        let ahead = Ahead::within($xs);
        let mut kept = 0;
        for (step, xs) in $xs.chunks_exact(STEP).enumerate() {
            ahead.of(xs);
            for lane in (0..STEP).step_by($lanes) {
                let $i = step * STEP + lane;
                // SAFETY: the register is within the step.
                let $x = unsafe { _mm512_loadu_si512(xs.as_ptr().add(lane).cast()) };
                let mask = $mask;
                if WRITE {
                    // SAFETY: no more elements are kept than were looked at, and there is room for all of these.
                    unsafe { _mm512_storeu_si512($to.add(kept).cast(), $compress(mask, $x)) };
                }
                kept += mask.count_ones() as usize;
            }
        }
        ($xs.len() / STEP * STEP, kept)
    }};
}

macro_rules! compare {
    ($($name:ident $t:ty, $lanes:literal, $splat:ident, $cast:expr, $compare:ident ($equal:ident $not_equal:ident
        $less:ident $greater:ident), $compress:ident;)*) => {$(
        /// # Safety
        ///
        /// As for [`sift`].
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
        unsafe fn $name<const WRITE: bool>(xs: &[$t], condition: Condition<$t>, to: *mut $t) -> (usize, usize) {
            let value = $splat(condition.value());
            match condition {
                Condition::Equal(_) => sifted!(xs, to, $lanes, $compress, |_i, x| $compare::<$equal>($cast(x), value)),
                Condition::NotEqual(_) => {
                    sifted!(xs, to, $lanes, $compress, |_i, x| $compare::<$not_equal>($cast(x), value))
                }
                Condition::Less(_) => sifted!(xs, to, $lanes, $compress, |_i, x| $compare::<$less>($cast(x), value)),
                Condition::Greater(_) => {
                    sifted!(xs, to, $lanes, $compress, |_i, x| $compare::<$greater>($cast(x), value))
                }
            }
        }
    )*};
}

compare! {
    where_i32 i32, 16, _mm512_set1_epi32, same, _mm512_cmp_epi32_mask
        (_MM_CMPINT_EQ _MM_CMPINT_NE _MM_CMPINT_LT _MM_CMPINT_NLE), _mm512_maskz_compress_epi32;
    where_u32 u32, 16, splat_u32, same, _mm512_cmp_epu32_mask
        (_MM_CMPINT_EQ _MM_CMPINT_NE _MM_CMPINT_LT _MM_CMPINT_NLE), _mm512_maskz_compress_epi32;
    where_f32 f32, 16, _mm512_set1_ps, _mm512_castsi512_ps, _mm512_cmp_ps_mask
        (_CMP_EQ_OQ _CMP_NEQ_UQ _CMP_LT_OQ _CMP_GT_OQ), _mm512_maskz_compress_epi32;
    where_f64 f64, 8, _mm512_set1_pd, _mm512_castsi512_pd, _mm512_cmp_pd_mask
        (_CMP_EQ_OQ _CMP_NEQ_UQ _CMP_LT_OQ _CMP_GT_OQ), _mm512_maskz_compress_epi64;
}

#[inline(always)]
fn same(x: __m512i) -> __m512i {
    x
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat_u32(x: u32) -> __m512i {
    _mm512_set1_epi32(x.cast_signed())
}

/// # Safety
///
/// As for [`sift`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
unsafe fn masked_4<const WRITE: bool>(xs: &[u32], mask: &[u8], to: *mut u32) -> (usize, usize) {
    sifted!(xs, to, 16, _mm512_maskz_compress_epi32, |i, x| {
        // SAFETY: the mask has a byte for each of the 16 elements.
        let bytes = unsafe { _mm_loadu_si128(mask.as_ptr().add(i).cast()) };
        _mm_test_epi8_mask(bytes, bytes)
    })
}

/// # Safety
///
/// As for [`sift`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,popcnt")]
unsafe fn masked_8<const WRITE: bool>(xs: &[u64], mask: &[u8], to: *mut u64) -> (usize, usize) {
    sifted!(xs, to, 8, _mm512_maskz_compress_epi64, |i, x| {
        // SAFETY: the mask has a byte for each of the 8 elements.
        let bytes = unsafe { _mm_loadl_epi64(mask.as_ptr().add(i).cast()) };
        _mm_test_epi8_mask(bytes, bytes) as __mmask8
    })
}
