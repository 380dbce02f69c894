//! The `.approx` functions.
//!
//! Each is computed in f64 and rounded once, which is well inside the bounds the PTX manual gives (1 ulp for
//! `rcp`, 2 for `div`, 2^-22.9 relative for `rsqrt`, absolute bounds for `sin`, `cos` and `lg2`, 2^-11 relative for
//! `tanh`), but not bit equal to a GPU's tables. Special operands behave as in the manual's tables. Without `ftz`,
//! subnormal operands and results are supported.

use super::{nan, single::flush_if};

/// The operand flushed, the function in f64, the result rounded, flushed and a NaN made canonical.
#[inline(always)]
fn through_f64(x: f32, ftz: bool, function: impl Fn(f64) -> f64) -> f32 {
    let result = function(f64::from(flush_if(ftz, x))) as f32;
    flush_if(ftz, nan::canonical_f32(result))
}

/// `rcp.approx.f32`: 1/x.
#[inline]
pub(crate) fn rcp(x: f32, ftz: bool) -> f32 {
    through_f64(x, ftz, |x| 1.0 / x)
}

/// `sqrt.approx.f32`. Negative operands give NaN, -0 itself.
#[inline]
pub(crate) fn sqrt(x: f32, ftz: bool) -> f32 {
    through_f64(x, ftz, f64::sqrt)
}

/// `rsqrt.approx.f32`. Zeros give the infinity of their sign.
#[inline]
pub(crate) fn rsqrt(x: f32, ftz: bool) -> f32 {
    // 1 / sqrt(-0) is 1 / -0.
    through_f64(x, ftz, |x| 1.0 / x.sqrt())
}

/// `sin.approx.f32`; NaN for infinities.
#[inline]
pub(crate) fn sin(x: f32, ftz: bool) -> f32 {
    through_f64(x, ftz, f64::sin)
}

/// `cos.approx.f32`; NaN for infinities.
#[inline]
pub(crate) fn cos(x: f32, ftz: bool) -> f32 {
    through_f64(x, ftz, f64::cos)
}

/// `ex2.approx.f32`: 2^x.
#[inline]
pub(crate) fn ex2(x: f32, ftz: bool) -> f32 {
    through_f64(x, ftz, f64::exp2)
}

/// `lg2.approx.f32`: log2(x). Both zeros give -inf, negative operands NaN.
#[inline]
pub(crate) fn lg2(x: f32, ftz: bool) -> f32 {
    through_f64(x, ftz, f64::log2)
}

/// `tanh.approx.f32`, which has no `.ftz`.
#[inline]
pub(crate) fn tanh(x: f32) -> f32 {
    through_f64(x, false, f64::tanh)
}

/// `div.approx.f32`: a/b, but for 2^126 < |b| < 2^128 the manual has the reciprocal underflow: the quotient is a
/// zero, or NaN for an infinite dividend.
#[inline]
pub(crate) fn div(a: f32, b: f32, ftz: bool) -> f32 {
    let [a, b] = [a, b].map(|x| flush_if(ftz, x));
    let reciprocal_lost = b.is_finite() && b.abs() > f32::from_bits(253 << 23);
    let divisor = if reciprocal_lost { f32::INFINITY.copysign(b) } else { b };
    flush_if(ftz, nan::canonical_f32(a / divisor))
}

/// `div.full.f32`: a/b over the full range, correctly rounded here.
#[inline]
pub(crate) fn div_full(a: f32, b: f32, ftz: bool) -> f32 {
    let [a, b] = [a, b].map(|x| flush_if(ftz, x));
    flush_if(ftz, nan::canonical_f32(a / b))
}

/// The upper word of an operand, subnormals flushed: all that the f64 approximations look at. A NaN whose payload sits
/// in the lower word looks like an infinity to them.
fn upper_word(x: f64) -> f64 {
    flush_f64(f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000))
}

fn flush_f64(x: f64) -> f64 {
    if x.is_subnormal() { 0f64.copysign(x) } else { x }
}

/// A result rounded to nearest in its upper word, the lower one zero.
fn to_upper_word(x: f64) -> f64 {
    if !x.is_finite() {
        return if x.is_nan() { nan::F64_APPROX } else { x };
    }
    let bits = x.to_bits();
    let rounded = bits + 0x7fff_ffff + (bits >> 32 & 1);
    flush_f64(f64::from_bits(rounded & 0xffff_ffff_0000_0000))
}

/// `rcp.approx.ftz.f64`: an approximation of 1/x in the upper word, the lower word zero.
pub(crate) fn rcp_f64(x: f64) -> f64 {
    to_upper_word(1.0 / upper_word(x))
}

