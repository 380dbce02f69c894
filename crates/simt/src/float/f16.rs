//! IEEE binary16.

use super::{nan, odd, small::Half16};

/// Marker for the f16 format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F16;

impl Half16 for F16 {
    const ONE: u16 = 0x3c00;
    const INFINITY: u16 = 0x7c00;

    #[inline(always)]
    fn to_f32(bits: u16) -> f32 {
        let magnitude = u32::from(bits & 0x7fff);
        let sign = u32::from(bits & 0x8000) << 16;
        // Rebias the exponent: 112 for numbers, and as much again for infinities and NaNs.
        let rebias = if magnitude >= 0x7c00 { 224 << 23 } else { 112 << 23 };
        let normal = (magnitude << 13) + rebias;
        // A subnormal is an integer times 2^-24, exact in f32. (Conversion from i32 is a vector instruction.)
        let subnormal = (magnitude as i32 as f32 * f32::from_bits(103 << 23)).to_bits();
        f32::from_bits(sign | if magnitude < 0x0400 { subnormal } else { normal })
    }

    #[inline(always)]
    fn from_f32(x: f32) -> u16 {
        let bits = x.to_bits();
        let sign = bits >> 16 & 0x8000;
        let magnitude = bits & 0x7fff_ffff;
        // Numbers: rebias, round at bit 13. A carry moves into the exponent and up to infinity by itself.
        let odd = magnitude >> 13 & 1;
        let normal = magnitude.wrapping_add(0xfff + odd).wrapping_sub(112 << 23) >> 13;
        // Below 2^-14: adding 0.5, whose last place is 2^-24, rounds there.
        let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(126 << 23);
        let finite = if magnitude < 113 << 23 { subnormal } else { normal };
        let large = if magnitude > 255 << 23 { u32::from(nan::HALF) } else { 0x7c00 };
        let result = if magnitude >= 143 << 23 { large } else { finite };
        // A NaN has no sign of its own.
        (result | if magnitude > 255 << 23 { 0 } else { sign }) as u16
    }

