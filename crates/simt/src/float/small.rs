//! What f16 and bf16 have in common: arithmetic on `u16` bits, rounded once to nearest even.

use std::cmp::Ordering;

use super::{convert_int::round_integral_f32, minmax, nan, odd, packed, rounding::Rounding};

/// The modifiers of a 16-bit floating-point instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct HalfMode {
    /// `.ftz`: subnormal operands and results count as zeros of their sign.
    pub(crate) ftz: bool,
    /// `.sat`: the result is clamped to [0, 1], NaN becoming +0.
    pub(crate) sat: bool,
    /// `.relu`: a negative result becomes +0, a NaN the canonical one.
    pub(crate) relu: bool,
}

/// A 16-bit floating-point format: implemented by the markers [`F16`](super::F16) and [`Bf16`](super::Bf16).
pub(crate) trait Half16 {
    /// Bits of one.
    const ONE: u16;
    /// Magnitude bits of infinity: the mask of the exponent field.
    const INFINITY: u16;

    /// The value as f32, which holds it exactly. NaNs come out as some NaN.
    fn to_f32(bits: u16) -> f32;

    /// Rounds an f32 to nearest even.
    fn from_f32(x: f32) -> u16;

    /// Rounds an f64 to nearest even, once.
    #[inline(always)]
    fn from_f64(x: f64) -> u16 {
        Self::from_f32(odd::narrow(x))
    }

    /// Whether the bits are a NaN.
    #[inline(always)]
    fn is_nan(bits: u16) -> bool {
        bits & 0x7fff > Self::INFINITY
    }

    /// A subnormal becomes the zero of its sign.
    #[inline(always)]
    fn flush(bits: u16) -> u16 {
        if bits & Self::INFINITY == 0 { bits & 0x8000 } else { bits }
    }

    /// Clamps to [0, 1]; NaN and -0 become +0.
    #[inline(always)]
    fn saturate(bits: u16) -> u16 {
        let positive = bits & 0x8000 == 0 && !Self::is_nan(bits);
        // Positive values order as their bits do.
        if positive { bits.min(Self::ONE) } else { 0 }
    }

    /// Negative values (and -0) become +0, NaNs the canonical NaN.
    #[inline(always)]
    fn relu(bits: u16) -> u16 {
        let clamped = if bits & 0x8000 != 0 { 0 } else { bits };
        if Self::is_nan(bits) { nan::HALF } else { clamped }
    }

    /// An operand as the modifiers have it, widened.
    #[inline(always)]
    fn operand(mode: HalfMode, bits: u16) -> f32 {
        Self::to_f32(if mode.ftz { Self::flush(bits) } else { bits })
    }

    /// A rounded result as the modifiers have it.
    #[inline(always)]
    fn result(mode: HalfMode, bits: u16) -> u16 {
        let result = if mode.ftz { Self::flush(bits) } else { bits };
        let result = if mode.sat { Self::saturate(result) } else { result };
        if mode.relu { Self::relu(result) } else { result }
    }

    /// `a + b`. The f32 sum has more than twice the bits, so rounding it again is harmless.
    #[inline(always)]
    fn add(a: u16, b: u16, mode: HalfMode) -> u16 {
        Self::result(mode, Self::from_f32(Self::operand(mode, a) + Self::operand(mode, b)))
    }

    /// `a - b`.
    #[inline(always)]
    fn sub(a: u16, b: u16, mode: HalfMode) -> u16 {
        Self::result(mode, Self::from_f32(Self::operand(mode, a) - Self::operand(mode, b)))
    }

    /// `a * b`. The f32 product is exact wherever the result is not zero.
    #[inline(always)]
    fn mul(a: u16, b: u16, mode: HalfMode) -> u16 {
        Self::result(mode, Self::from_f32(Self::operand(mode, a) * Self::operand(mode, b)))
    }

    /// `a * b + c`, rounded once.
    #[inline(always)]
    fn fma(a: u16, b: u16, c: u16, mode: HalfMode) -> u16 {
        let (a, b, c) = (Self::operand(mode, a), Self::operand(mode, b), Self::operand(mode, c));
        Self::result(mode, Self::fma_from_f32(a, b, c))
    }

