//! The types that primitives compute on.

use std::fmt::{Debug, Display};

mod sealed {
    pub trait Sealed {}
}

/// A type that primitives compute on: `u8`, `i32`, `u32`, `i64`, `u64`, `f32` or `f64`.
///
/// The operations are those of the GPU kernels, so that every rung gives the same answer:
///
/// - Integers wrap.
/// - [`minimum`](Element::minimum) and [`maximum`](Element::maximum) of floats give NaN when either side is NaN, and
///   take -0 for smaller than +0. With that they are associative and commutative: the order of evaluation, and so the
///   number of threads, never shows.
///
/// ```
/// use warpwise::Element;
///
/// assert_eq!(i32::MAX.plus(1), i32::MIN);
/// assert!(1.0_f32.minimum(f32::NAN).is_nan());
/// assert!(0.0_f64.minimum(-0.0).is_sign_negative());
/// ```
pub trait Element:
    sealed::Sealed + bytemuck::Pod + Copy + Default + Debug + Display + PartialEq + PartialOrd + Send + Sync + 'static
{
    /// The type that the reference computes in: `f64` for floats, the type itself for integers.
    type Exact: Element;
    /// The type's name, as the command line spells it.
    const NAME: &'static str;
    /// Whether the type is a floating-point one.
    const IS_FLOAT: bool;
    /// Zero, the identity of sums (+0 for floats).
    const ZERO: Self;
    /// One, the identity of products.
    const ONE: Self;
    /// The identity of maxima: nothing is smaller (minus infinity for floats).
    const LOWEST: Self;
    /// The identity of minima: nothing is larger (infinity for floats).
    const HIGHEST: Self;

    /// The sum, wrapping.
    fn plus(self, other: Self) -> Self;
    /// The product, wrapping.
    fn times(self, other: Self) -> Self;
    /// The smaller one; NaN wins.
    fn minimum(self, other: Self) -> Self;
    /// The larger one; NaN wins.
    fn maximum(self, other: Self) -> Self;
    /// Whether this is NaN; no integer is.
    fn is_nan(self) -> bool;
    /// The nearest `f64`.
    fn to_f64(self) -> f64;
    /// The same value in the type of the reference.
    fn exact(self) -> Self::Exact;
    /// The remainder of an integer, never negative; floats have none, and give 0.
    fn modulo(self, divisor: u64) -> u64;
    /// The lowest 32 bits of the value of an integer, as two's complement.
    fn low_bits(self) -> u32;
    /// A value from random bits (integers) or from a random number in [-1, 1) (floats).
    fn from_random(bits: u64, unit: f64) -> Self;
    /// The slice itself, if this type is `u8`.
    fn as_bytes(_slice: &[Self]) -> Option<&[u8]> {
        None
    }
}

/// A floating-point [`Element`].
pub trait Float: Element {
    /// The bits of a magnitude: in the order of the values, with NaN above all.
    type Bits: Copy + Default + Ord + Send + Sync;

    /// The bits of the absolute value.
    fn magnitude_bits(self) -> Self::Bits;
    /// The value with these bits.
    fn from_magnitude_bits(bits: Self::Bits) -> Self;
    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// Numbers of the reference, which computes floats in `f64`.
    fn exact_of(values: &[f64]) -> Vec<Self::Exact>;
    /// The difference, rounded once.
    fn minus(self, other: Self) -> Self;
    /// The quotient, rounded once.
    fn over(self, other: Self) -> Self;
    /// `self * factor + addend`, rounded once if `FUSED` and twice if not.
    ///
    /// Without an instruction for it the fused form is a slow library call, so code asks for it only at a level that
    /// has one.
    fn times_plus<const FUSED: bool>(self, factor: Self, addend: Self) -> Self;
}

macro_rules! integer {
    ($($t:ident $($as_bytes:ident)?),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Exact = Self;
            const NAME: &'static str = stringify!($t);
            const IS_FLOAT: bool = false;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const LOWEST: Self = Self::MIN;
            const HIGHEST: Self = Self::MAX;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                self.max(other)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn exact(self) -> Self {
                self
            }
            #[inline(always)]
            fn modulo(self, divisor: u64) -> u64 {
                if Self::MIN == 0 { self as u64 % divisor } else { (self as i64).rem_euclid(divisor as i64) as u64 }
            }
            #[inline(always)]
            fn low_bits(self) -> u32 {
                self as u32
            }
            fn from_random(bits: u64, _: f64) -> Self {
                bits as Self
            }
            $(fn $as_bytes(slice: &[Self]) -> Option<&[u8]> {
                Some(slice)
            })?
        }
    )*};
}

integer!(u8 as_bytes, i32, u32, i64, u64);

macro_rules! float {
    ($($t:ident $bits:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Exact = f64;
            const NAME: &'static str = stringify!($t);
            const IS_FLOAT: bool = true;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LOWEST: Self = Self::NEG_INFINITY;
            const HIGHEST: Self = Self::INFINITY;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            // Three selects instead of branches, so that loops over these become vector code. Equal values differ at
            // most in the sign of zero: OR-ing the bits keeps the minus, AND-ing them keeps the plus.
            #[inline(always)]
            fn minimum(self, other: Self) -> Self {
                let smaller = if self < other { self } else { other };
                let signed = if self == other { Self::from_bits(self.to_bits() | other.to_bits()) } else { smaller };
                if self.is_nan() { self } else { signed }
            }
            #[inline(always)]
            fn maximum(self, other: Self) -> Self {
                let larger = if self > other { self } else { other };
                let signed = if self == other { Self::from_bits(self.to_bits() & other.to_bits()) } else { larger };
                if self.is_nan() { self } else { signed }
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self != self
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn exact(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn modulo(self, _divisor: u64) -> u64 {
                0
            }
            #[inline(always)]
            fn low_bits(self) -> u32 {
                self as i64 as u32
            }
            fn from_random(_: u64, unit: f64) -> Self {
                unit as Self
            }
        }
        impl Float for $t {
            type Bits = $bits;

            #[inline(always)]
            fn magnitude_bits(self) -> $bits {
                self.abs().to_bits() as $bits
            }
            #[inline(always)]
            fn from_magnitude_bits(bits: $bits) -> Self {
                Self::from_bits(bits as _)
            }
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            fn exact_of(values: &[f64]) -> Vec<f64> {
                values.to_vec()
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn times_plus<const FUSED: bool>(self, factor: Self, addend: Self) -> Self {
                if FUSED { self.mul_add(factor, addend) } else { self * factor + addend }
            }
        }
    )*};
}

// Signed, because that is the order that vector instructions know; the sign bit of a magnitude is never set.
float!(f32 i32, f64 i64);
