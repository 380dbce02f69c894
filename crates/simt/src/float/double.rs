//! f64 arithmetic. The plain functions round to nearest even and vectorise; the `_rounded` functions take any
//! rounding direction. PTX has no `.ftz` for f64; [`saturate`] serves `.sat`.

use super::{
    nan::propagate_f64,
    rounding::Rounding,
    soft::{self, Format},
};

/// Clamps to [0, 1]; NaN and -0 become +0.
#[inline(always)]
pub(crate) fn saturate(x: f64) -> f64 {
    let low = if x > 0.0 { x } else { 0.0 };
    if low > 1.0 { 1.0 } else { low }
}

/// `a + b`.
#[inline(always)]
pub(crate) fn add(a: f64, b: f64) -> f64 {
    propagate_f64(a + b, [a, b])
}

/// `a - b`.
#[inline(always)]
pub(crate) fn sub(a: f64, b: f64) -> f64 {
    propagate_f64(a - b, [a, b])
}

/// `a * b`.
#[inline(always)]
pub(crate) fn mul(a: f64, b: f64) -> f64 {
    propagate_f64(a * b, [a, b])
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub(crate) fn fma(a: f64, b: f64, c: f64) -> f64 {
    propagate_f64(a.mul_add(b, c), [a, b, c])
}

/// `a / b`.
#[inline(always)]
pub(crate) fn div(a: f64, b: f64) -> f64 {
    propagate_f64(a / b, [a, b])
}

/// The square root.
#[inline(always)]
pub(crate) fn sqrt(a: f64) -> f64 {
    propagate_f64(a.sqrt(), [a])
}

fn from_soft<const N: usize>(bits: Option<u64>, operands: [f64; N]) -> f64 {
    propagate_f64(bits.map_or(f64::NAN, f64::from_bits), operands)
}

#[inline(never)]
fn add_directed(a: f64, b: f64, rounding: Rounding) -> f64 {
    from_soft(soft::add(Format::F64, a.to_bits(), b.to_bits(), rounding), [a, b])
}

#[inline(never)]
fn mul_directed(a: f64, b: f64, rounding: Rounding) -> f64 {
    from_soft(soft::mul(Format::F64, a.to_bits(), b.to_bits(), rounding), [a, b])
}

#[inline(never)]
fn fma_directed(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    from_soft(soft::fma(Format::F64, a.to_bits(), b.to_bits(), c.to_bits(), rounding), [a, b, c])
}

#[inline(never)]
fn div_directed(a: f64, b: f64, rounding: Rounding) -> f64 {
    from_soft(soft::div(Format::F64, a.to_bits(), b.to_bits(), rounding), [a, b])
}

#[inline(never)]
fn sqrt_directed(a: f64, rounding: Rounding) -> f64 {
    from_soft(soft::sqrt(Format::F64, a.to_bits(), rounding), [a])
}

/// `a + b` in a rounding direction.
#[inline(always)]
pub(crate) fn add_rounded(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::NearestEven { add(a, b) } else { add_directed(a, b, rounding) }
}

/// `a - b` in a rounding direction.
#[inline(always)]
pub(crate) fn sub_rounded(a: f64, b: f64, rounding: Rounding) -> f64 {
    // A NaN operand keeps its sign, which the negation would turn over.
    if rounding == Rounding::NearestEven || b.is_nan() { sub(a, b) } else { add_directed(a, -b, rounding) }
}

/// `a * b` in a rounding direction.
#[inline(always)]
pub(crate) fn mul_rounded(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::NearestEven { mul(a, b) } else { mul_directed(a, b, rounding) }
}

/// `a * b + c`, rounded once, in a rounding direction.
#[inline(always)]
pub(crate) fn fma_rounded(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::NearestEven { fma(a, b, c) } else { fma_directed(a, b, c, rounding) }
}

/// `a / b` in a rounding direction.
#[inline(always)]
pub(crate) fn div_rounded(a: f64, b: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::NearestEven { div(a, b) } else { div_directed(a, b, rounding) }
}

/// `1 / a` in a rounding direction.
#[inline(always)]
pub(crate) fn rcp_rounded(a: f64, rounding: Rounding) -> f64 {
    div_rounded(1.0, a, rounding)
}

/// The square root in a rounding direction.
#[inline(always)]
pub(crate) fn sqrt_rounded(a: f64, rounding: Rounding) -> f64 {
    if rounding == Rounding::NearestEven { sqrt(a) } else { sqrt_directed(a, rounding) }
}

#[cfg(test)]
mod tests {
    use super::{super::testing, *};

    #[test]
    fn saturation() {
        assert_eq!(saturate(f64::NAN).to_bits(), 0);
        assert_eq!(saturate(-0.0).to_bits(), 0);
        assert_eq!(saturate(7.0), 1.0);
        assert_eq!(saturate(0.75), 0.75);
    }

    #[test]
    fn soft_nearest_agrees_with_the_operators() {
        let mut random = testing::Random::new(3);
        let nearest = Rounding::NearestEven;
        for _ in 0..200_000 {
            let (a, b, c) = (random.f64(), random.f64(), random.f64());
            assert_eq!(add_directed(a, b, nearest).to_bits(), add(a, b).to_bits(), "{a:e} + {b:e}");
            assert_eq!(mul_directed(a, b, nearest).to_bits(), mul(a, b).to_bits(), "{a:e} * {b:e}");
            assert_eq!(div_directed(a, b, nearest).to_bits(), div(a, b).to_bits(), "{a:e} / {b:e}");
            assert_eq!(sqrt_directed(a, nearest).to_bits(), sqrt(a).to_bits(), "sqrt {a:e}");
            assert_eq!(fma_directed(a, b, c, nearest).to_bits(), fma(a, b, c).to_bits(), "{a:e} * {b:e} + {c:e}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn directed_modes_agree_with_the_processor() {
        use testing::oracle;
        let mut random = testing::Random::new(4);
        for _ in 0..200_000 {
            let (a, b, c) = (random.f64(), random.f64(), random.f64());
            for rounding in oracle::DIRECTIONS {
                let check = |name: &str, ours: f64, theirs: f64| {
                    let same = ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan();
                    assert!(same, "{name} {a:e} {b:e} {c:e} {rounding:?}: {ours:e} {theirs:e}");
                };
                check("add", add_rounded(a, b, rounding), oracle::add64(a, b, rounding));
                check("sub", sub_rounded(a, b, rounding), oracle::sub64(a, b, rounding));
                check("mul", mul_rounded(a, b, rounding), oracle::mul64(a, b, rounding));
                check("div", div_rounded(a, b, rounding), oracle::div64(a, b, rounding));
                check("rcp", rcp_rounded(a, rounding), oracle::div64(1.0, a, rounding));
                check("sqrt", sqrt_rounded(a, rounding), oracle::sqrt64(a, rounding));
                if let Some(theirs) = oracle::fma64(a, b, c, rounding) {
                    check("fma", fma_rounded(a, b, c, rounding), theirs);
                }
            }
        }
    }
}
