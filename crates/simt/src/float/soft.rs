//! Exact binary floating-point arithmetic on integers.
//!
//! A finite value is an integer times a power of two. Sums, products, quotients and roots are formed with enough
//! bits that one final rounding gives the correctly rounded result in any [`Format`] and direction; bits that do
//! not fit are or-ed into the lowest kept bit ("jamming"), which never sits next to the rounding position.

use std::cmp::Ordering;

use super::rounding::Rounding;

/// A binary interchange format: a sign, an exponent field and a significand field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits of the significand field.
    pub(crate) significand: u32,
    /// Bits of the exponent field.
    pub(crate) exponent: u32,
    /// Magnitude bits of the largest finite value.
    pub(crate) max_finite: u64,
}

impl Format {
    /// IEEE binary16.
    pub(crate) const F16: Format = Format::ieee(5, 10);
    /// bfloat16.
    pub(crate) const BF16: Format = Format::ieee(8, 7);
    /// TensorFloat-32, as its 19 significant bits (in registers they are the top of a 32-bit word).
    pub(crate) const TF32: Format = Format::ieee(8, 10);
    /// IEEE binary32.
    pub(crate) const F32: Format = Format::ieee(8, 23);
    /// IEEE binary64.
    pub(crate) const F64: Format = Format::ieee(11, 52);
    /// FP8 with five exponent bits.
    pub(crate) const E5M2: Format = Format::ieee(5, 2);
    /// FP8 with four exponent bits: no infinities, the all-ones magnitude is NaN.
    pub(crate) const E4M3: Format = Format { significand: 3, exponent: 4, max_finite: 0x7e };

    const fn ieee(exponent: u32, significand: u32) -> Format {
        let infinity = ((1u64 << exponent) - 1) << significand;
        Format { significand, exponent, max_finite: infinity - 1 }
    }

    /// Exponent of the last place of subnormal numbers.
    const fn least_exponent(self) -> i32 {
        2 - (1 << (self.exponent - 1)) - self.significand as i32
    }

    /// The sign bit alone.
    pub(crate) const fn sign(self, negative: bool) -> u64 {
        (negative as u64) << (self.exponent + self.significand)
    }

    /// All bits but the sign.
    const fn magnitude(self, bits: u64) -> u64 {
        bits & ((1 << (self.exponent + self.significand)) - 1)
    }

    /// Whether the bits are those of a number with a zero exponent field and a nonzero significand.
    pub(crate) const fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = self.magnitude(bits);
        magnitude != 0 && magnitude >> self.significand == 0
    }

    /// Takes bits apart.
    pub(crate) fn decode(self, bits: u64) -> Value {
        let negative = bits & self.sign(true) != 0;
        let magnitude = self.magnitude(bits);
        if magnitude > self.max_finite {
            let infinity = self.max_finite + 1;
            // E4M3 has no infinity: the one pattern above its finite values is NaN.
            return if magnitude == infinity && self != Format::E4M3 {
                Value::Infinity { negative }
            } else {
                Value::Nan
            };
        }
        let field = (magnitude >> self.significand) as i32;
        let fraction = magnitude & ((1 << self.significand) - 1);
        let significand = if field == 0 { fraction } else { fraction | 1 << self.significand };
        let exponent = self.least_exponent() + (field - 1).max(0);
        Value::Finite(Number { negative, significand: u128::from(significand), exponent })
    }

    /// Rounds a number to this format. `saturate` keeps overflow at the largest finite value.
    pub(crate) fn encode(self, number: Number, rounding: Rounding, saturate: bool) -> u64 {
        let sign = self.sign(number.negative);
        if number.significand == 0 {
            return sign;
        }
        let top = number.exponent + number.significand.ilog2() as i32;
        let least = self.least_exponent();
        let last_place = (top - self.significand as i32).max(least);
        let rounded = number.quantize(last_place, rounding);
        // A carry out of the significand moves into the exponent field by itself.
        let field = (last_place - least) as u64;
        let magnitude = (field << self.significand) + rounded as u64;
        if magnitude > self.max_finite {
            return sign | self.overflow(number.negative, rounding, saturate);
        }
        sign | magnitude
    }

    /// Magnitude bits of a result beyond the finite range.
    pub(crate) fn overflow(self, negative: bool, rounding: Rounding, saturate: bool) -> u64 {
        self.max_finite + u64::from(!saturate && rounding.overflows_to_infinity(negative))
    }

    /// Magnitude bits of infinity.
    pub(crate) const fn infinity(self) -> u64 {
        self.max_finite + 1
    }
}

