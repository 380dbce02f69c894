//! Conversion between integers and floating-point formats, and rounding to integral values.

use super::{
    convert_float::{FloatType, clamp},
    f16::F16,
    rounding::Rounding,
    single,
    small::Half16,
    soft::Number,
};

/// An integer type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IntType {
    /// Width: 8, 16, 32 or 64.
    pub(crate) bits: u32,
    /// Two's complement.
    pub(crate) signed: bool,
}

impl IntType {
    /// The type a modifier names, without its dot.
    pub(crate) fn parse(modifier: &str) -> Option<IntType> {
        let signed = match modifier.as_bytes().first()? {
            b's' => true,
            b'u' => false,
            _ => return None,
        };
        let bits = match &modifier[1..] {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "64" => 64,
            _ => return None,
        };
        Some(IntType { bits, signed })
    }
}

/// What a NaN converts to: zero, but the value with only the top bit set where either side has 64 bits.
fn nan_to_int(from: FloatType, to: IntType) -> u64 {
    if from != FloatType::F64 && to.bits < 64 {
        return 0;
    }
    let top = 1u64 << (to.bits - 1);
    // Extended to 64 bits like every result.
    if to.signed { top.wrapping_neg() } else { top }
}

/// Converts to an integer, clamped to its range. The result is sign- or zero-extended to 64 bits. `ftz` flushes
/// subnormal f32 operands.
#[inline]
pub(crate) fn float_to_int(from: FloatType, to: IntType, bits: u64, rounding: Rounding, ftz: bool) -> u64 {
    let value = match from {
        FloatType::F16 => f64::from(F16::to_f32(bits as u16)),
        FloatType::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
        FloatType::F32 | FloatType::Tf32 => f64::from(single::flush_if(ftz, f32::from_bits(bits as u32))),
        FloatType::F64 => f64::from_bits(bits),
    };
    if value.is_nan() {
        return nan_to_int(from, to);
    }
    let integral = round_integral_f64(value, rounding);
    // `as` saturates at 64 bits; narrower ranges clamp further.
    if to.signed {
        let high = i64::MAX >> (64 - to.bits);
        (integral as i64).clamp(!high, high) as u64
    } else {
        (integral as u64).min(u64::MAX >> (64 - to.bits))
    }
}

/// f32 to s32, the commonest conversion, in a form that vectorises for truncation.
#[inline(always)]
pub(crate) fn f32_to_s32(x: f32, rounding: Rounding) -> i32 {
    // `as` truncates by itself.
    if rounding == Rounding::TowardZero { x as i32 } else { round_integral_f32(x, rounding) as i32 }
}

/// f32 to u32, in a form that vectorises for truncation.
#[inline(always)]
pub(crate) fn f32_to_u32(x: f32, rounding: Rounding) -> u32 {
    if rounding == Rounding::TowardZero { x as u32 } else { round_integral_f32(x, rounding) as u32 }
}

/// Rounds to an integral f32; zeros keep the sign of the operand.
#[inline(always)]
pub(crate) fn round_integral_f32(x: f32, rounding: Rounding) -> f32 {
    match rounding {
        Rounding::NearestEven => x.round_ties_even(),
        Rounding::NearestAway => x.round(),
        Rounding::TowardZero => x.trunc(),
        Rounding::Down => x.floor(),
        Rounding::Up => x.ceil(),
    }
}

/// Rounds to an integral f64; zeros keep the sign of the operand.
#[inline(always)]
pub(crate) fn round_integral_f64(x: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => x.round_ties_even(),
        Rounding::NearestAway => x.round(),
        Rounding::TowardZero => x.trunc(),
        Rounding::Down => x.floor(),
        Rounding::Up => x.ceil(),
    }
}

