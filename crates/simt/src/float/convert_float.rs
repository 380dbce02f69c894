//! Conversion between floating-point formats.

use super::{
    bf16::Bf16,
    f16::F16,
    nan,
    rounding::Rounding,
    small::Half16,
    soft::{Format, Value},
};

/// A floating-point type of an operand. Values are bits in the low end of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FloatType {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// TensorFloat-32 in the layout of an f32, its low 13 bits zero.
    Tf32,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl FloatType {
    /// The type a modifier names, without its dot.
    pub(crate) fn parse(modifier: &str) -> Option<FloatType> {
        Some(match modifier {
            "f16" => FloatType::F16,
            "bf16" => FloatType::Bf16,
            "tf32" => FloatType::Tf32,
            "f32" => FloatType::F32,
            "f64" => FloatType::F64,
            _ => return None,
        })
    }

    pub(super) fn format(self) -> Format {
        match self {
            FloatType::F16 => Format::F16,
            FloatType::Bf16 => Format::BF16,
            FloatType::Tf32 => Format::TF32,
            FloatType::F32 => Format::F32,
            FloatType::F64 => Format::F64,
        }
    }

    /// Takes apart the bits of an operand. A tf32 operand is read as an f32: its low bits are zero, or ignored.
    pub(super) fn decode(self, bits: u64) -> Value {
        match self {
            FloatType::Tf32 => Format::TF32.decode(bits >> 13 & 0x7_ffff),
            _ => self.format().decode(bits),
        }
    }

    /// Moves encoded bits to where a register has them.
    pub(super) fn place(self, bits: u64) -> u64 {
        if self == FloatType::Tf32 { bits << 13 } else { bits }
    }

    fn canonical_nan(self) -> u64 {
        match self {
            FloatType::F16 | FloatType::Bf16 => nan::HALF.into(),
            FloatType::Tf32 | FloatType::F32 => nan::F32.to_bits().into(),
            FloatType::F64 => nan::widen_f32(nan::F32.to_bits()),
        }
    }
}

/// The modifiers of a conversion to a floating-point type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct FloatCvt {
    /// Direction of rounding.
    pub(crate) rounding: Rounding,
    /// `.rni` and the like: round to an integral value of the same type.
    pub(crate) integral: bool,
    /// `.ftz`: subnormal f32 operands and f32 results count as zeros of their sign; other types are untouched.
    pub(crate) ftz: bool,
    /// `.sat`: clamp to [0, 1], NaN becoming +0.
    pub(crate) sat: bool,
    /// `.relu`: negative results become +0, NaN the canonical one.
    pub(crate) relu: bool,
    /// `.satfinite`: magnitudes beyond the largest finite value, infinities too, become that value.
    pub(crate) satfinite: bool,
}

/// Converts the bits of one type to another: `cvt.to.from`.
pub(crate) fn convert(from: FloatType, to: FloatType, bits: u64, how: FloatCvt) -> u64 {
    if how == FloatCvt::default() {
        // The conversions of everyday code, which have shorter ways.
        match (from, to) {
            (FloatType::F32, FloatType::F16) => return F16::from_f32(f32::from_bits(bits as u32)).into(),
            (FloatType::F32, FloatType::Bf16) => return Bf16::from_f32(f32::from_bits(bits as u32)).into(),
            (FloatType::F16, FloatType::F32) => return f16_to_f32(bits as u16).to_bits().into(),
            (FloatType::F32, FloatType::F64) => return f32_to_f64(f32::from_bits(bits as u32)).to_bits(),
            (FloatType::F64, FloatType::F32) => return f64_to_f32(f64::from_bits(bits)).to_bits().into(),
            _ => {}
        }
    }
    general(from, to, bits, how)
}

/// f16 to f32, exact.
#[inline(always)]
pub(crate) fn f16_to_f32(bits: u16) -> f32 {
    if F16::is_nan(bits) { f32::from_bits(nan::widen_f16(bits)) } else { F16::to_f32(bits) }
}

/// f32 to f64, exact.
#[inline(always)]
pub(crate) fn f32_to_f64(x: f32) -> f64 {
    if x.is_nan() { f64::from_bits(nan::widen_f32(x.to_bits())) } else { f64::from(x) }
}

/// f64 to f32, to nearest even.
#[inline(always)]
pub(crate) fn f64_to_f32(x: f64) -> f32 {
    nan::canonical_f32(x as f32)
}

