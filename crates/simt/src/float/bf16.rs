//! bfloat16: the upper half of an f32.

use super::{nan, small::Half16};

/// Marker for the bf16 format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bf16;

impl Half16 for Bf16 {
    const ONE: u16 = 0x3f80;
    const INFINITY: u16 = 0x7f80;

    #[inline(always)]
    fn to_f32(bits: u16) -> f32 {
        f32::from_bits(u32::from(bits) << 16)
    }

    #[inline(always)]
    fn from_f32(x: f32) -> u16 {
        let bits = x.to_bits();
        // Cannot wrap: NaNs, which could, are replaced below.
        let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
        if x.is_nan() { nan::HALF } else { rounded as u16 }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            rounding::Rounding,
            small::HalfMode,
            soft::{self, Format},
            testing::Random,
        },
        *,
    };

    #[test]
    fn every_value_survives() {
        for bits in 0..=u16::MAX {
            let narrow = Bf16::from_f32(Bf16::to_f32(bits));
            assert_eq!(narrow, if Bf16::is_nan(bits) { 0x7fff } else { bits });
        }
        assert_eq!(Bf16::from_f32(f32::MAX), 0x7f80);
        assert_eq!(Bf16::from_f32(f32::from_bits(0x3f80_8000)), 0x3f80);
        assert_eq!(Bf16::from_f32(f32::from_bits(0x3f81_8000)), 0x3f82);
        assert_eq!(Bf16::from_f32(f32::from_bits(0x8000_8001)), 0x8001);
    }

    #[test]
    fn arithmetic_agrees_with_exact_integers() {
        let mut random = Random::new(7);
        let rn = Rounding::NearestEven;
        let plain = HalfMode::default();
        for _ in 0..500_000 {
            let [a, b, c] = [(); 3].map(|()| random.bits(8, 7));
            let [x, y, z] = [a, b, c].map(|bits| bits as u16);
            let want = |bits: Option<u64>| bits.unwrap_or(0x7fff) as u16;
            assert_eq!(Bf16::add(x, y, plain), want(soft::add(Format::BF16, a, b, rn)), "{x:#x} + {y:#x}");
            assert_eq!(Bf16::mul(x, y, plain), want(soft::mul(Format::BF16, a, b, rn)), "{x:#x} * {y:#x}");
            assert_eq!(Bf16::fma(x, y, z, plain), want(soft::fma(Format::BF16, a, b, c, rn)), "{x:#x} {y:#x} {z:#x}");
        }
    }

    #[test]
    fn products_near_the_underflow_limit() {
        // All pairs of significands at the exponents where f32 itself underflows.
        let rn = Rounding::NearestEven;
        for a in 0x0080..0x0180u16 {
            for b in 0x3b00..0x3f80u16 {
                let want = soft::mul(Format::BF16, a.into(), b.into(), rn).unwrap_or(0) as u16;
                assert_eq!(Bf16::mul(a, b, HalfMode::default()), want, "{a:#x} * {b:#x}");
            }
        }
    }

    #[test]
    fn functions() {
        assert_eq!(Bf16::ex2(Bf16::from_f32(-130.0), false), 0x0008);
        assert_eq!(Bf16::ex2(Bf16::from_f32(-130.0), true), 0);
        assert_eq!(Bf16::tanh(Bf16::from_f32(20.0)), 0x3f80);
    }
}
