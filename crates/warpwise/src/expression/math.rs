//! exp and log, written once for the CPU and for PTX.
//!
//! Both use only additions, multiplications, divisions and selections, each rounded once and none of them fused. So the
//! result has the same bits at every SIMD level, on the emulator and on a GPU. It is within 2 units in the last place.
//!
//! exp(x) = 2^n exp(r) with n the whole number next to x / ln 2, and a polynomial for exp(r), |r| <= ln 2 / 2.
//! log(x) = k ln 2 + log(m) with sqrt(1/2) <= m < sqrt(2), and with f = m - 1 and s = f / (2 + f)
//! log(1 + f) = f - (h - s (h + R)), where h = f^2 / 2 and R = 2/3 s^2 + 2/5 s^4 + ...

/// What these functions are made of: values are numbers on the CPU, and registers in PTX.
pub(crate) trait Machine {
    type Float: Copy;
    /// A signed integer with as many bits.
    type Int: Copy;
    type Flag: Copy;

    fn float(&mut self, value: f64) -> Self::Float;
    fn int(&mut self, value: i64) -> Self::Int;
    fn add(&mut self, a: Self::Float, b: Self::Float) -> Self::Float;
    fn subtract(&mut self, a: Self::Float, b: Self::Float) -> Self::Float;
    fn multiply(&mut self, a: Self::Float, b: Self::Float) -> Self::Float;
    fn divide(&mut self, a: Self::Float, b: Self::Float) -> Self::Float;
    fn less(&mut self, a: Self::Float, b: Self::Float) -> Self::Flag;
    fn equal(&mut self, a: Self::Float, b: Self::Float) -> Self::Flag;
    fn select(&mut self, flag: Self::Flag, a: Self::Float, b: Self::Float) -> Self::Float;
    fn bits(&mut self, a: Self::Float) -> Self::Int;
    fn of_bits(&mut self, a: Self::Int) -> Self::Float;
    fn add_ints(&mut self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn subtract_ints(&mut self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn and(&mut self, a: Self::Int, b: Self::Int) -> Self::Int;
    fn shift_left(&mut self, a: Self::Int, by: u32) -> Self::Int;
    fn shift_right(&mut self, a: Self::Int, by: u32) -> Self::Int;
}

/// The numbers of a floating-point format.
pub(crate) trait Format {
    /// Bits behind the point.
    const MANTISSA: u32;
    const BIAS: i64;
    /// The bits of the square root of a half.
    const SQRT_HALF: i64;
    /// What is added to this is rounded to a whole number, which is in its last bits.
    const MAGIC: f64;
    /// ln 2 in two parts; a multiple of the first is exact.
    const LN2: (f64, f64);
    /// Beyond these, exp is 0 or infinite.
    const RANGE: (f64, f64);
    /// 1 / 2!, 1 / 3!, ...
    const EXP: &'static [f64];
    /// 2/3, 2/5, ...
    const LOG: &'static [f64];
    const SMALLEST_NORMAL: f64;
    /// What makes a subnormal number normal, and its logarithm to base 2.
    const LIFT: (f64, f64);
}

pub(crate) struct Single;
pub(crate) struct Double;

impl Format for Single {
    const MANTISSA: u32 = 23;
    const BIAS: i64 = 127;
    const SQRT_HALF: i64 = 0x3f35_04f3;
    const MAGIC: f64 = 12_582_912.0;
    const LN2: (f64, f64) = (0.693_359_375, -2.121_944_400_546_905_8e-4);
    const RANGE: (f64, f64) = (-104.0, 89.0);
    const EXP: &'static [f64] = &[0.5, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0];
    const LOG: &'static [f64] = &[2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0];
    const SMALLEST_NORMAL: f64 = f32::MIN_POSITIVE as f64;
    const LIFT: (f64, f64) = (33_554_432.0, 25.0);
}

impl Format for Double {
    const MANTISSA: u32 = 52;
    const BIAS: i64 = 1023;
    const SQRT_HALF: i64 = 0x3fe6_a09e_667f_3bcd;
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    const LN2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_8e-10);
    const RANGE: (f64, f64) = (-746.0, 710.0);
    const EXP: &'static [f64] = &[
        0.5,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
        1.0 / 6_227_020_800.0,
    ];
    const LOG: &'static [f64] = &[
        2.0 / 3.0,
        2.0 / 5.0,
        2.0 / 7.0,
        2.0 / 9.0,
        2.0 / 11.0,
        2.0 / 13.0,
        2.0 / 15.0,
        2.0 / 17.0,
        2.0 / 19.0,
        2.0 / 21.0,
    ];
    const SMALLEST_NORMAL: f64 = f64::MIN_POSITIVE;
    const LIFT: (f64, f64) = (18_014_398_509_481_984.0, 54.0);
}

/// A polynomial, from its last coefficient to its first.
#[inline(always)]
fn polynomial<M: Machine>(m: &mut M, x: M::Float, coefficients: &[f64]) -> M::Float {
    let mut so_far = m.float(coefficients[coefficients.len() - 1]);
    for &coefficient in coefficients[..coefficients.len() - 1].iter().rev() {
        let product = m.multiply(so_far, x);
        let coefficient = m.float(coefficient);
        so_far = m.add(product, coefficient);
    }
    so_far
}