/// Converts the low bits of a word, read as an integer type, to a floating-point type. `sat` clamps to [0, 1].
#[inline]
pub(crate) fn int_to_float(from: IntType, to: FloatType, word: u64, rounding: Rounding, sat: bool) -> u64 {
    let shift = 64 - from.bits;
    let (negative, magnitude) = if from.signed {
        let value = ((word << shift) as i64) >> shift;
        (value < 0, value.unsigned_abs())
    } else {
        (false, word << shift >> shift)
    };
    let nearest = rounding == Rounding::NearestEven && !sat;
    match to {
        // The host's own conversions round to nearest even.
        FloatType::F32 if nearest => {
            let x = magnitude as f32;
            (if negative { -x } else { x }).to_bits().into()
        }
        FloatType::F64 if nearest => {
            let x = magnitude as f64;
            (if negative { -x } else { x }).to_bits()
        }
        _ => {
            let format = to.format();
            let bits = format.encode(Number::integer(negative, magnitude), rounding, false);
            to.place(if sat { clamp(format, bits, negative) } else { bits })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{soft::Value, testing::Random},
        *,
    };

    const INTS: [IntType; 8] = [
        IntType { bits: 8, signed: false },
        IntType { bits: 8, signed: true },
        IntType { bits: 16, signed: false },
        IntType { bits: 16, signed: true },
        IntType { bits: 32, signed: false },
        IntType { bits: 32, signed: true },
        IntType { bits: 64, signed: false },
        IntType { bits: 64, signed: true },
    ];

    /// Rounds and clamps with i128 arithmetic on the taken-apart operand.
    fn reference(from: FloatType, to: IntType, bits: u64, rounding: Rounding) -> u64 {
        let (low, high) = if to.signed {
            (-(1i128 << (to.bits - 1)), (1i128 << (to.bits - 1)) - 1)
        } else {
            (0, (1i128 << to.bits) - 1)
        };
        let value = match from.decode(bits) {
            Value::Nan => return nan_to_int(from, to),
            Value::Infinity { negative } => {
                if negative {
                    low
                } else {
                    high
                }
            }
            Value::Finite(number) => {
                let significand = number.significand as i128;
                let magnitude = if number.exponent >= 0 {
                    if significand == 0 { 0 } else { significand << number.exponent.min(70) }
                } else {
                    // Below 2^-100 it only matters whether the value is zero.
                    let shift = (-number.exponent).min(100) as u32;
                    let (whole, rest) = (significand >> shift, significand & ((1 << shift) - 1));
                    let half = 1i128 << (shift - 1);
                    let up = match rounding {
                        Rounding::NearestEven => rest > half || rest == half && whole & 1 == 1,
                        Rounding::NearestAway => rest >= half,
                        Rounding::TowardZero => false,
                        Rounding::Down => number.negative && rest != 0,
                        Rounding::Up => !number.negative && rest != 0,
                    };
                    whole + i128::from(up)
                };
                if number.negative { -magnitude } else { magnitude }
            }
        };
        value.clamp(low, high) as u64
    }

    #[test]
    fn float_to_int_agrees_with_wide_integers() {
        let mut random = Random::new(10);
        for _ in 0..40_000 {
            for from in [FloatType::F16, FloatType::Bf16, FloatType::F32, FloatType::F64] {
                let format = from.format();
                let bits = random.bits(format.exponent, format.significand);
                for to in INTS {
                    for rounding in Rounding::ALL {
                        let ours = float_to_int(from, to, bits, rounding, false);
                        let want = reference(from, to, bits, rounding);
                        assert_eq!(ours, want, "{from:?} {to:?} {bits:#x} {rounding:?}");
                    }
                }
                let x = f32::from_bits(bits as u32);
                if from == FloatType::F32 && !x.is_nan() {
                    let s32 = reference(from, INTS[5], bits, Rounding::Down) as i32;
                    assert_eq!(f32_to_s32(x, Rounding::Down), s32);
                    let u32 = reference(from, INTS[4], bits, Rounding::TowardZero) as u32;
                    assert_eq!(f32_to_u32(x, Rounding::TowardZero), u32);
                }
            }
        }
    }

    #[test]
    fn nans_and_flushing() {
        let nan32 = f32::NAN.to_bits().into();
        let convert = |from, to, bits| float_to_int(from, to, bits, Rounding::TowardZero, false);
        assert_eq!(convert(FloatType::F32, INTS[5], nan32), 0);
        assert_eq!(convert(FloatType::F32, INTS[7], nan32), 1 << 63);
        assert_eq!(convert(FloatType::F64, INTS[5], f64::NAN.to_bits()) as u32, 0x8000_0000);
        assert_eq!(convert(FloatType::F64, INTS[4], f64::NAN.to_bits()), 0x8000_0000);
        assert_eq!(float_to_int(FloatType::F32, INTS[5], 1, Rounding::Up, false), 1);
        assert_eq!(float_to_int(FloatType::F32, INTS[5], 1, Rounding::Up, true), 0);
    }

    #[test]
    fn int_to_float_agrees_with_exact_rounding() {
        let mut random = Random::new(11);
        for _ in 0..40_000 {
            let noise = random.next();
            let word = [noise >> (random.next() % 64), (1u64 << (noise % 64)).wrapping_sub(noise >> 60), noise]
                [noise as usize % 3];
            for from in INTS {
                let shift = 64 - from.bits;
                let value = if from.signed {
                    i128::from((word << shift) as i64 >> shift)
                } else {
                    i128::from(word << shift >> shift)
                };
                for to in [FloatType::F16, FloatType::Bf16, FloatType::F32, FloatType::F64] {
                    let at = |rounding| -> Option<i128> {
                        let bits = int_to_float(from, to, word, rounding, false);
                        match to.decode(bits) {
                            Value::Finite(number) => {
                                let magnitude = if number.exponent >= 0 {
                                    (number.significand as i128) << number.exponent
                                } else {
                                    (number.significand as i128) >> (-number.exponent).min(127)
                                };
                                Some(if number.negative { -magnitude } else { magnitude })
                            }
                            _ => None,
                        }
                    };
                    if let (Some(down), Some(up)) = (at(Rounding::Down), at(Rounding::Up)) {
                        assert!(down <= value && value <= up, "{value} {to:?}");
                        assert_eq!(at(Rounding::TowardZero), Some(if value < 0 { up } else { down }));
                        let nearest = at(Rounding::NearestEven).expect("finite between finite neighbours");
                        assert!((nearest - value).abs() <= (up - value).min(value - down), "{value} {to:?}");
                    }
                }
            }
        }
        assert_eq!(int_to_float(INTS[4], FloatType::F16, 70000, Rounding::NearestEven, false), 0x7c00);
        assert_eq!(int_to_float(INTS[4], FloatType::F16, 70000, Rounding::TowardZero, false), 0x7bff);
        assert_eq!(int_to_float(INTS[5], FloatType::F32, 5, Rounding::NearestEven, true), 1f32.to_bits().into());
        assert_eq!(int_to_float(INTS[5], FloatType::F32, u64::MAX, Rounding::NearestEven, true), 0);
        assert_eq!(IntType::parse("s16"), Some(INTS[3]));
        assert_eq!(IntType::parse("b16"), None);
    }
}
