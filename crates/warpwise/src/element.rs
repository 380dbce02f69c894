//! The types that primitives compute on.

use std::fmt::{Debug, Display};

mod sealed {
    pub trait Sealed {}
}

/// A type that primitives compute on: `u8`, `u16`, `i32`, `u32`, `i64`, `u64`, `f32` or `f64`.
///
/// The operations are those of the GPU kernels, so that every rung gives the same answer:
///
/// - Integers wrap.
/// - [`minimum`](Element::minimum) and [`maximum`](Element::maximum) of floats give NaN when either side is NaN, and
///   take -0 for smaller than +0. This makes them associative and commutative: the order of evaluation, and so the
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
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// let sum: <f32 as Element>::Exact = 0.5_f32.exact().plus(0.25);
    /// assert_eq!(sum, 0.75_f64);
    /// ```
    type Exact: Element;
    /// The type's name, as the command line spells it.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(<f32 as Element>::NAME, "f32");
    /// ```
    const NAME: &'static str;
    /// Whether the type is a floating-point one.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert!(f64::IS_FLOAT && !u8::IS_FLOAT);
    /// ```
    const IS_FLOAT: bool;
    /// Zero, the identity of sums (+0 for floats).
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(7.plus(i32::ZERO), 7);
    /// ```
    const ZERO: Self;
    /// One, the identity of products.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(7.times(i32::ONE), 7);
    /// ```
    const ONE: Self;
    /// The identity of maxima: nothing is smaller (minus infinity for floats).
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(i32::LOWEST, i32::MIN);
    /// assert_eq!(f32::LOWEST, f32::NEG_INFINITY);
    /// ```
    const LOWEST: Self;
    /// The identity of minima: nothing is larger (infinity for floats).
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(u8::HIGHEST, 255);
    /// assert_eq!(f64::HIGHEST, f64::INFINITY);
    /// ```
    const HIGHEST: Self;

    /// The sum, wrapping.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(255_u8.plus(2), 1);
    /// ```
    fn plus(self, other: Self) -> Self;
    /// The product, wrapping.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(16_u8.times(17), 16);
    /// ```
    fn times(self, other: Self) -> Self;
    /// The smaller one; NaN wins.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(3.minimum(-1), -1);
    /// assert!(f64::NAN.minimum(1.0).is_nan());
    /// ```
    fn minimum(self, other: Self) -> Self;
    /// The larger one; NaN wins.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(3.maximum(-1), 3);
    /// assert!((-0.0_f64).maximum(0.0).is_sign_positive());
    /// ```
    fn maximum(self, other: Self) -> Self;
    /// Whether this is NaN; never true for integers.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert!(Element::is_nan(f32::NAN));
    /// assert!(!Element::is_nan(0));
    /// ```
    fn is_nan(self) -> bool;
    /// The nearest `f64`.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(3_u8.to_f64(), 3.0);
    /// ```
    fn to_f64(self) -> f64;
    /// The same value in the type of the reference.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(0.5_f32.exact(), 0.5_f64);
    /// assert_eq!(7_u8.exact(), 7_u8);
    /// ```
    fn exact(self) -> Self::Exact;
    /// The remainder of an integer, never negative; 0 for floats.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!((-3).modulo(10), 7);
    /// ```
    fn modulo(self, divisor: u64) -> u64;
    /// The lowest 32 bits of the value of an integer, as two's complement.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!((-1_i64).low_bits(), u32::MAX);
    /// ```
    fn low_bits(self) -> u32;
    /// A value from random bits (integers) or from a random number in [-1, 1) (floats).
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(u8::from_random(0x1234, 0.5), 0x34);
    /// assert_eq!(f32::from_random(0x1234, 0.5), 0.5);
    /// ```
    fn from_random(bits: u64, unit: f64) -> Self;
    /// The slice itself, if this type is `u8`.
    ///
    /// ```
    /// use warpwise::Element;
    ///
    /// assert_eq!(u8::as_bytes(b"abc"), Some(&b"abc"[..]));
    /// assert_eq!(i32::as_bytes(&[1, 2]), None);
    /// ```
    fn as_bytes(_slice: &[Self]) -> Option<&[u8]> {
        None
    }
}

/// A floating-point [`Element`].
///
/// ```
/// use warpwise::Float;
///
/// fn mean<T: Float>(a: T, b: T) -> T {
///     a.plus(b).over(T::from_f64(2.0))
/// }
/// assert_eq!(mean(1.0_f32, 2.0), 1.5);
/// ```
// Which registers hold it is private to the crate.
#[allow(private_bounds)]
pub trait Float: Element + crate::simd::FloatLanes {
    /// The bits of a magnitude: in the order of the values, with NaN above all.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// let bits: [<f32 as Float>::Bits; 2] = [1.0_f32.magnitude_bits(), f32::NAN.magnitude_bits()];
    /// assert!(bits[0] < bits[1]);
    /// ```
    type Bits: Copy + Default + Ord + Send + Sync;

    /// The bits of the absolute value.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert!((-2.0_f32).magnitude_bits() > 1.0_f32.magnitude_bits());
    /// ```
    fn magnitude_bits(self) -> Self::Bits;
    /// The value with these bits.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert_eq!(f64::from_magnitude_bits((-2.5_f64).magnitude_bits()), 2.5);
    /// ```
    fn from_magnitude_bits(bits: Self::Bits) -> Self;
    /// The nearest value of this type.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert_eq!(f32::from_f64(0.1), 0.1_f32);
    /// ```
    fn from_f64(value: f64) -> Self;
    /// Numbers of the reference, which computes floats in `f64`.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert_eq!(f32::exact_of(&[0.1, 0.2]), [0.1_f64, 0.2]);
    /// ```
    fn exact_of(values: &[f64]) -> Vec<Self::Exact>;
    /// The difference, rounded once.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert_eq!(3.0_f64.minus(1.5), 1.5);
    /// ```
    fn minus(self, other: Self) -> Self;
    /// The quotient, rounded once.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert_eq!(1.0_f32.over(4.0), 0.25);
    /// ```
    fn over(self, other: Self) -> Self;
    /// `self * factor + addend`, rounded once if `FUSED` and twice if not.
    ///
    /// Without an instruction for it the fused form is a slow library call, so code asks for it only at a level that
    /// has one.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// let x = 1.0 + f32::EPSILON;
    /// assert_eq!(x.times_plus::<false>(x, -x * x), 0.0);
    /// assert_eq!(x.times_plus::<true>(x, -x * x), f32::EPSILON * f32::EPSILON);
    /// ```
    fn times_plus<const FUSED: bool>(self, factor: Self, addend: Self) -> Self;
}

/// Whether the two are the same type. It is known when a function is compiled: of `if const { same_type::<T, f32>() }` only
/// the branch that is taken is compiled.
pub(crate) const fn same_type<T: Element, U: Element>() -> bool {
    let (a, b) = (T::NAME.as_bytes(), U::NAME.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
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

integer!(u8 as_bytes, u16, i32, u32, i64, u64);

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
