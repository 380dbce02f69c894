//! Vectors for loops that must hold their sums in registers.
//!
//! Element-wise loops become vector code by themselves. Tiles of sums do not, or not reliably: matrix multiply and the
//! convolutions say which registers they want, through [`Vector`], and are compiled once for every level like the rest.

use crate::Element;

/// A register full of elements.
///
/// # Safety of the methods
///
/// The host must have the instructions: only a [`Kernel`](super::Kernel) run by [`Level`](super::Level) may call them.
/// Pointers must be valid for [`LANES`](Vector::LANES) elements, and need no alignment.
pub(crate) trait Vector: Copy {
    type Element: Element;
    /// Elements in a register.
    const LANES: usize;

    unsafe fn splat(x: Self::Element) -> Self;
    unsafe fn load(from: *const Self::Element) -> Self;
    unsafe fn store(self, to: *mut Self::Element);
    unsafe fn plus(self, other: Self) -> Self;
    /// `self * factor + addend`, rounded as [`scalar_times_plus`](Vector::scalar_times_plus) does.
    unsafe fn times_plus(self, factor: Self, addend: Self) -> Self;
    fn scalar_times_plus(x: Self::Element, factor: Self::Element, addend: Self::Element) -> Self::Element;
}

/// An element that there are registers for at every level.
pub(crate) trait Lanes: Element {
    type Base: Vector<Element = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx2: Vector<Element = Self>;
    #[cfg(target_arch = "x86_64")]
    type Avx512: Vector<Element = Self>;
}

/// Sixteen bytes, which every architecture has registers for.
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

    vector!(
        __m256,
        f32,
        8,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        f32,
        _mm256_add_ps,
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
