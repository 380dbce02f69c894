//! General conversions, as data.

use crate::float::{FloatCvt, FloatType, Fp8, IntType, Rounding};

/// What a general conversion does. Values are bits in the low end of 64-bit words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conversion {
    IntToInt {
        from: IntType,
        to: IntType,
        sat: bool,
    },
    IntToFloat {
        from: IntType,
        to: FloatType,
        rounding: Rounding,
        sat: bool,
    },
    FloatToInt {
        from: FloatType,
        to: IntType,
        rounding: Rounding,
        ftz: bool,
    },
    FloatToFloat {
        from: FloatType,
        to: FloatType,
        how: FloatCvt,
    },
    /// Two `f32` to two 16-bit values.
    PackHalves {
        to: FloatType,
        how: FloatCvt,
    },
    /// Two `f32` to two 8-bit values.
    PackBytes {
        to: Fp8,
        relu: bool,
    },
    /// `f16x2` to two 8-bit values.
    HalvesToBytes {
        to: Fp8,
        relu: bool,
    },
    /// Two 8-bit values to `f16x2`.
    BytesToHalves {
        from: Fp8,
        relu: bool,
    },
    /// `cvt.pack`: two integers, saturated, below the low bits of a third value.
    Pack {
        to: IntType,
        with_third: bool,
    },
}