/// 2 to a power that is not too far from 0.
#[inline(always)]
fn power_of_two<M: Machine, F: Format>(m: &mut M, exponent: M::Int) -> M::Float {
    let bias = m.int(F::BIAS);
    let biased = m.add_ints(exponent, bias);
    let bits = m.shift_left(biased, F::MANTISSA);
    m.of_bits(bits)
}

/// e to the power of x.
#[inline(always)]
pub(crate) fn exp<M: Machine, F: Format>(m: &mut M, x: M::Float) -> M::Float {
    let (low, high) = (m.float(F::RANGE.0), m.float(F::RANGE.1));
    let is_low = m.less(x, low);
    let within = m.select(is_low, low, x);
    let is_high = m.less(high, x);
    let within = m.select(is_high, high, within);
    let (magic, per_ln2) = (m.float(F::MAGIC), m.float(std::f64::consts::LOG2_E));
    let scaled = m.multiply(within, per_ln2);
    let lifted = m.add(scaled, magic);
    let n = m.subtract(lifted, magic);
    let (lifted_bits, magic_bits) = (m.bits(lifted), m.bits(magic));
    let exponent = m.subtract_ints(lifted_bits, magic_bits);
    let (large, small) = (m.float(F::LN2.0), m.float(F::LN2.1));
    let whole = m.multiply(n, large);
    let rest = m.subtract(within, whole);
    let more = m.multiply(n, small);
    let rest = m.subtract(rest, more);
    let p = polynomial(m, rest, F::EXP);
    let square = m.multiply(rest, rest);
    let p = m.multiply(square, p);
    let p = m.add(p, rest);
    let one = m.float(1.0);
    let p = m.add(p, one);
    // In two steps, because 2^n itself may be out of range.
    let half = m.shift_right(exponent, 1);
    let other = m.subtract_ints(exponent, half);
    let (half, other) = (power_of_two::<M, F>(m, half), power_of_two::<M, F>(m, other));
    let p = m.multiply(p, half);
    let p = m.multiply(p, other);
    let is_number = m.equal(x, x);
    m.select(is_number, p, x)
}

/// The natural logarithm.
#[inline(always)]
pub(crate) fn log<M: Machine, F: Format>(m: &mut M, x: M::Float) -> M::Float {
    let (zero, smallest) = (m.float(0.0), m.float(F::SMALLEST_NORMAL));
    let is_subnormal = m.less(x, smallest);
    let (factor, down) = (m.float(F::LIFT.0), m.float(-F::LIFT.1));
    let lifted = m.multiply(x, factor);
    let normal = m.select(is_subnormal, lifted, x);
    let lift = m.select(is_subnormal, down, zero);
    // The exponent counts from sqrt(1/2) on.
    let bits = m.bits(normal);
    let (shift, mask) = (m.int((F::BIAS << F::MANTISSA) - F::SQRT_HALF), m.int((1 << F::MANTISSA) - 1));
    let bits = m.add_ints(bits, shift);
    let exponent = m.shift_right(bits, F::MANTISSA);
    let bias = m.int(F::BIAS);
    let exponent = m.subtract_ints(exponent, bias);
    let fraction = m.and(bits, mask);
    let first = m.int(F::SQRT_HALF);
    let fraction = m.add_ints(fraction, first);
    let fraction = m.of_bits(fraction);
    let magic = m.float(F::MAGIC);
    let magic_bits = m.bits(magic);
    let exponent = m.add_ints(exponent, magic_bits);
    let exponent = m.of_bits(exponent);
    let exponent = m.subtract(exponent, magic);
    let k = m.add(exponent, lift);

    let (one, two, a_half) = (m.float(1.0), m.float(2.0), m.float(0.5));
    let f = m.subtract(fraction, one);
    let divisor = m.add(f, two);
    let s = m.divide(f, divisor);
    let z = m.multiply(s, s);
    let r = polynomial(m, z, F::LOG);
    let r = m.multiply(z, r);
    let square = m.multiply(f, f);
    let h = m.multiply(square, a_half);
    let inner = m.add(h, r);
    let inner = m.multiply(s, inner);
    let (large, small) = (m.float(F::LN2.0), m.float(F::LN2.1));
    let low = m.multiply(k, small);
    let inner = m.add(inner, low);
    let rest = m.subtract(h, inner);
    let rest = m.subtract(rest, f);
    let high = m.multiply(k, large);
    let result = m.subtract(high, rest);

    let (infinity, minus_infinity, nan) = (m.float(f64::INFINITY), m.float(f64::NEG_INFINITY), m.float(f64::NAN));
    let is_finite = m.less(x, infinity);
    let result = m.select(is_finite, result, x);
    let is_zero = m.equal(x, zero);
    let outside = m.select(is_zero, minus_infinity, nan);
    let is_positive = m.less(zero, x);
    m.select(is_positive, result, outside)
}