/// `cvt.rn.f16x2.f32 d, a, b` and relatives: `a` goes to the upper half.
pub(crate) fn pack_f32(to: FloatType, a: f32, b: f32, how: FloatCvt) -> u32 {
    let half = |x: f32| convert(FloatType::F32, to, x.to_bits().into(), how) as u32 & 0xffff;
    half(a) << 16 | half(b)
}

fn general(from: FloatType, to: FloatType, bits: u64, how: FloatCvt) -> u64 {
    let format = to.format();
    let bits = if how.ftz && from == FloatType::F32 { flush(Format::F32, bits) } else { bits };
    let result = match from.decode(bits) {
        Value::Nan if how.sat => 0,
        Value::Nan if how.relu => return to.canonical_nan(),
        Value::Nan => return convert_nan(from, to, bits),
        Value::Infinity { negative } => {
            format.sign(negative) | if how.satfinite { format.max_finite } else { format.infinity() }
        }
        Value::Finite(number) => {
            let number = if how.integral { number.round_to_integer(how.rounding) } else { number };
            format.encode(number, how.rounding, how.satfinite)
        }
    };
    let result = if how.ftz && to == FloatType::F32 { flush(format, result) } else { result };
    let negative = result & format.sign(true) != 0;
    let result = if how.relu && negative { 0 } else { result };
    to.place(if how.sat { clamp(format, result, negative) } else { result })
}

fn flush(format: Format, bits: u64) -> u64 {
    if format.is_subnormal(bits) { bits & format.sign(true) } else { bits }
}

/// Clamps the bits of a number to [0, 1]: nonnegative values order as their bits do.
pub(super) fn clamp(format: Format, bits: u64, negative: bool) -> u64 {
    let one = ((1u64 << (format.exponent - 1)) - 1) << format.significand;
    if negative { 0 } else { bits.min(one) }
}

