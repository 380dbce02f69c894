//! Linear filtering: the eight texels around a sample become one value, to the bit as hardware does it.
//!
//! Weights have eight fractional bits, also where two or three of them are multiplied: the products are rounded so that
//! all weights still add up to one. Integers are mixed as integers and rounded to 16 bits, 15 and a sign for signed
//! ones, where halves go up. Floating-point texels are brought to the largest exponent of the four in their plane, with
//! four bits more than a number has, and what does not fit is cut off; their sum is rounded once, to the channel's format.
//! Single-precision numbers below the smallest normal one are zeros, before and after.

use super::address::ONE;
use warpwise_arch::Channel;

/// Texels around a sample: x changes fastest, then y, then z.
pub(super) type Corners<T> = [T; 8];

/// Bits that a texel keeps below those of a single-precision number.
const GUARD_BITS: u32 = 4;
/// Bits of a single-precision number.
const MANTISSA_BITS: u32 = f32::MANTISSA_DIGITS;

/// The weights, in 256ths, of the texels around a sample of which the second along each axis has the given weight.
pub(super) fn weights([x, y, z]: [i64; 3], axes: usize) -> Corners<i64> {
    let nearest = |product: i64| (product + ONE / 2) / ONE;
    if axes < 3 {
        let both = nearest(x * y);
        return [ONE - x - y + both, x - both, y - both, both, 0, 0, 0, 0];
    }
    weights_of_planes([[x, y]; 2], z)
}

/// The weights of texels in two planes, of which the second has a weight too.
pub(super) fn weights_of_planes(within: [[i64; 2]; 2], second_plane: i64) -> Corners<i64> {
    let nearest = |product: i64| (product + ONE / 2) / ONE;
    let mut all = [0; 8];
    let planes = within.into_iter().zip([ONE - second_plane, second_plane]);
    for (plane, ([x, y], of_plane)) in all.chunks_exact_mut(4).zip(planes) {
        let second = nearest(of_plane * x);
        let first = of_plane - second;
        // Halves go to the first row of the first column and to the second row of the second.
        plane[0] = nearest(first * (ONE - y));
        plane[1] = (second * (ONE - y) + ONE / 2 - 1) / ONE;
        plane[2] = first - plane[0];
        plane[3] = second - plane[1];
    }
    all
}

/// What texels of such a channel, as numbers, are together.
pub(super) fn mix(channel: Channel, texels: Corners<f32>, weights: Corners<i64>) -> f32 {
    match channel {
        Channel::U8 | Channel::U16 => ((weighted(texels, weights, 65535) + ONE / 2) / ONE) as f32 / 65535.0,
        Channel::I8 => signed(to_sixteen_bits(weighted(texels, weights, 127))),
        Channel::I16 => signed((weighted(texels, weights, 32767) + ONE / 2).div_euclid(ONE)),
        Channel::F16 => mix_floats(texels, weights, &HALF),
        Channel::U32 | Channel::I32 | Channel::F32 => mix_floats(texels, weights, &SINGLE),
    }
}

/// The weighted sum, in 256ths, of texels that are whole numbers of steps from 0 to 1.
fn weighted(texels: Corners<f32>, weights: Corners<i64>, steps: i64) -> i64 {
    let whole = |texel: f32| (f64::from(texel) * steps as f64).round() as i64;
    texels.iter().zip(weights).map(|(&texel, weight)| whole(texel) * weight).sum()
}

/// 256ths of the 127 steps of a signed byte as steps of a signed number of 16 bits. There are 1 + 1/127 of these in
/// one of those: 1 + 1/128 + 1/16384 in hardware, whose last term has eight values.
fn to_sixteen_bits(sum: i64) -> i64 {
    let last = (sum >> 12) << 4;
    sum + ((sum + 64 + last) >> 7)
}

/// A signed number of 16 bits as a fraction.
fn signed(steps: i64) -> f32 {
    steps.max(-32767) as f32 / 32767.0
}

/// A format of floating-point texels, and of what they are together.
struct Format {
    mantissa_bits: u32,
    /// The exponent of the last bit of the smallest number.
    least: i32,
    /// Whether numbers below the smallest normal one are zeros.
    flushes: bool,
    /// The bits of what is no number.
    nan: u32,
}

const HALF: Format = Format { mantissa_bits: 11, least: -24, flushes: false, nan: 0x7fff_e000 };
const SINGLE: Format = Format { mantissa_bits: MANTISSA_BITS, least: -149, flushes: true, nan: 0x7fff_ffff };