macro_rules! scalar {
    ($machine:ident $format:ident $float:ident $int:ident $bits:ident, $exp:ident $log:ident) => {
        /// The CPU, one number at a time; the compiler makes vectors of loops over it.
        struct $machine;

        impl Machine for $machine {
            type Float = $float;
            type Int = $int;
            type Flag = bool;

            #[inline(always)]
            fn float(&mut self, value: f64) -> $float {
                value as $float
            }
            #[inline(always)]
            fn int(&mut self, value: i64) -> $int {
                value as $int
            }
            #[inline(always)]
            fn add(&mut self, a: $float, b: $float) -> $float {
                a + b
            }
            #[inline(always)]
            fn subtract(&mut self, a: $float, b: $float) -> $float {
                a - b
            }
            #[inline(always)]
            fn multiply(&mut self, a: $float, b: $float) -> $float {
                a * b
            }
            #[inline(always)]
            fn divide(&mut self, a: $float, b: $float) -> $float {
                a / b
            }
            #[inline(always)]
            fn less(&mut self, a: $float, b: $float) -> bool {
                a < b
            }
            #[inline(always)]
            fn equal(&mut self, a: $float, b: $float) -> bool {
                a == b
            }
            #[inline(always)]
            fn select(&mut self, flag: bool, a: $float, b: $float) -> $float {
                if flag { a } else { b }
            }
            #[inline(always)]
            fn bits(&mut self, a: $float) -> $int {
                a.to_bits() as $int
            }
            #[inline(always)]
            fn of_bits(&mut self, a: $int) -> $float {
                $float::from_bits(a as $bits)
            }
            #[inline(always)]
            fn add_ints(&mut self, a: $int, b: $int) -> $int {
                a.wrapping_add(b)
            }
            #[inline(always)]
            fn subtract_ints(&mut self, a: $int, b: $int) -> $int {
                a.wrapping_sub(b)
            }
            #[inline(always)]
            fn and(&mut self, a: $int, b: $int) -> $int {
                a & b
            }
            #[inline(always)]
            fn shift_left(&mut self, a: $int, by: u32) -> $int {
                a << by
            }
            #[inline(always)]
            fn shift_right(&mut self, a: $int, by: u32) -> $int {
                a >> by
            }
        }

        #[inline(always)]
        pub(crate) fn $exp(x: $float) -> $float {
            exp::<$machine, $format>(&mut $machine, x)
        }

        #[inline(always)]
        pub(crate) fn $log(x: $float) -> $float {
            log::<$machine, $format>(&mut $machine, x)
        }
    };
}

scalar!(OnSingle Single f32 i32 u32, exp_f32 log_f32);
scalar!(OnDouble Double f64 i64 u64, exp_f64 log_f64);

#[cfg(test)]
mod tests {
    use super::*;

    /// How many units in the last place two floats are apart.
    fn apart(a: f32, b: f32) -> u32 {
        let key = |x: f32| if x.is_sign_negative() { !x.to_bits() } else { x.to_bits() | 1 << 31 };
        if a.is_nan() && b.is_nan() { 0 } else { key(a).abs_diff(key(b)) }
    }

    #[test]
    fn single_precision_is_within_two_units() {
        // Every 997th float there is; f64 is exact enough for the truth.
        for bits in (0..=u32::MAX).step_by(997) {
            let x = f32::from_bits(bits);
            let (e, l) = (f64::from(x).exp() as f32, f64::from(x).ln() as f32);
            assert!(apart(exp_f32(x), e) <= 2, "exp({x:e}) = {:e}, not {e:e}", exp_f32(x));
            assert!(apart(log_f32(x), l) <= 2, "log({x:e}) = {:e}, not {l:e}", log_f32(x));
        }
    }

    #[test]
    fn double_precision_is_close_to_the_host() {
        let close = |ours: f64, host: f64| {
            (ours.is_nan() && host.is_nan())
                || ours == host
                || (ours - host).abs() <= 4.0 * f64::EPSILON * host.abs() + f64::from_bits(2)
        };
        for i in 0..200_000_u64 {
            let bits = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let x = f64::from_bits(bits);
            assert!(close(log_f64(x), x.ln()), "log({x:e}) = {:e}, not {:e}", log_f64(x), x.ln());
            let x = (bits as f64 / u64::MAX as f64 - 0.5) * 1500.0;
            assert!(close(exp_f64(x), x.exp()), "exp({x:e}) = {:e}, not {:e}", exp_f64(x), x.exp());
        }
    }

    #[test]
    fn the_ends_of_the_number_line() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.0, -1.0, 5e-324, f64::MAX, f64::MIN] {
            let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-12 * b.abs();
            assert!(same(exp_f64(x), x.exp()) && same(log_f64(x), x.ln()), "{x}");
            let x = x as f32;
            assert!(apart(exp_f32(x), x.exp()) <= 2 && apart(log_f32(x), x.ln()) <= 2, "{x}");
        }
        assert_eq!((exp_f64(0.0), log_f64(1.0), exp_f32(0.0), log_f32(1.0)), (1.0, 0.0, 1.0, 0.0));
    }
}
