//! The inner loop in AVX2 registers: a table says for each mask how lanes move together.

use std::arch::x86_64::*;

use super::Condition;
use super::registers::cast;
use super::sift::Keep;
use crate::Element;
use crate::simd::ahead::Ahead;

/// Elements that are asked for at a time.
const STEP: usize = 64;

/// The lanes of a mask first, then any others: of eight lanes of four bytes, and of four lanes of eight.
static OF_8: [[u32; 8]; 256] = permutations::<256>(1);
static OF_4: [[u32; 8]; 16] = permutations::<16>(2);

/// A lane is so many words.
const fn permutations<const MASKS: usize>(words: usize) -> [[u32; 8]; MASKS] {
    let mut table = [[0; 8]; MASKS];
    let mut mask = 0;
    while mask < MASKS {
        let (mut lane, mut to) = (0, 0);
        while lane < 8 / words {
            if mask >> lane & 1 == 1 {
                let mut word = 0;
                while word < words {
                    table[mask][to] = (lane * words + word) as u32;
                    (to, word) = (to + 1, word + 1);
                }
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

/// Sifts as many elements as fill registers, or only counts; how many these are, and how many of them are kept.
///
/// # Safety
///
/// The host must have AVX2; a mask must have a byte for each element, and `to` must have room for all elements, unless
/// they are only counted.
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

/// The loop over registers. `$mask` is what is kept of the register that begins at element `$i`.
macro_rules! sifted {
    ($xs:ident, $to:ident, $lanes:literal, $table:ident, |$i:ident, $x:ident| $mask:expr) => {{
        let ahead = Ahead::within($xs);
        let mut kept = 0;
        for (step, xs) in $xs.chunks_exact(STEP).enumerate() {
            ahead.of(xs);
            for lane in (0..STEP).step_by($lanes) {
                let $i = step * STEP + lane;
                // SAFETY: the register is within the step.
                let $x = unsafe { _mm256_loadu_si256(xs.as_ptr().add(lane).cast()) };
                let mask: i32 = $mask;
                if WRITE {
                    // SAFETY: a row of the table is a register. No more elements are kept than were looked at, and there
                    // is room for all of these.
                    unsafe {
                        let order = _mm256_loadu_si256($table[mask as usize].as_ptr().cast());
                        _mm256_storeu_si256($to.add(kept).cast(), _mm256_permutevar8x32_epi32($x, order));
                    }
                }
                kept += mask.count_ones() as usize;
            }
        }
        ($xs.len() / STEP * STEP, kept)
    }};
}

/// The masks of a type's comparisons: `$less` of two registers, and `$equal`.
macro_rules! compare {
    ($($name:ident $t:ty, $lanes:literal, $table:ident, $splat:ident, $cast:expr, $all:literal, $equal:ident $less:ident;)*) => {$(
        /// # Safety
        ///
        /// As for [`sift`].
        #[target_feature(enable = "avx2,popcnt")]
        unsafe fn $name<const WRITE: bool>(xs: &[$t], condition: Condition<$t>, to: *mut $t) -> (usize, usize) {
            let value = $splat(condition.value());
            match condition {
                Condition::Equal(_) => sifted!(xs, to, $lanes, $table, |_i, x| $equal($cast(x), value)),
                Condition::NotEqual(_) => sifted!(xs, to, $lanes, $table, |_i, x| $all ^ $equal($cast(x), value)),
                Condition::Less(_) => sifted!(xs, to, $lanes, $table, |_i, x| $less($cast(x), value)),
                Condition::Greater(_) => sifted!(xs, to, $lanes, $table, |_i, x| $less(value, $cast(x))),
            }
        }
    )*};
}

compare! {
    where_i32 i32, 8, OF_8, _mm256_set1_epi32, same, 0xff, equal_words less_i32;
    where_u32 u32, 8, OF_8, splat_u32, same, 0xff, equal_words less_u32;
    where_f32 f32, 8, OF_8, _mm256_set1_ps, _mm256_castsi256_ps, 0xff, equal_f32 less_f32;
    where_f64 f64, 4, OF_4, _mm256_set1_pd, _mm256_castsi256_pd, 0xf, equal_f64 less_f64;
}

#[inline(always)]
fn same(x: __m256i) -> __m256i {
    x
}

macro_rules! masks {
    ($($name:ident($a:ident, $b:ident: $v:ty) $mask:expr;)*) => {$(
        #[inline]
        #[target_feature(enable = "avx2")]
        fn $name($a: $v, $b: $v) -> i32 {
            $mask
        }
    )*};
}

masks! {
    equal_words(a, b: __m256i) _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)));
    less_i32(a, b: __m256i) _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a)));
    // In the order of signed numbers once their highest bits are turned over.
    less_u32(a, b: __m256i) {
        let high = _mm256_set1_epi32(i32::MIN);
        less_i32(_mm256_xor_si256(a, high), _mm256_xor_si256(b, high))
    };
    equal_f32(a, b: __m256) _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b));
    less_f32(a, b: __m256) _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b));
    equal_f64(a, b: __m256d) _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_EQ_OQ>(a, b));
    less_f64(a, b: __m256d) _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, b));
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat_u32(x: u32) -> __m256i {
    _mm256_set1_epi32(x.cast_signed())
}

/// A bit for each of the first bytes that is not zero.
#[inline]
#[target_feature(enable = "avx2")]
fn not_zero(bytes: __m128i, all: i32) -> i32 {
    all & !_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()))
}

/// # Safety
///
/// As for [`sift`].
#[target_feature(enable = "avx2,popcnt")]
unsafe fn masked_4<const WRITE: bool>(xs: &[u32], mask: &[u8], to: *mut u32) -> (usize, usize) {
    sifted!(xs, to, 8, OF_8, |i, x| {
        // SAFETY: the mask has a byte for each of the 8 elements.
        not_zero(unsafe { _mm_loadl_epi64(mask.as_ptr().add(i).cast()) }, 0xff)
    })
}

/// # Safety
///
/// As for [`sift`].
#[target_feature(enable = "avx2,popcnt")]
unsafe fn masked_8<const WRITE: bool>(xs: &[u64], mask: &[u8], to: *mut u64) -> (usize, usize) {
    sifted!(xs, to, 4, OF_4, |i, x| {
        // SAFETY: the mask has a byte for each of the 4 elements.
        not_zero(_mm_cvtsi32_si128(unsafe { mask.as_ptr().add(i).cast::<i32>().read_unaligned() }), 0xf)
    })
}
