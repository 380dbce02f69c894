//! What reductions do with registers besides adding them.

use crate::Element;

/// Registers combined lane by lane.
///
/// # Safety of the methods
///
/// The host must have the instructions of the register.
pub(crate) trait Folds: Copy {
    unsafe fn times(self, other: Self) -> Self;
    /// This value if it is smaller than the other, else the other; so the other beside NaN.
    unsafe fn smaller(self, other: Self) -> Self;
    /// Like [`smaller`](Folds::smaller), but for the larger value.
    unsafe fn larger(self, other: Self) -> Self;
    /// Marks lanes in which either is NaN; others are zero.
    unsafe fn unordered(self, other: Self) -> Self;
    /// The bits that are set in either.
    unsafe fn or(self, other: Self) -> Self;
    /// The bits that are set in both.
    unsafe fn and(self, other: Self) -> Self;
}

impl<T: Element, const N: usize> Folds for [T; N] {
    #[inline(always)]
    unsafe fn times(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i].times(other[i]))
    }
    #[inline(always)]
    unsafe fn smaller(self, other: Self) -> Self {
        std::array::from_fn(|i| if self[i] < other[i] { self[i] } else { other[i] })
    }
    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        std::array::from_fn(|i| if self[i] > other[i] { self[i] } else { other[i] })
    }
    #[inline(always)]
    unsafe fn unordered(self, other: Self) -> Self {
        std::array::from_fn(|i| if self[i].is_nan() | other[i].is_nan() { T::ONE } else { T::ZERO })
    }
    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        bits(self, other, |a, b| a | b)
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        bits(self, other, |a, b| a & b)
    }
}

#[inline(always)]
fn bits<T: Element, const N: usize>(a: [T; N], b: [T; N], combine: impl Fn(u64, u64) -> u64) -> [T; N] {
    std::array::from_fn(|i| {
        if const { size_of::<T>() == 4 } {
            let (a, b): (u32, u32) = (bytemuck::cast(a[i]), bytemuck::cast(b[i]));
            bytemuck::cast(combine(a.into(), b.into()) as u32)
        } else {
            bytemuck::cast(combine(bytemuck::cast(a[i]), bytemuck::cast(b[i])))
        }
    })
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Folds;

    macro_rules! folds {
        ($($v:ty: $times:ident $smaller:ident $larger:ident $or:ident $and:ident, $unordered:expr;)*) => {$(
            impl Folds for $v {
                #[inline(always)]
                unsafe fn times(self, other: Self) -> Self {
                    // SAFETY: the caller has checked for the instruction, as for all functions below.
                    unsafe { $times(self, other) }
                }
                #[inline(always)]
                unsafe fn smaller(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $smaller(self, other) }
                }
                #[inline(always)]
                unsafe fn larger(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $larger(self, other) }
                }
                #[inline(always)]
                unsafe fn unordered(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $unordered(self, other) }
                }
                #[inline(always)]
                unsafe fn or(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $or(self, other) }
                }
                #[inline(always)]
                unsafe fn and(self, other: Self) -> Self {
                    // SAFETY: as above.
                    unsafe { $and(self, other) }
                }
            }
        )*};
    }

    folds! {
        __m256: _mm256_mul_ps _mm256_min_ps _mm256_max_ps _mm256_or_ps _mm256_and_ps, _mm256_cmp_ps::<_CMP_UNORD_Q>;
        __m256d: _mm256_mul_pd _mm256_min_pd _mm256_max_pd _mm256_or_pd _mm256_and_pd, _mm256_cmp_pd::<_CMP_UNORD_Q>;
        __m256i: _mm256_mullo_epi32 _mm256_min_epi32 _mm256_max_epi32 _mm256_or_si256 _mm256_and_si256, none_256;
        __m512: _mm512_mul_ps _mm512_min_ps _mm512_max_ps _mm512_or_ps _mm512_and_ps, unordered_ps;
        __m512d: _mm512_mul_pd _mm512_min_pd _mm512_max_pd _mm512_or_pd _mm512_and_pd, unordered_pd;
        __m512i: _mm512_mullo_epi32 _mm512_min_epi32 _mm512_max_epi32 _mm512_or_si512 _mm512_and_si512, none_512;
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn unordered_ps(a: __m512, b: __m512) -> __m512 {
        _mm512_castsi512_ps(_mm512_movm_epi32(_mm512_cmp_ps_mask::<_CMP_UNORD_Q>(a, b)))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn unordered_pd(a: __m512d, b: __m512d) -> __m512d {
        _mm512_castsi512_pd(_mm512_movm_epi64(_mm512_cmp_pd_mask::<_CMP_UNORD_Q>(a, b)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn none_256(_a: __m256i, _b: __m256i) -> __m256i {
        _mm256_setzero_si256()
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn none_512(_a: __m512i, _b: __m512i) -> __m512i {
        _mm512_setzero_si512()
    }
}