/// The NaN that a NaN converts to: canonical when narrowing, per [`nan`] when widening.
fn convert_nan(from: FloatType, to: FloatType, bits: u64) -> u64 {
    match (from, to) {
        (FloatType::Bf16, FloatType::F32) => nan::widen_bf16(bits as u16).into(),
        (FloatType::F16, FloatType::F32) => nan::widen_f16(bits as u16).into(),
        (FloatType::F16 | FloatType::Bf16, FloatType::F64) => nan::widen_half_f64(bits as u16),
        (FloatType::F32 | FloatType::Tf32, FloatType::F64) => nan::widen_f32(bits as u32),
        (FloatType::F64, FloatType::F64) => nan::propagate_f64(f64::NAN, [f64::from_bits(bits)]).to_bits(),
        _ => to.canonical_nan(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::testing::Random, *};

    const TYPES: [FloatType; 4] = [FloatType::F16, FloatType::Bf16, FloatType::F32, FloatType::F64];

    fn rounded(rounding: Rounding) -> FloatCvt {
        FloatCvt { rounding, ..FloatCvt::default() }
    }

    #[test]
    fn widening_and_back_is_the_identity() {
        for bits in 0..=u16::MAX {
            for (half, nan) in [(FloatType::F16, F16::is_nan(bits)), (FloatType::Bf16, Bf16::is_nan(bits))] {
                for wide in [FloatType::F32, FloatType::F64] {
                    for rounding in Rounding::ALL {
                        let up = convert(half, wide, bits.into(), rounded(rounding));
                        let down = convert(wide, half, up, rounded(rounding));
                        assert_eq!(down, if nan { 0x7fff } else { bits.into() });
                    }
                }
            }
        }
    }

    #[test]
    fn short_ways_agree_with_the_general_one() {
        let mut random = Random::new(8);
        for _ in 0..300_000 {
            for from in TYPES {
                let format = from.format();
                let bits = random.bits(format.exponent, format.significand);
                for to in TYPES {
                    assert_eq!(
                        convert(from, to, bits, FloatCvt::default()),
                        general(from, to, bits, FloatCvt::default()),
                        "{from:?} {to:?} {bits:#x}"
                    );
                }
            }
        }
    }

    #[test]
    fn directed_narrowing_brackets_the_value() {
        let mut random = Random::new(9);
        for _ in 0..100_000 {
            let x = random.f64();
            if x.is_nan() {
                continue;
            }
            for to in [FloatType::F16, FloatType::Bf16, FloatType::F32] {
                let value = |rounding| {
                    let bits = convert(FloatType::F64, to, x.to_bits(), rounded(rounding));
                    f64::from_bits(convert(to, FloatType::F64, bits, FloatCvt::default()))
                };
                let (down, up) = (value(Rounding::Down), value(Rounding::Up));
                assert!(down <= x && x <= up, "{x:e} {to:?}");
                assert_eq!(value(Rounding::TowardZero), if x < 0.0 { up } else { down }, "{x:e}");
                let nearest = value(Rounding::NearestEven);
                assert!(nearest == down || nearest == up);
                if down.is_finite() && up.is_finite() {
                    assert!((nearest - x).abs() <= (up - x).min(x - down), "{x:e} {to:?}");
                }
            }
        }
    }

    #[test]
    fn tf32() {
        let convert = |x: u32, how| convert(FloatType::F32, FloatType::Tf32, x.into(), how) as u32;
        let rna = rounded(Rounding::NearestAway);
        assert_eq!(convert(0x3f80_1000, rna), 0x3f80_2000);
        assert_eq!(convert(0x3f80_0fff, rna), 0x3f80_0000);
        assert_eq!(convert(0xbf80_1000, rna), 0xbf80_2000);
        assert_eq!(convert(0x3f80_1000, FloatCvt::default()), 0x3f80_0000);
        assert_eq!(convert(0x3f80_3000, FloatCvt::default()), 0x3f80_4000);
        assert_eq!(convert(0x3f80_3fff, rounded(Rounding::TowardZero)), 0x3f80_2000);
        assert_eq!(convert(0x7f7f_ffff, rna), 0x7f80_0000);
        assert_eq!(convert(0x7f7f_ffff, FloatCvt { satfinite: true, ..rna }), 0x7f7f_e000);
        assert_eq!(convert(0x7f80_0001, rna), 0x7fff_ffff);
        assert_eq!(convert(0x0000_1000, rna), 0x0000_2000);
    }

    #[test]
    fn modifiers() {
        let plain = FloatCvt::default();
        let f32_to = |to, x: f32, how| convert(FloatType::F32, to, x.to_bits().into(), how);
        let satfinite = FloatCvt { satfinite: true, ..plain };
        assert_eq!(f32_to(FloatType::F16, 1e9, satfinite), 0x7bff);
        assert_eq!(f32_to(FloatType::F16, f32::NEG_INFINITY, satfinite), 0xfbff);
        assert_eq!(f32_to(FloatType::F16, f32::NAN, satfinite), 0x7fff);
        let relu = FloatCvt { relu: true, ..plain };
        assert_eq!(f32_to(FloatType::Bf16, -1.0, relu), 0);
        assert_eq!(f32_to(FloatType::Bf16, -f32::NAN, relu), 0x7fff);
        let sat = FloatCvt { sat: true, ..plain };
        assert_eq!(f32_to(FloatType::F16, f32::NAN, sat), 0);
        assert_eq!(f32_to(FloatType::F16, 3.0, sat), 0x3c00);
        assert_eq!(f32_to(FloatType::F64, -3.0, sat), 0);
        let ftz = FloatCvt { ftz: true, ..plain };
        assert_eq!(f32_to(FloatType::F64, -f32::from_bits(1), ftz), 1 << 63);
        assert_eq!(convert(FloatType::F64, FloatType::F32, 1e-40f64.to_bits(), ftz), 0);
        assert_eq!(convert(FloatType::F64, FloatType::F32, 1e-40f64.to_bits(), plain), 71362);
        // An f16 subnormal is an ordinary f32.
        assert_eq!(convert(FloatType::F16, FloatType::F32, 1, ftz), u64::from(2f32.powi(-24).to_bits()));
        assert_eq!(pack_f32(FloatType::F16, 1.0, 2.0, plain), 0x3c00_4000);
        let integral = FloatCvt { integral: true, ..plain };
        assert_eq!(f32_to(FloatType::F32, 2.5, integral), 2f32.to_bits().into());
        assert_eq!(f32_to(FloatType::F32, -0.25, integral), 0x8000_0000);
        let up = FloatCvt { rounding: Rounding::Up, ..integral };
        assert_eq!(f32_to(FloatType::F32, 1.0e-9, up), 1f32.to_bits().into());
    }
}