impl Format {
    fn flush(&self, x: f32) -> f32 {
        if self.flushes && x.is_subnormal() { 0f32.copysign(x) } else { x }
    }

    /// The nearest number; halves are rounded away from zero.
    fn round(&self, sum: i128, exponent: i32) -> f32 {
        let bits = (128 - sum.unsigned_abs().leading_zeros()) as i32;
        let extra = (bits - self.mantissa_bits as i32).max(self.least - exponent).clamp(0, 127);
        let kept = if extra == 0 { sum.unsigned_abs() } else { ((sum.unsigned_abs() >> (extra - 1)) + 1) >> 1 };
        let magnitude = kept as f64 * f64::from(exponent + extra).exp2();
        self.flush(if sum < 0 { -magnitude } else { magnitude } as f32)
    }
}

/// Texels as floating-point numbers.
fn mix_floats(texels: Corners<f32>, weights: Corners<i64>, format: &Format) -> f32 {
    let texels = texels.map(|texel| format.flush(texel));
    let used = || texels.iter().copied().zip(weights).filter(|&(_, weight)| weight != 0);
    if used().any(|(texel, _)| !texel.is_finite()) {
        let sum = used().map(|(texel, weight)| texel * weight as f32).sum::<f32>();
        return if sum.is_nan() { f32::from_bits(format.nan) } else { sum };
    }
    if used().all(|(texel, _)| texel == 0.0 && texel.is_sign_negative()) {
        return -0.0;
    }
    let planes = [0, 4].map(|at| plane_sum(&texels[at..at + 4], &weights[at..at + 4]));
    // Sums of so few bits are whole numbers in the unit of either plane, unless one is too small to matter.
    let [(first, a), (second, b)] = planes;
    let unit = match (first, second) {
        (_, 0) => a,
        (0, _) => b,
        _ => a.min(b).max(a.max(b) - 64),
    };
    let in_unit = |(sum, exponent): (i64, i32)| match exponent - unit {
        up @ 0.. => i128::from(sum) << up.min(64),
        down => i128::from(sum) >> (-down).min(127),
    };
    format.round(in_unit(planes[0]) + in_unit(planes[1]), unit)
}

/// The weighted sum of the texels of a plane, and the exponent of its unit.
fn plane_sum(texels: &[f32], weights: &[i64]) -> (i64, i32) {
    let parts = || texels.iter().zip(weights).filter(|&(&texel, &weight)| weight != 0 && texel != 0.0);
    let Some(largest) = parts().map(|(&texel, _)| exponent(texel)).max() else { return (0, 0) };
    let sum = parts()
        .map(|(&texel, &weight)| {
            let below = (largest - exponent(texel)).min(63);
            let cut = (mantissa(texel) << GUARD_BITS) >> below;
            if texel < 0.0 { -cut * weight } else { cut * weight }
        })
        .sum();
    (sum, largest - GUARD_BITS as i32 - ONE.trailing_zeros() as i32)
}

/// The exponent of a number's last bit.
fn exponent(x: f32) -> i32 {
    (x.to_bits() >> (MANTISSA_BITS - 1) & 0xff).max(1) as i32 - 127 - (MANTISSA_BITS as i32 - 1)
}