    #[inline(always)]
    fn fma_from_f32(a: f32, b: f32, c: f32) -> u16 {
        // Products of f16 are exact in f32 and nowhere near its limits, so the sum can be formed there.
        Self::from_f32(odd::fma_f32(a, b, c))
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            rounding::Rounding,
            small::HalfMode,
            soft::{self, Format, Value},
            testing::Random,
        },
        *,
    };

    fn exact(bits: u16) -> f64 {
        let magnitude = u64::from(bits & 0x7fff);
        let (exponent, fraction) = (magnitude >> 10, magnitude & 0x3ff);
        let value = match exponent {
            0 => fraction as f64 * 2f64.powi(-24),
            31 if fraction == 0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024 + fraction) as f64 * 2f64.powi(exponent as i32 - 25),
        };
        if bits & 0x8000 != 0 { -value } else { value }
    }

    #[test]
    fn every_value_widens_and_narrows() {
        for bits in 0..=u16::MAX {
            let wide = F16::to_f32(bits);
            if F16::is_nan(bits) {
                assert!(wide.is_nan());
                assert_eq!(F16::from_f32(wide), 0x7fff);
            } else {
                assert_eq!(f64::from(wide).to_bits(), exact(bits).to_bits(), "{bits:#x}");
                assert_eq!(F16::from_f32(wide), bits);
                assert_eq!(F16::from_f64(exact(bits)), bits);
            }
        }
    }

    #[test]
    fn narrowing_rounds_halfway_cases_to_even() {
        for bits in 0..0x7bffu16 {
            let (low, high) = (exact(bits), exact(bits + 1));
            let middle = (low + high) / 2.0;
            let even = if bits & 1 == 0 { bits } else { bits + 1 };
            assert_eq!(F16::from_f32(middle as f32), even);
            assert_eq!(F16::from_f32(-(middle as f32)), even | 0x8000);
            assert_eq!(F16::from_f64(middle), even);
            assert_eq!(F16::from_f32((middle as f32).next_up()), bits + 1);
            assert_eq!(F16::from_f32((middle as f32).next_down()), bits);
            assert_eq!(F16::from_f64(middle.next_up()), bits + 1);
            assert_eq!(F16::from_f64(middle.next_down()), bits);
        }
        assert_eq!(F16::from_f32(65519.996), 0x7bff);
        assert_eq!(F16::from_f32(65520.0), 0x7c00);
        assert_eq!(F16::from_f32(-1e30), 0xfc00);
        assert_eq!(F16::from_f32(2f32.powi(-25)), 0);
        assert_eq!(F16::from_f32(2f32.powi(-25).next_up()), 1);
        assert_eq!(F16::from_f32(-1e-30), 0x8000);
    }

    #[test]
    fn arithmetic_agrees_with_exact_integers() {
        let mut random = Random::new(5);
        let rn = Rounding::NearestEven;
        let plain = HalfMode::default();
        for _ in 0..500_000 {
            let [a, b, c] = [(); 3].map(|()| random.bits(5, 10));
            let [x, y, z] = [a, b, c].map(|bits| bits as u16);
            let want = |bits: Option<u64>| bits.unwrap_or(0x7fff) as u16;
            assert_eq!(F16::add(x, y, plain), want(soft::add(Format::F16, a, b, rn)), "{x:#x} + {y:#x}");
            assert_eq!(F16::sub(x, y, plain), want(soft::add(Format::F16, a, b ^ 0x8000, rn)));
            assert_eq!(F16::mul(x, y, plain), want(soft::mul(Format::F16, a, b, rn)), "{x:#x} * {y:#x}");
            assert_eq!(F16::fma(x, y, z, plain), want(soft::fma(Format::F16, a, b, c, rn)), "{x:#x} {y:#x} {z:#x}");
        }
    }

    #[test]
    fn fma_agrees_with_big_integers() {
        // An independent reference: everything in units of 2^-48 fits i128.
        let mut random = Random::new(6);
        for _ in 0..300_000 {
            let [a, b, c] = [(); 3].map(|()| random.bits(5, 10) as u16);
            if [a, b, c].into_iter().any(|bits| bits & 0x7c00 == 0x7c00) {
                continue;
            }
            let units = |bits: u16, scale: i32| (exact(bits) * 2f64.powi(scale)) as i128;
            let sum = units(a, 24) * units(b, 24) + (units(c, 24) << 24);
            if sum == 0 {
                continue;
            }
            let mut best = (u128::MAX, 0u16);
            let got = F16::fma(a, b, c, HalfMode::default());
            // The nearest of the result and its neighbours, ties to the even one; infinity stands for 2^16.
            for candidate in [(got & 0x7fff).wrapping_sub(1), got & 0x7fff, (got & 0x7fff) + 1] {
                if candidate > 0x7c00 {
                    continue;
                }
                let value = if candidate == 0x7c00 { 1i128 << 64 } else { units(candidate, 24) << 24 };
                let distance = sum.unsigned_abs().abs_diff(value as u128);
                if distance < best.0 || distance == best.0 && candidate & 1 == 0 {
                    best = (distance, candidate);
                }
            }
            let beyond = sum.unsigned_abs() >= 65520 << 48;
            let want = if beyond { 0x7c00 } else { best.1 };
            assert_eq!(got, want | if sum < 0 { 0x8000 } else { 0 }, "{a:#x} {b:#x} {c:#x}");
        }
    }

    #[test]
    fn modifiers() {
        let ftz = HalfMode { ftz: true, ..HalfMode::default() };
        let sat = HalfMode { sat: true, ..HalfMode::default() };
        let relu = HalfMode { relu: true, ..HalfMode::default() };
        assert_eq!(F16::add(0x03ff, 0x8000, ftz), 0);
        assert_eq!(F16::mul(0x0400, 0xb800, ftz), 0x8000);
        assert_eq!(F16::add(0x4000, 0x4000, sat), 0x3c00);
        assert_eq!(F16::add(0x7c00, 0xfc00, sat), 0);
        assert_eq!(F16::add(0x8000, 0x8000, sat), 0);
        assert_eq!(F16::mul(0x3c00, 0xbc00, relu), 0);
        assert_eq!(F16::fma(0x7c00, 0x0000, 0xbc00, relu), 0x7fff);
        assert_eq!(F16::add(0xfe01, 0x3c00, HalfMode::default()), 0x7fff);
    }

    #[test]
    fn functions() {
        assert_eq!(F16::ex2(0x4200, false), 0x4800);
        assert_eq!(F16::ex2(0xfc00, false), 0);
        assert_eq!(F16::ex2(0x7c00, false), 0x7c00);
        assert_eq!(F16::ex2(0x8000, false), 0x3c00);
        assert_eq!(F16::ex2(F16::from_f32(-24.0), false), 1);
        assert_eq!(F16::ex2(F16::from_f32(-24.0), true), 0);
        assert_eq!(F16::tanh(0xfc00), 0xbc00);
        assert_eq!(F16::tanh(0x8000), 0x8000);
        assert_eq!(F16::tanh(0x7c01), 0x7fff);
        assert_eq!(F16::round_integral(F16::from_f32(2.5), Rounding::NearestEven), F16::from_f32(2.0));
        assert_eq!(F16::round_integral(F16::from_f32(-0.5), Rounding::Up), 0x8000);
        assert!(matches!(Format::F16.decode(0x7c00), Value::Infinity { negative: false }));
    }
}
