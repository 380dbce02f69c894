//! Vectors for loops that must hold their sums in registers.
//!
//! Element-wise loops are vectorised by the compiler. Tiles of sums are not, or not reliably: matrix multiply and the
//! convolutions choose their registers explicitly, through [`Vector`], and are compiled once for every level like the
//! rest.

use super::folds::Folds;
use crate::Element;

/// A register full of elements.
///
/// # Safety of the methods
///
/// The host must have the instructions: only a [`Kernel`](super::Kernel) run by [`Level`](super::Level) may call them.
/// Pointers must be valid for [`LANES`](Vector::LANES) elements, and need no alignment.
pub(crate) trait Vector: Folds {
    type Element: Element;
    /// Elements in a register.
    const LANES: usize;

    unsafe fn splat(x: Self::Element) -> Self;
    unsafe fn load(from: *const Self::Element) -> Self;
    unsafe fn store(self, to: *mut Self::Element);
    /// Only the first elements, fewer than the lanes; the contents of the other lanes are unspecified.
    unsafe fn load_first(from: *const Self::Element, count: usize) -> Self;
    unsafe fn store_first(self, to: *mut Self::Element, count: usize);
    /// Four rows of as many elements as there are lanes become columns of four, `apart` elements from one to the next.
    #[inline(always)]
    unsafe fn transpose(rows: [*const Self::Element; 4], to: *mut Self::Element, apart: usize) {
        for j in 0..Self::LANES {
            for (i, row) in rows.iter().enumerate() {
                // SAFETY: rows are valid for all lanes, and every column for four elements.
                unsafe { *to.add(j * apart + i) = *row.add(j) };
            }
        }
    }
    unsafe fn plus(self, other: Self) -> Self;
    /// `self * factor + addend`, rounded as [`scalar_times_plus`](Vector::scalar_times_plus) does.
    unsafe fn times_plus(self, factor: Self, addend: Self) -> Self;
    fn scalar_times_plus(x: Self::Element, factor: Self::Element, addend: Self::Element) -> Self::Element;
}

/// An element type with registers at every level.
pub(crate) trait Lanes: Element {
    type Base: Vector<Element = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx2: Vector<Element = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx512: Vector<Element = Self>;
}

/// Sixteen bytes, a register size of every architecture.
impl<T: Element, const N: usize> Vector for [T; N] {
    type Element = T;
    const LANES: usize = N;