/// The bits of a number, without its sign.
fn mantissa(x: f32) -> i64 {
    let stored = x.to_bits() & ((1 << (MANTISSA_BITS - 1)) - 1);
    let is_normal = x.to_bits() >> (MANTISSA_BITS - 1) & 0xff != 0;
    i64::from(stored) | i64::from(is_normal) << (MANTISSA_BITS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Weights and sums that an H200 gave.

    #[test]
    fn products_of_two_weights_are_rounded_and_add_up() {
        assert_eq!(weights([3, 128, 0], 2), [127, 1, 126, 2, 0, 0, 0, 0]);
        assert_eq!(weights([6, 64, 0], 2), [188, 4, 62, 2, 0, 0, 0, 0]);
        assert_eq!(weights([3, 36, 0], 2), [217, 3, 36, 0, 0, 0, 0, 0]);
        assert_eq!(weights([77, 0, 0], 1), [179, 77, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn products_of_three_weights_are_rounded_plane_by_plane() {
        assert_eq!(weights([155, 137, 133], 3), [23, 34, 26, 40, 24, 38, 28, 43]);
        assert_eq!(weights([158, 122, 167], 3), [18, 29, 16, 26, 34, 54, 30, 49]);
        assert_eq!(weights([128, 200, 32], 3), [25, 24, 87, 88, 4, 3, 12, 13]);
        assert_eq!(weights([16, 51, 8], 3), [186, 13, 46, 3, 6, 1, 1, 0]);
        assert_eq!(weights([224, 220, 236], 3), [0, 3, 2, 15, 4, 29, 25, 178]);
    }

    #[test]
    fn floating_point_texels_are_cut_off_below_the_largest() {
        let sum = |bits: &[u32], at, axes| {
            let mut texels = [0.0; 8];
            for (texel, &bits) in texels.iter_mut().zip(bits) {
                *texel = f32::from_bits(bits);
            }
            mix(Channel::F32, texels, weights(at, axes)).to_bits()
        };
        assert_eq!(sum(&[0x402c_053e, 0x4055_8d3b, 0x406d_118e, 0xc0d5_6bb1], [103, 226, 0], 2), 0xbd93_6a1b, "a half");
        let volume =
            [0x3fd4_a275, 0x403b_270b, 0x40ab_a09f, 0xbe9f_4feb, 0x4119_517e, 0xc110_de33, 0x3f60_d19f, 0xbfc2_2966];
        assert_eq!(sum(&volume, [199, 248, 69], 3), 0x3ed9_9be7);
        assert_eq!(sum(&volume, [217, 223, 123], 3), 0xbee0_3bbe);
        let other =
            [0x4040_96ed, 0xc09d_71fb, 0x4116_f197, 0x40c5_fe6e, 0x40cd_19f1, 0xc0d1_9f0d, 0xc11b_61bc, 0xc0b3_e9fd];
        assert_eq!(sum(&other, [119, 20, 107], 3), 0xbddd_13a3);
    }

    #[test]
    fn integers_are_rounded_to_sixteen_bits() {
        let between = |channel, steps: f32, [a, b]: [f32; 2], weight| {
            let texels = [a / steps, b / steps, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            mix(channel, texels, weights([weight, 0, 0], 1)).to_bits()
        };
        assert_eq!(between(Channel::U8, 255.0, [239.0, 0.0], 39), 0x3f4b_62cb);
        assert_eq!(between(Channel::U8, 255.0, [187.0, 119.0], 78), 0x3f26_eea7);
        assert_eq!(between(Channel::U16, 65535.0, [7100.0, 0.0], 39), (6018.0f32 / 65535.0).to_bits());
        assert_eq!(between(Channel::I8, 127.0, [-14.0, 0.0], 39), (-3062.0f32 / 32767.0).to_bits());
    }

    #[test]
    fn signed_integers_are_rounded_up_from_halves_and_bytes_by_shifts() {
        let between = |channel, steps: f32, [a, b]: [f32; 2], weight| {
            let texels = [a / steps, b / steps, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            (mix(channel, texels, weights([weight, 0, 0], 1)) * 32767.0).round()
        };
        let bytes = |texels, weight| between(Channel::I8, 127.0, texels, weight);
        assert_eq!(bytes([-101.0, 127.0], 178), 14843.0, "14843.52 in full");
        assert_eq!(bytes([32.0, 127.0], 246), 31809.0, "31809.55 in full");
        assert_eq!(bytes([-92.0, -127.0], 163), -29487.0, "-29486.47 in full");
        assert_eq!(bytes([-128.0, 0.0], 2), -32767.0);
        assert_eq!(bytes([-128.0, 0.0], 3), -32638.0, "the smallest byte counts in full");
        let words = |texels, weight| between(Channel::I16, 32767.0, texels, weight);
        assert_eq!(words([-13805.0, 99.0], 248), -335.0, "-335.5 in full");
        assert_eq!(words([-32768.0, 32.0], 1), -32640.0);
        assert_eq!(words([-32768.0, -32768.0], 1), -32767.0);
    }

    #[test]
    fn what_is_not_finite_stays_so() {
        let mut texels = [1.0; 8];
        texels[1] = f32::INFINITY;
        assert_eq!(mix(Channel::F32, texels, weights([1, 0, 0], 1)), f32::INFINITY);
        assert_eq!(mix(Channel::F32, texels, weights([0, 0, 0], 1)), 1.0, "a texel without weight does not count");
    }

    /// Of rows of texels, what lies at some weight between each and the next, of which the last is the same.
    fn between(channel: Channel, texels: &[f32], weight: i64) -> Vec<u32> {
        let next = texels.iter().skip(1).chain(texels.last());
        let pair =
            |(&a, &b): (&f32, &f32)| mix(channel, [a, b, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], weights([weight, 0, 0], 1));
        texels.iter().zip(next).map(|pair_of| pair(pair_of).to_bits()).collect()
    }

    #[test]
    fn halves_stay_halves() {
        use crate::float::{F16, Half16};
        let texels = [
            0x3c00, 0x3c01, 0x3c00, 0x3e37, 0x4155, 0xb5a3, 0x1234, 0x0203, 0x8377, 0x0011, 0x7bff, 0x7bff, 0xfbff,
            0x3c01, 0x3c03, 0x3c06,
        ];
        let texels = texels.map(F16::to_f32);
        let middle = [
            0x3f80_2000,
            0x3f80_2000,
            0x3fa3_8000,
            0x4007_0000,
            0x3f94_2000,
            0xbe34_0000,
            0x39ce_8000,
            0xb73a_0000,
            0xb7d9_8000,
            0x46ff_e000,
            0x477f_e000,
            0,
            0xc6ff_e000,
            0x3f80_4000,
            0x3f80_a000,
            0x3f80_c000,
        ];
        assert_eq!(between(Channel::F16, &texels, 128), middle);
        let beyond = [
            0x3f80_2000,
            0x3f80_0000,
            0x3fb7_6000,
            0x401b_0000,
            0x3e9d_a000,
            0xbd9c_a000,
            0x3946_e000,
            0xb811_0000,
            0xb735_0000,
            0x4747_e000,
            0x477f_e000,
            0xc70f_e000,
            0xc65f_e000,
            0x3f80_6000,
            0x3f80_a000,
            0x3f80_c000,
        ];
        assert_eq!(between(Channel::F16, &texels, 200), beyond);
        let first = [
            0x3f80_0000,
            0x3f80_2000,
            0x3f80_4000,
            0x3fc7_6000,
            0x4029_e000,
            0xbeb3_a000,
            0x3a45_c000,
            0x37ff_0000,
            0xb85c_c000,
            0x437f_e000,
            0x477f_e000,
            0x477d_e000,
            0xc77e_e000,
            0x3f80_2000,
            0x3f80_6000,
            0x3f80_c000,
        ];
        assert_eq!(between(Channel::F16, &texels, 1), first);
        // Below the smallest, and zeros with their signs.
        let small = [0x8000, 0x8001, 0x8000, 0x0001, 0x8000, 0x8000].map(F16::to_f32);
        let negative = 0x8000_0000;
        assert_eq!(
            between(Channel::F16, &small, 128),
            [0xb380_0000, 0xb380_0000, 0x3380_0000, 0x3380_0000, negative, negative]
        );
        assert_eq!(between(Channel::F16, &small, 64), [negative, 0xb380_0000, 0, 0x3380_0000, negative, negative]);
    }

    #[test]
    fn small_singles_are_zeros_with_their_signs() {
        let texels = [
            0x0080_0000,
            0,
            0x8080_0000,
            0x8000_0000,
            0x8080_0000,
            0x0080_0000,
            0x00ff_ffff,
            0x8080_0000,
            0x0100_0000,
            0x0000_0001,
            0x80ff_ffff,
            0x0080_0001,
            0x807f_ffff,
            0x007f_ffff,
            0x3f80_0000,
            0x0000_0001,
        ];
        let texels = texels.map(f32::from_bits);
        let negative = 0x8000_0000;
        let middle = [
            0,
            negative,
            negative,
            negative,
            0,
            0x00c0_0000,
            0,
            0,
            0x0080_0000,
            0x8080_0000,
            negative,
            0,
            0,
            0x3f00_0000,
            0x3f00_0000,
            0,
        ];
        assert_eq!(between(Channel::F32, &texels, 128), middle);
        let quarter = [
            0,
            negative,
            negative,
            negative,
            negative,
            0x00a0_0000,
            0x009f_ffff,
            negative,
            0x00c0_0000,
            negative,
            0x809f_ffff,
            0,
            0,
            0x3e80_0000,
            0x3f40_0000,
            0,
        ];
        assert_eq!(between(Channel::F32, &texels, 64), quarter);
    }

    #[test]
    fn what_is_no_number_has_the_bits_of_its_format() {
        let texels = [1.0, f32::INFINITY, f32::NEG_INFINITY, -f32::NAN];
        let (least, most) = (f32::NEG_INFINITY.to_bits(), f32::INFINITY.to_bits());
        for (channel, nan) in [(Channel::F16, 0x7fff_e000), (Channel::F32, 0x7fff_ffff)] {
            assert_eq!(between(channel, &texels, 0), [1f32.to_bits(), most, least, nan]);
            assert_eq!(between(channel, &texels, 128), [most, nan, nan, nan]);
        }
    }
}