/// What a bit pattern stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Not a number.
    Nan,
    /// An infinity.
    Infinity {
        /// Its sign.
        negative: bool,
    },
    /// A number, zeros included.
    Finite(Number),
}

impl Value {
    fn negative(self) -> bool {
        match self {
            Value::Nan => false,
            Value::Infinity { negative } => negative,
            Value::Finite(number) => number.negative,
        }
    }

    fn is_zero(self) -> bool {
        matches!(self, Value::Finite(Number { significand: 0, .. }))
    }
}

/// `significand * 2^exponent`, with a sign that zeros have too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    /// Sign, also of zeros.
    pub(crate) negative: bool,
    /// The integer factor.
    pub(crate) significand: u128,
    /// The power of two.
    pub(crate) exponent: i32,
}

impl Number {
    /// An integer as a number.
    pub(crate) fn integer(negative: bool, magnitude: u64) -> Number {
        Number { negative, significand: u128::from(magnitude), exponent: 0 }
    }

    /// The significand in units of `2^last_place`, rounded. Callers keep it below 2^128 when that is finer.
    fn quantize(self, last_place: i32, rounding: Rounding) -> u128 {
        let drop = last_place - self.exponent;
        if drop <= 0 {
            return self.significand << drop.unsigned_abs();
        }
        // Far below the last place only "more than nothing" matters: keep one hundred bits below it.
        let below = 100;
        let (significand, drop) =
            if drop > below { (jam(self.significand, drop - below), below) } else { (self.significand, drop) };
        let kept = significand >> drop;
        let rest = significand & ((1 << drop) - 1);
        let half = 1 << (drop - 1);
        let grows = rounding.grows(self.negative, kept & 1 == 1, rest.cmp(&half), rest != 0);
        kept + u128::from(grows)
    }

    /// The nearest integer in the given direction. Its sign stays even if it is zero.
    pub(crate) fn round_to_integer(self, rounding: Rounding) -> Number {
        if self.exponent >= 0 {
            return self;
        }
        Number { significand: self.quantize(0, rounding), exponent: 0, ..self }
    }

    /// Moves the leading bit to position 125, leaving room for a carry and the sign of a difference.
    fn normalized(self) -> Number {
        let shift = 125 - self.significand.ilog2() as i32;
        Number { significand: self.significand << shift, exponent: self.exponent - shift, ..self }
    }
}

/// Shifts right, or-ing what falls off into the lowest bit.
fn jam(significand: u128, by: i32) -> u128 {
    if by >= 128 {
        return u128::from(significand != 0);
    }
    let lost = significand & ((1 << by) - 1);
    significand >> by | u128::from(lost != 0)
}

/// Rounds `a + b`. None for NaN operands and for `inf - inf`.
pub(crate) fn add(format: Format, a: u64, b: u64, rounding: Rounding) -> Option<u64> {
    sum(format, format.decode(a), format.decode(b), rounding)
}

/// Rounds `a * b`. None for NaN operands and for `0 * inf`.
pub(crate) fn mul(format: Format, a: u64, b: u64, rounding: Rounding) -> Option<u64> {
    finish(format, product(format.decode(a), format.decode(b))?, rounding)
}

/// Rounds `a * b + c` once. None for NaN operands, `0 * inf` and `inf - inf`.
pub(crate) fn fma(format: Format, a: u64, b: u64, c: u64, rounding: Rounding) -> Option<u64> {
    let product = product(format.decode(a), format.decode(b))?;
    sum(format, product, format.decode(c), rounding)
}

/// Rounds `a / b`. None for NaN operands, `0 / 0` and `inf / inf`.
pub(crate) fn div(format: Format, a: u64, b: u64, rounding: Rounding) -> Option<u64> {
    let (a, b) = (format.decode(a), format.decode(b));
    let negative = a.negative() != b.negative();
    let quotient = match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) | (Value::Infinity { .. }, Value::Infinity { .. }) => return None,
        (Value::Infinity { .. }, Value::Finite(_)) => Value::Infinity { negative },
        (Value::Finite(_), Value::Infinity { .. }) => Value::Finite(Number { negative, significand: 0, exponent: 0 }),
        (Value::Finite(a), Value::Finite(b)) => match (a.significand, b.significand) {
            (0, 0) => return None,
            (_, 0) => Value::Infinity { negative },
            (0, _) => Value::Finite(Number { negative, significand: 0, exponent: 0 }),
            _ => {
                // 126 bits over at most 53 leave 72 or more bits of quotient.
                let a = a.normalized();
                let exact = a.significand % b.significand == 0;
                let significand = (a.significand / b.significand) | u128::from(!exact);
                Value::Finite(Number { negative, significand, exponent: a.exponent - b.exponent })
            }
        },
    };
    finish(format, quotient, rounding)
}