    #[inline(always)]
    unsafe fn splat(x: T) -> Self {
        [x; N]
    }
    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: the caller's pointer is valid for N elements, and an array has the alignment of its elements.
        unsafe { from.cast::<Self>().read() }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: as for `load`.
        unsafe { to.cast::<Self>().write(self) }
    }
    #[inline(always)]
    unsafe fn load_first(from: *const T, count: usize) -> Self {
        // SAFETY: the caller's pointer is valid for `count` elements.
        std::array::from_fn(|i| if i < count { unsafe { *from.add(i) } } else { T::ZERO })
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut T, count: usize) {
        for (i, &x) in self[..count].iter().enumerate() {
            // SAFETY: as for `load_first`.
            unsafe { *to.add(i) = x };
        }
    }
    #[inline(always)]
    unsafe fn plus(self, other: Self) -> Self {
        let mut sum = self;
        for i in 0..N {
            sum[i] = self[i].plus(other[i]);
        }
        sum
    }
    #[inline(always)]
    unsafe fn times_plus(self, factor: Self, addend: Self) -> Self {
        let mut sum = addend;
        for i in 0..N {
            sum[i] = Self::scalar_times_plus(self[i], factor[i], addend[i]);
        }
        sum
    }
    #[inline(always)]
    fn scalar_times_plus(x: T, factor: T, addend: T) -> T {
        x.times(factor).plus(addend)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Vector;
    use crate::{Element, Float};

    macro_rules! vector {
        ($v:ty, $t:ty, $lanes:literal, $splat:ident, $load:ident, $store:ident, $cast:ty, $plus:ident,
         $first:expr, $load_first:ident, $store_first:ident $(, $transpose:ident)?;
         |$x:ident, $f:ident, $a:ident| $times_plus:expr, $scalar:expr) => {
            impl Vector for $v {
                type Element = $t;
                const LANES: usize = $lanes;

                #[inline(always)]
                unsafe fn splat(x: $t) -> Self {
                    // SAFETY: the caller has checked for the instruction.
                    unsafe { $splat(x) }
                }
                #[inline(always)]
                unsafe fn load(from: *const $t) -> Self {
                    // SAFETY: as above, and the caller's pointer is valid for a register.
                    unsafe { $load(from.cast::<$cast>()) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $t) {
                    // SAFETY: as for `load`.
                    unsafe { $store(to.cast::<$cast>(), self) }
                }
                #[inline(always)]
                unsafe fn load_first(from: *const $t, count: usize) -> Self {
                    // SAFETY: as above; lanes that are not asked for are not read.
                    unsafe { $load_first(from, $first(count)) }
                }
                #[inline(always)]
                unsafe fn store_first(self, to: *mut $t, count: usize) {
                    // SAFETY: as above; lanes that are not asked for are not written.
                    unsafe { $store_first(to, $first(count), self) }
                }
                $(#[inline(always)]
                unsafe fn transpose(rows: [*const $t; 4], to: *mut $t, apart: usize) {
                    // SAFETY: guaranteed by the caller.
                    unsafe { $transpose(rows, to, apart) }
                })?
                #[inline(always)]
                unsafe fn plus(self, other: Self) -> Self {
                    // SAFETY: the caller has checked for the instruction.
                    unsafe { $plus(self, other) }
                }
                #[inline(always)]
                unsafe fn times_plus(self, factor: Self, addend: Self) -> Self {
                    let ($x, $f, $a) = (self, factor, addend);
                    // SAFETY: the caller has checked for the instruction.
                    unsafe { $times_plus }
                }
                #[inline(always)]
                fn scalar_times_plus(x: $t, factor: $t, addend: $t) -> $t {
                    $scalar(x, factor, addend)
                }
            }
        };
    }

    #[inline(always)]
    fn fused<T: Float>(x: T, factor: T, addend: T) -> T {
        x.times_plus::<true>(factor, addend)
    }

    #[inline(always)]
    fn wrapping(x: i32, factor: i32, addend: i32) -> i32 {
        x.times(factor).plus(addend)
    }

    /// The mask of the first lanes: of AVX-512 as bits, of AVX2 as lanes whose sign is set.
    #[inline(always)]
    fn first_16(count: usize) -> __mmask16 {
        ((1_u32 << count) - 1) as __mmask16
    }

    #[inline(always)]
    fn first_of_8(count: usize) -> __mmask8 {
        ((1_u32 << count) - 1) as __mmask8
    }

    /// Loads with the arguments in the order of AVX2.
    macro_rules! load {
        ($($name:ident $t:ty, $mask:ty, $v:ty, $load:ident;)*) => {$(
            /// # Safety
            ///
            /// The pointer must be valid for the lanes of the mask.
            #[inline]
            #[target_feature(enable = "avx512f")]
            unsafe fn $name(from: *const $t, mask: $mask) -> $v {
                // SAFETY: guaranteed by the caller.
                unsafe { $load(mask, from) }
            }
        )*};
    }

    load! {
        load_f32 f32, __mmask16, __m512, _mm512_maskz_loadu_ps;
        load_f64 f64, __mmask8, __m512d, _mm512_maskz_loadu_pd;
        load_i32 i32, __mmask16, __m512i, _mm512_maskz_loadu_epi32;
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn first_8(count: usize) -> __m256i {
        _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn first_4(count: usize) -> __m256i {
        _mm256_cmpgt_epi64(_mm256_set1_epi64x(count as i64), _mm256_setr_epi64x(0, 1, 2, 3))
    }

    /// In every 128 bits four rows of four become four columns.
    ///
    /// # Safety
    ///
    /// As for [`Vector::transpose`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn transpose_16_f32(rows: [*const f32; 4], to: *mut f32, apart: usize) {
        // SAFETY: rows are valid for 16 elements.
        let [a, b, c, d] = rows.map(|row| unsafe { _mm512_loadu_ps(row) });
        let (ab, cd) = (_mm512_castps_pd(_mm512_unpacklo_ps(a, b)), _mm512_castps_pd(_mm512_unpacklo_ps(c, d)));
        let (ef, gh) = (_mm512_castps_pd(_mm512_unpackhi_ps(a, b)), _mm512_castps_pd(_mm512_unpackhi_ps(c, d)));
        let columns = [
            _mm512_unpacklo_pd(ab, cd),
            _mm512_unpackhi_pd(ab, cd),
            _mm512_unpacklo_pd(ef, gh),
            _mm512_unpackhi_pd(ef, gh),
        ];
        for (j, column) in columns.into_iter().map(|column| _mm512_castpd_ps(column)).enumerate() {
            // SAFETY: there are 16 columns that are valid for four elements.
            unsafe {
                _mm_storeu_ps(to.add(j * apart), _mm512_castps512_ps128(column));
                _mm_storeu_ps(to.add((4 + j) * apart), _mm512_extractf32x4_ps::<1>(column));
                _mm_storeu_ps(to.add((8 + j) * apart), _mm512_extractf32x4_ps::<2>(column));
                _mm_storeu_ps(to.add((12 + j) * apart), _mm512_extractf32x4_ps::<3>(column));
            }
        }
    }

    /// # Safety
    ///
    /// As for [`Vector::transpose`].
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn transpose_8_f32(rows: [*const f32; 4], to: *mut f32, apart: usize) {
        // SAFETY: rows are valid for 8 elements.
        let [a, b, c, d] = rows.map(|row| unsafe { _mm256_loadu_ps(row) });
        let (ab, cd) = (_mm256_castps_pd(_mm256_unpacklo_ps(a, b)), _mm256_castps_pd(_mm256_unpacklo_ps(c, d)));
        let (ef, gh) = (_mm256_castps_pd(_mm256_unpackhi_ps(a, b)), _mm256_castps_pd(_mm256_unpackhi_ps(c, d)));
        let columns = [
            _mm256_unpacklo_pd(ab, cd),
            _mm256_unpackhi_pd(ab, cd),
            _mm256_unpacklo_pd(ef, gh),
            _mm256_unpackhi_pd(ef, gh),
        ];
        for (j, column) in columns.into_iter().map(|column| _mm256_castpd_ps(column)).enumerate() {
            // SAFETY: there are 8 columns that are valid for four elements.
            unsafe {
                _mm_storeu_ps(to.add(j * apart), _mm256_castps256_ps128(column));
                _mm_storeu_ps(to.add((4 + j) * apart), _mm256_extractf128_ps::<1>(column));
            }
        }
    }

    /// # Safety
    ///
    /// As for [`Vector::transpose`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn transpose_8_f64(rows: [*const f64; 4], to: *mut f64, apart: usize) {
        // SAFETY: rows are valid for 8 elements.
        let [a, b, c, d] = rows.map(|row| unsafe { _mm512_loadu_pd(row) });
        let (first, second) =
            (_mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15));
        let pairs = [
            (_mm512_unpacklo_pd(a, b), _mm512_unpacklo_pd(c, d)),
            (_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d)),
        ];
        for (j, (ab, cd)) in pairs.into_iter().enumerate() {
            for (j, order) in [(j, first), (4 + j, second)] {
                let columns = _mm512_permutex2var_pd(ab, order, cd);
                // SAFETY: there are 8 columns that are valid for four elements.
                unsafe {
                    _mm256_storeu_pd(to.add(j * apart), _mm512_castpd512_pd256(columns));
                    _mm256_storeu_pd(to.add((2 + j) * apart), _mm512_extractf64x4_pd::<1>(columns));
                }
            }
        }
    }

    /// # Safety
    ///
    /// As for [`Vector::transpose`].
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn transpose_4_f64(rows: [*const f64; 4], to: *mut f64, apart: usize) {
        // SAFETY: rows are valid for 4 elements.
        let [a, b, c, d] = rows.map(|row| unsafe { _mm256_loadu_pd(row) });
        let (low, more) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
        let (high, most) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
        // SAFETY: there are 4 columns that are valid for four elements.
        unsafe {
            _mm256_storeu_pd(to, _mm256_permute2f128_pd::<0x20>(low, more));
            _mm256_storeu_pd(to.add(apart), _mm256_permute2f128_pd::<0x20>(high, most));
            _mm256_storeu_pd(to.add(2 * apart), _mm256_permute2f128_pd::<0x31>(low, more));
            _mm256_storeu_pd(to.add(3 * apart), _mm256_permute2f128_pd::<0x31>(high, most));
        }
    }

    vector!(
        __m256,
        f32,
        8,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        f32,
        _mm256_add_ps,
        first_8, _mm256_maskload_ps, _mm256_maskstore_ps, transpose_8_f32;
        |x, f, a| _mm256_fmadd_ps(x, f, a),
        fused
    );
    vector!(
        __m256d,
        f64,
        4,
        _mm256_set1_pd,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        f64,
        _mm256_add_pd,
        first_4, _mm256_maskload_pd, _mm256_maskstore_pd, transpose_4_f64;
        |x, f, a| _mm256_fmadd_pd(x, f, a),
        fused
    );
    vector!(
        __m256i,
        i32,
        8,
        _mm256_set1_epi32,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        __m256i,
        _mm256_add_epi32,
        first_8, _mm256_maskload_epi32, _mm256_maskstore_epi32;
        |x, f, a| _mm256_add_epi32(_mm256_mullo_epi32(x, f), a),
        wrapping
    );
    vector!(
        __m512,
        f32,
        16,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        f32,
        _mm512_add_ps,
        first_16, load_f32, _mm512_mask_storeu_ps, transpose_16_f32;
        |x, f, a| _mm512_fmadd_ps(x, f, a),
        fused
    );
    vector!(
        __m512d,
        f64,
        8,
        _mm512_set1_pd,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        f64,
        _mm512_add_pd,
        first_of_8, load_f64, _mm512_mask_storeu_pd, transpose_8_f64;
        |x, f, a| _mm512_fmadd_pd(x, f, a),
        fused
    );
    vector!(
        __m512i,
        i32,
        16,
        _mm512_set1_epi32,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        __m512i,
        _mm512_add_epi32,
        first_16, load_i32, _mm512_mask_storeu_epi32;
        |x, f, a| _mm512_add_epi32(_mm512_mullo_epi32(x, f), a),
        wrapping
    );
}

macro_rules! lanes {
    ($($t:ty: $n:literal $avx2:ident $avx512:ident;)*) => {$(
        impl Lanes for $t {
            type Base = [$t; $n];
            #[cfg(target_arch = "x86_64")]
            type Avx2 = std::arch::x86_64::$avx2;
            #[cfg(target_arch = "x86_64")]
            type Avx512 = std::arch::x86_64::$avx512;
        }
    )*};
}

lanes! {
    f32: 4 __m256 __m512;
    f64: 2 __m256d __m512d;
    i32: 4 __m256i __m512i;
}
