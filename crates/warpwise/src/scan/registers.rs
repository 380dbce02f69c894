//! The inner loop of scan in AVX-512 registers.
//!
//! A register is scanned in log N steps: in step d every lane adds the one 2^d to its left. The prefix is then added to
//! all lanes, and the last lane becomes the next prefix: a register waits only for that one addition.

use std::arch::x86_64::*;

use super::Kind;
use crate::element::same_type;
use crate::operator::Combine;
use crate::{Element, Operator};

/// A register of elements.
///
/// # Safety of the methods
///
/// The host must have AVX-512 F, DQ and VL; pointers must be valid for `LANES` elements.
trait Register: Copy {
    type Element: Element;
    const LANES: usize;

    unsafe fn splat(x: Self::Element) -> Self;
    unsafe fn load(from: *const Self::Element) -> Self;
    unsafe fn store(self, to: *mut Self::Element);
    /// Every lane takes the one `2^step` to its left; the first ones come from the other register.
    unsafe fn shift(self, step: usize, fill: Self) -> Self;
    /// The last lane in all lanes.
    unsafe fn last(self) -> Self;
    unsafe fn combine(operator: Operator, a: Self, b: Self) -> Self;
}

macro_rules! register {
    ($name:ident $t:ty, $lanes:literal, $align:ident ($($step:literal => $by:literal)*), $permute:ident $index:ident,
     $splat:ident, $int:expr, $float:expr, $plus:ident, $times:ident, $min:ident, $max:ident) => {
        #[derive(Clone, Copy)]
        struct $name(__m512i);

        impl Register for $name {
            type Element = $t;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(x: $t) -> Self {
                // SAFETY: the caller has checked for the instructions.
                unsafe { Self($int($splat(x))) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $t) -> Self {
                // SAFETY: as above, and the pointer is valid for a register.
                unsafe { Self(_mm512_loadu_si512(from.cast())) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $t) {
                // SAFETY: as for `load`.
                unsafe { _mm512_storeu_si512(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn shift(self, step: usize, fill: Self) -> Self {
                // SAFETY: the caller has checked for the instructions.
                unsafe {
                    match step {
                        $($step => Self($align::<$by>(self.0, fill.0)),)*
                        _ => fill,
                    }
                }
            }
            #[inline(always)]
            unsafe fn last(self) -> Self {
                // SAFETY: the caller has checked for the instructions.
                unsafe { Self($permute($index($lanes - 1), self.0)) }
            }
            #[inline(always)]
            unsafe fn combine(operator: Operator, a: Self, b: Self) -> Self {
                // SAFETY: the caller has checked for the instructions.
                unsafe {
                    let (a, b) = ($float(a.0), $float(b.0));
                    Self($int(match operator {
                        Operator::Sum => $plus(a, b),
                        Operator::Product => $times(a, b),
                        Operator::Min => $min(a, b),
                        Operator::Max => $max(a, b),
                    }))
                }
            }
        }
    };
}

macro_rules! registers {
    (four bytes: $($name:ident $t:ty, $splat:ident, $int:expr, $float:expr, $plus:ident $times:ident $min:ident $max:ident;)*) => {$(
        register!($name $t, 16, _mm512_alignr_epi32 (0 => 15 1 => 14 2 => 12 3 => 8), _mm512_permutexvar_epi32
            _mm512_set1_epi32, $splat, $int, $float, $plus, $times, $min, $max);
    )*};
    (eight bytes: $($name:ident $t:ty, $splat:ident, $int:expr, $float:expr, $plus:ident $times:ident $min:ident $max:ident;)*) => {$(
        register!($name $t, 8, _mm512_alignr_epi64 (0 => 7 1 => 6 2 => 4), _mm512_permutexvar_epi64
            _mm512_set1_epi64, $splat, $int, $float, $plus, $times, $min, $max);
    )*};
}

registers! { four bytes:
    I32 i32, _mm512_set1_epi32, same, same, _mm512_add_epi32 _mm512_mullo_epi32 _mm512_min_epi32 _mm512_max_epi32;
    U32 u32, splat_u32, same, same, _mm512_add_epi32 _mm512_mullo_epi32 _mm512_min_epu32 _mm512_max_epu32;
    F32 f32, _mm512_set1_ps, _mm512_castps_si512, _mm512_castsi512_ps, _mm512_add_ps _mm512_mul_ps min_f32 max_f32;
}
registers! { eight bytes:
    I64 i64, _mm512_set1_epi64, same, same, _mm512_add_epi64 _mm512_mullo_epi64 _mm512_min_epi64 _mm512_max_epi64;
    U64 u64, splat_u64, same, same, _mm512_add_epi64 _mm512_mullo_epi64 _mm512_min_epu64 _mm512_max_epu64;
    F64 f64, _mm512_set1_pd, _mm512_castpd_si512, _mm512_castsi512_pd, _mm512_add_pd _mm512_mul_pd min_f64 max_f64;
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

#[inline]
#[target_feature(enable = "avx512f")]
fn splat_u64(x: u64) -> __m512i {
    _mm512_set1_epi64(x.cast_signed())
}

/// Like [`Element::minimum`] and [`Element::maximum`]: the instruction, then the sign of zeros, then NaN.
macro_rules! extreme {
    ($($name:ident $v:ty, $pick:ident $equal:ident $sign:ident $keep:ident;)*) => {$(
        #[inline]
        #[target_feature(enable = "avx512f,avx512dq")]
        fn $name(a: $v, b: $v) -> $v {
            let signed = $sign($pick(a, b), $equal::<_CMP_EQ_OQ>(a, b), a, b);
            $keep(signed, $equal::<_CMP_UNORD_Q>(a, a), a)
        }
    )*};
}

extreme! {
    min_f32 __m512, _mm512_min_ps _mm512_cmp_ps_mask _mm512_mask_or_ps _mm512_mask_mov_ps;
    max_f32 __m512, _mm512_max_ps _mm512_cmp_ps_mask _mm512_mask_and_ps _mm512_mask_mov_ps;
    min_f64 __m512d, _mm512_min_pd _mm512_cmp_pd_mask _mm512_mask_or_pd _mm512_mask_mov_pd;
    max_f64 __m512d, _mm512_max_pd _mm512_cmp_pd_mask _mm512_mask_and_pd _mm512_mask_mov_pd;
}

/// The scan of a block of elements of four or eight bytes, given the prefix before it.
///
/// # Safety
///
/// The host must have AVX-512 F, DQ and VL.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
pub(super) unsafe fn scan<T: Element, O: Combine>(kind: Kind, prefix: T, xs: &[T], out: &mut [T]) {
    assert_eq!(xs.len(), out.len());
    macro_rules! with {
        ($($register:ident),*) => {
            $(
                if const { same_type::<T, <$register as Register>::Element>() } {
                    // SAFETY: `T` is the register's element; the rest is guaranteed by the caller.
                    unsafe {
                        let prefix = (&raw const prefix).cast::<<$register as Register>::Element>().read();
                        match kind {
                            Kind::Inclusive => rows::<$register, O, false>(prefix, xs.as_ptr().cast(), out.as_mut_ptr().cast(), xs.len()),
                            Kind::Exclusive => rows::<$register, O, true>(prefix, xs.as_ptr().cast(), out.as_mut_ptr().cast(), xs.len()),
                        }
                    }
                }
            )*
        };
    }
    with!(I32, U32, F32, I64, U64, F64);
}

/// # Safety
///
/// As for [`scan`]; both pointers must be valid for `length` elements.
#[inline(always)]
unsafe fn rows<R: Register, O: Combine, const EXCLUSIVE: bool>(
    prefix: R::Element,
    xs: *const R::Element,
    out: *mut R::Element,
    length: usize,
) {
    let whole = length - length % R::LANES;
    // SAFETY: guaranteed by the caller; registers end within the first `whole` elements.
    unsafe {
        let identity = R::splat(O::identity());
        let mut prefix = R::splat(prefix);
        for i in (0..whole).step_by(R::LANES) {
            let mut lanes = R::load(xs.add(i));
            for step in 0..R::LANES.ilog2() as usize {
                lanes = R::combine(O::OPERATOR, lanes.shift(step, identity), lanes);
            }
            let sums = if EXCLUSIVE { lanes.shift(0, identity) } else { lanes };
            R::combine(O::OPERATOR, prefix, sums).store(out.add(i));
            prefix = R::combine(O::OPERATOR, prefix, lanes.last());
        }
        let mut lanes = [R::Element::ZERO; 16];
        prefix.store(lanes.as_mut_ptr());
        let mut prefix = lanes[0];
        for i in whole..length {
            let next = O::combine(prefix, *xs.add(i));
            *out.add(i) = if EXCLUSIVE { prefix } else { next };
            prefix = next;
        }
    }
}