/// Rounds the square root. None for NaN and negative operands other than -0.
pub(crate) fn sqrt(format: Format, a: u64, rounding: Rounding) -> Option<u64> {
    let root = match format.decode(a) {
        Value::Finite(zero) if zero.significand == 0 => Value::Finite(zero),
        Value::Infinity { negative: false } => Value::Infinity { negative: false },
        Value::Finite(number) if !number.negative => {
            let mut number = number.normalized();
            if number.exponent % 2 != 0 {
                number = Number { significand: number.significand << 1, exponent: number.exponent - 1, ..number };
            }
            let root = number.significand.isqrt();
            let exact = root * root == number.significand;
            Value::Finite(Number {
                negative: false,
                significand: root << 1 | u128::from(!exact),
                exponent: number.exponent / 2 - 1,
            })
        }
        _ => return None,
    };
    finish(format, root, rounding)
}

/// The exact product, or `None` if it is invalid.
fn product(a: Value, b: Value) -> Option<Value> {
    let negative = a.negative() != b.negative();
    Some(match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => return None,
        (Value::Finite(a), Value::Finite(b)) => Value::Finite(Number {
            negative,
            significand: a.significand * b.significand,
            exponent: a.exponent + b.exponent,
        }),
        _ if a.is_zero() || b.is_zero() => return None,
        _ => Value::Infinity { negative },
    })
}

fn sum(format: Format, a: Value, b: Value, rounding: Rounding) -> Option<u64> {
    let value = match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => return None,
        (Value::Infinity { negative: x }, Value::Infinity { negative: y }) if x != y => return None,
        (infinity @ Value::Infinity { .. }, _) | (_, infinity @ Value::Infinity { .. }) => infinity,
        (Value::Finite(a), Value::Finite(b)) => Value::Finite(sum_finite(a, b, rounding)),
    };
    finish(format, value, rounding)
}

/// A sum with at least 100 leading bits right and the rest jammed.
fn sum_finite(a: Number, b: Number, rounding: Rounding) -> Number {
    match (a.significand, b.significand) {
        (0, 0) => {
            let negative = if a.negative == b.negative { a.negative } else { rounding == Rounding::Down };
            return Number { negative, ..a };
        }
        (_, 0) => return a,
        (0, _) => return b,
        _ => {}
    }
    let (a, b) = (a.normalized(), b.normalized());
    let (large, small) = if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
    let aligned = jam(small.significand, large.exponent - small.exponent);
    if large.negative == small.negative {
        return Number { significand: large.significand + aligned, ..large };
    }
    match large.significand.cmp(&aligned) {
        // Exact cancellation: a zero whose sign only the direction decides.
        Ordering::Equal => Number { negative: rounding == Rounding::Down, significand: 0, exponent: 0 },
        _ => Number { significand: large.significand - aligned, ..large },
    }
}

fn finish(format: Format, value: Value, rounding: Rounding) -> Option<u64> {
    match value {
        Value::Nan => None,
        Value::Infinity { negative } => Some(format.sign(negative) | format.infinity()),
        Value::Finite(number) => Some(format.encode(number, rounding, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_survives_a_round_trip() {
        for (format, bits) in
            [(Format::F16, 16), (Format::BF16, 16), (Format::E5M2, 8), (Format::E4M3, 8), (Format::TF32, 19)]
        {
            for pattern in 0..1u64 << bits {
                if let Value::Finite(number) = format.decode(pattern) {
                    for rounding in Rounding::ALL {
                        assert_eq!(format.encode(number, rounding, false), pattern, "{format:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn zero_signs_follow_the_direction() {
        let (one, minus_one) = (1f32.to_bits().into(), (-1f32).to_bits().into());
        assert_eq!(add(Format::F32, one, minus_one, Rounding::Down), Some(0x8000_0000));
        assert_eq!(add(Format::F32, one, minus_one, Rounding::Up), Some(0));
        assert_eq!(add(Format::F32, 0x8000_0000, 0x8000_0000, Rounding::Up), Some(0x8000_0000));
    }

    #[test]
    fn overflow_depends_on_the_direction() {
        let max = f32::MAX.to_bits().into();
        assert_eq!(add(Format::F32, max, max, Rounding::TowardZero), Some(max));
        assert_eq!(add(Format::F32, max, max, Rounding::Down), Some(max));
        assert_eq!(add(Format::F32, max, max, Rounding::Up), Some(0x7f80_0000));
    }
}