    /// `a * b + c` of operands of this format, widened: rounded once.
    #[inline(always)]
    fn fma_from_f32(a: f32, b: f32, c: f32) -> u16 {
        Self::from_f64(odd::fma(a.into(), b.into(), c.into()))
    }

    /// [`add`](Half16::add) on both halves. Like its siblings written without closures, which the compiler would not
    /// always inline into a loop over lanes.
    #[inline(always)]
    fn add2(a: u32, b: u32, mode: HalfMode) -> u32 {
        let ([a0, a1], [b0, b1]) = (packed::split(a), packed::split(b));
        packed::pack(Self::add(a0, b0, mode), Self::add(a1, b1, mode))
    }

    /// [`sub`](Half16::sub) on both halves.
    #[inline(always)]
    fn sub2(a: u32, b: u32, mode: HalfMode) -> u32 {
        let ([a0, a1], [b0, b1]) = (packed::split(a), packed::split(b));
        packed::pack(Self::sub(a0, b0, mode), Self::sub(a1, b1, mode))
    }

    /// [`mul`](Half16::mul) on both halves.
    #[inline(always)]
    fn mul2(a: u32, b: u32, mode: HalfMode) -> u32 {
        let ([a0, a1], [b0, b1]) = (packed::split(a), packed::split(b));
        packed::pack(Self::mul(a0, b0, mode), Self::mul(a1, b1, mode))
    }

    /// [`fma`](Half16::fma) on both halves.
    #[inline(always)]
    fn fma2(a: u32, b: u32, c: u32, mode: HalfMode) -> u32 {
        let ([a0, a1], [b0, b1], [c0, c1]) = (packed::split(a), packed::split(b), packed::split(c));
        packed::pack(Self::fma(a0, b0, c0, mode), Self::fma(a1, b1, c1, mode))
    }

    /// The smaller operand; see [`minmax::MinMax`].
    #[inline(always)]
    fn min(a: u16, b: u16, how: minmax::MinMax) -> u16 {
        let mode = HalfMode { ftz: how.ftz, ..HalfMode::default() };
        let (a, b) = (Self::operand(mode, a), Self::operand(mode, b));
        Self::from_f32(minmax::minimum_f32(a, b, minmax::MinMax { ftz: false, ..how }))
    }

    /// The larger operand; see [`minmax::MinMax`].
    #[inline(always)]
    fn max(a: u16, b: u16, how: minmax::MinMax) -> u16 {
        let mode = HalfMode { ftz: how.ftz, ..HalfMode::default() };
        let (a, b) = (Self::operand(mode, a), Self::operand(mode, b));
        Self::from_f32(minmax::maximum_f32(a, b, minmax::MinMax { ftz: false, ..how }))
    }

    /// Turns the sign over, of NaNs too.
    #[inline(always)]
    fn neg(a: u16, ftz: bool) -> u16 {
        (if ftz { Self::flush(a) } else { a }) ^ 0x8000
    }

    /// Clears the sign, of NaNs too.
    #[inline(always)]
    fn abs(a: u16, ftz: bool) -> u16 {
        (if ftz { Self::flush(a) } else { a }) & 0x7fff
    }

    /// `2^a` (`ex2.approx`), correctly rounded up to the host library's last f64 bit.
    #[inline]
    fn ex2(a: u16, ftz: bool) -> u16 {
        let mode = HalfMode { ftz, ..HalfMode::default() };
        Self::result(mode, Self::from_f64(f64::from(Self::operand(mode, a)).exp2()))
    }

    /// The hyperbolic tangent (`tanh.approx`), correctly rounded up to the host library's last f64 bit.
    #[inline]
    fn tanh(a: u16) -> u16 {
        Self::from_f64(f64::from(Self::to_f32(a)).tanh())
    }

    /// Rounds to an integral value of the same format. A NaN becomes the canonical one.
    #[inline]
    fn round_integral(a: u16, rounding: Rounding) -> u16 {
        Self::from_f32(round_integral_f32(Self::to_f32(a), rounding))
    }

    /// How two values compare; None if one is a NaN. Zeros are equal.
    #[inline(always)]
    fn compare(a: u16, b: u16) -> Option<Ordering> {
        Self::to_f32(a).partial_cmp(&Self::to_f32(b))
    }
}