/// `rsqrt.approx.ftz.f64`: an approximation of 1/sqrt(x) in the upper word, the lower word zero.
pub(crate) fn rsqrt_f64(x: f64) -> f64 {
    to_upper_word(1.0 / upper_word(x).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f32 = f32::INFINITY;
    const NAN: u32 = 0x7fff_ffff;

    type Function = fn(f32, bool) -> f32;

    #[test]
    fn special_operands() {
        let tiny = f32::from_bits(1);
        let table: &[(Function, f32, f32, f32)] = &[
            // function, operand, result, result with ftz
            (rcp, -INF, -0.0, -0.0),
            (rcp, INF, 0.0, 0.0),
            (rcp, -0.0, -INF, -INF),
            (rcp, tiny, INF, INF),
            (rcp, f32::from_bits(1 << 22), 2f32.powi(127), INF),
            (rcp, 2f32.powi(127), f32::from_bits(1 << 22), 0.0),
            (sqrt, -0.0, -0.0, -0.0),
            (sqrt, INF, INF, INF),
            (sqrt, f32::from_bits(2), 2f32.powi(-74), 0.0),
            (rsqrt, -0.0, -INF, -INF),
            (rsqrt, 0.0, INF, INF),
            (rsqrt, INF, 0.0, 0.0),
            (rsqrt, f32::from_bits(1 << 21), 2f32.powi(64), INF),
            (sin, -0.0, -0.0, -0.0),
            (sin, -tiny, -tiny, -0.0),
            (cos, tiny, 1.0, 1.0),
            (ex2, -INF, 0.0, 0.0),
            (ex2, INF, INF, INF),
            (ex2, -tiny, 1.0, 1.0),
            (ex2, -149.0, tiny, 0.0),
            (ex2, 10.0, 1024.0, 1024.0),
            (lg2, 0.0, -INF, -INF),
            (lg2, -0.0, -INF, -INF),
            (lg2, INF, INF, INF),
            (lg2, tiny, -149.0, -INF),
        ];
        for &(function, operand, plain, flushed) in table {
            assert_eq!(function(operand, false).to_bits(), plain.to_bits(), "{operand:e}");
            assert_eq!(function(operand, true).to_bits(), flushed.to_bits(), "{operand:e} ftz");
        }
        let invalid: &[(Function, f32)] =
            &[(sqrt, -1.0), (sqrt, -INF), (rsqrt, -1.0), (sin, INF), (cos, -INF), (lg2, -1.0)];
        for &(function, operand) in invalid {
            assert_eq!(function(operand, false).to_bits(), NAN);
        }
        for function in [rcp, sqrt, rsqrt, sin, cos, ex2, lg2] {
            assert_eq!(function(-f32::NAN, true).to_bits(), NAN);
        }
        assert_eq!(tanh(-INF), -1.0);
        assert_eq!(tanh(-0.0).to_bits(), 0x8000_0000);
        assert_eq!(tanh(tiny).to_bits(), 1);
    }

    #[test]
    fn division() {
        assert_eq!(div(6.0, 3.0, false), 2.0);
        let huge = 1.5 * 2f32.powi(126);
        assert_eq!(div(huge, -huge, false).to_bits(), 0x8000_0000);
        assert_eq!(div(INF, huge, false).to_bits(), NAN);
        assert_eq!(div(INF, 2f32.powi(126), false), INF);
        assert_eq!(div(1.0, INF, true), 0.0);
        assert_eq!(div(1.0, f32::from_bits(1), true), INF);
        assert_eq!(div_full(huge, huge, true), 1.0);
        assert_eq!(div_full(0.0, 0.0, true).to_bits(), NAN);
    }

    #[test]
    fn f64_approximations_fill_the_upper_word() {
        for x in [1.0, 3.0, -7.25e100, 1e-300, 12345.678] {
            let r = rcp_f64(x);
            assert_eq!(r.to_bits() as u32, 0);
            assert!((r * x - 1.0).abs() < 2f64.powi(-19), "{x}");
            let s = rsqrt_f64(x.abs());
            assert!((s * s * x.abs() - 1.0).abs() < 2f64.powi(-18));
        }
        assert_eq!(rcp_f64(f64::from_bits(1)), f64::INFINITY);
        assert_eq!(rcp_f64(-f64::from_bits(1 << 40)), f64::NEG_INFINITY);
        assert_eq!(rcp_f64(f64::MAX).to_bits(), 0);
        assert_eq!(rcp_f64(f64::NEG_INFINITY).to_bits(), 1 << 63);
        assert_eq!(rsqrt_f64(-0.0), f64::NEG_INFINITY);
        for nan in [rsqrt_f64(-1.0), rsqrt_f64(f64::NAN), rcp_f64(-f64::NAN)] {
            assert_eq!(nan.to_bits(), 0x7fff_ffff_0000_0000);
        }
    }
}
