//! The 8-bit formats e4m3 and e5m2.

use super::{
    f16::F16,
    nan, packed,
    rounding::Rounding,
    small::Half16,
    soft::{Format, Value},
};

/// An 8-bit floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fp8 {
    /// Four exponent bits, three of significand, no infinities.
    E4m3,
    /// Five exponent bits, two of significand.
    E5m2,
}

/// The one NaN both formats deliver.
const NAN: u8 = 0x7f;

impl Fp8 {
    /// The format that `e4m3`, `e5m2` or their `x2` pairs name, without the dot.
    pub(crate) fn parse(modifier: &str) -> Option<Fp8> {
        Some(match modifier {
            "e4m3" | "e4m3x2" => Fp8::E4m3,
            "e5m2" | "e5m2x2" => Fp8::E5m2,
            _ => return None,
        })
    }

    fn format(self) -> Format {
        match self {
            Fp8::E4m3 => Format::E4M3,
            Fp8::E5m2 => Format::E5M2,
        }
    }

    /// `.rn.satfinite`: nearest even, overflow and infinities to the largest finite value, NaN kept.
    pub(crate) fn encode_f32(self, x: f32, relu: bool) -> u8 {
        let format = self.format();
        let bits = match Format::F32.decode(x.to_bits().into()) {
            Value::Nan => return NAN,
            Value::Infinity { negative } => format.sign(negative) | format.max_finite,
            Value::Finite(number) => format.encode(number, Rounding::NearestEven, true),
        };
        if relu && bits & 0x80 != 0 { 0 } else { bits as u8 }
    }

    /// The value, which f32 holds exactly.
    #[inline]
    pub(crate) fn to_f32(self, bits: u8) -> f32 {
        match self {
            // An e5m2 is the upper half of an f16.
            Fp8::E5m2 => F16::to_f32(u16::from(bits) << 8),
            Fp8::E4m3 => {
                let magnitude = u32::from(bits & 0x7f);
                let sign = u32::from(bits & 0x80) << 24;
                let normal = f32::from_bits((magnitude << 20) + (120 << 23));
                let subnormal = magnitude as f32 * f32::from_bits(118 << 23);
                let number = if magnitude < 8 { subnormal } else { normal };
                let value = if magnitude == 0x7f { nan::F32 } else { number };
                f32::from_bits(value.to_bits() | sign)
            }
        }
    }

    /// `cvt.rn.satfinite.e4m3x2.f32 d, a, b`: `a` goes to the upper byte.
    pub(crate) fn pack_f32(self, a: f32, b: f32, relu: bool) -> u16 {
        u16::from(self.encode_f32(a, relu)) << 8 | u16::from(self.encode_f32(b, relu))
    }

    /// `cvt.rn.satfinite.e4m3x2.f16x2 d, a`: halves keep their order.
    pub(crate) fn pack_f16x2(self, a: u32, relu: bool) -> u16 {
        let [low, high] = packed::split(a).map(F16::to_f32);
        self.pack_f32(high, low, relu)
    }

    /// `cvt.rn.f16x2.e4m3x2 d, a`: exact, halves keep their order.
    pub(crate) fn unpack_f16x2(self, a: u16, relu: bool) -> u32 {
        let half = |byte: u8| {
            let bits = F16::from_f32(self.to_f32(byte));
            if relu { F16::relu(bits) } else { bits }
        };
        packed::pack(half(a as u8), half((a >> 8) as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_survives() {
        for format in [Fp8::E4m3, Fp8::E5m2] {
            for bits in 0..=u8::MAX {
                let x = format.to_f32(bits);
                match format.format().decode(bits.into()) {
                    Value::Nan => assert!(x.is_nan()),
                    Value::Infinity { negative } => assert!(x.is_infinite() && x.is_sign_negative() == negative),
                    Value::Finite(number) => {
                        let magnitude = number.significand as f32 * 2f32.powi(number.exponent);
                        assert_eq!(x.abs(), magnitude, "{bits:#x}");
                        assert_eq!(format.encode_f32(x, false), bits);
                        let expected = if x.is_sign_negative() { 0 } else { bits };
                        assert_eq!(format.encode_f32(x, true), expected);
                        let pair = u16::from(bits) << 8 | 0x38;
                        assert_eq!(format.pack_f16x2(format.unpack_f16x2(pair, false), false), pair);
                    }
                }
            }
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(Fp8::E4m3.to_f32(0x7e), 448.0);
        assert_eq!(Fp8::E4m3.to_f32(0x01), 2f32.powi(-9));
        assert_eq!(Fp8::E5m2.to_f32(0x7b), 57344.0);
        assert_eq!(Fp8::E4m3.encode_f32(1e9, false), 0x7e);
        assert_eq!(Fp8::E4m3.encode_f32(f32::NEG_INFINITY, false), 0xfe);
        assert_eq!(Fp8::E5m2.encode_f32(f32::INFINITY, false), 0x7b);
        assert_eq!(Fp8::E5m2.encode_f32(-f32::NAN, true), 0x7f);
        assert_eq!(Fp8::E4m3.encode_f32(464.0, false), 0x7e);
        assert_eq!(Fp8::E4m3.encode_f32(17.0, false), 0x58);
        assert_eq!(Fp8::E4m3.encode_f32(2f32.powi(-10), false), 0);
        assert_eq!(Fp8::E4m3.encode_f32(2f32.powi(-10).next_up(), false), 1);
        assert_eq!(Fp8::E4m3.pack_f32(1.0, 2.0, false), 0x3840);
        assert_eq!(Fp8::E4m3.unpack_f16x2(0x7fb8, true), 0x7fff_0000);
    }
}
