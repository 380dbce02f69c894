//! f32 arithmetic. The plain functions round to nearest even and vectorise; the `_mode` functions take any
//! rounding direction, `.ftz` and `.sat`.

use super::{
    nan::{self, canonical_f32},
    odd,
    rounding::{Mode, Rounding},
    soft::{self, Format},
};

/// A subnormal becomes the zero of its sign.
#[inline(always)]
pub(crate) fn flush(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { f32::from_bits(x.to_bits() & 0x8000_0000) } else { x }
}

/// [`flush`] where `ftz` asks for it.
#[inline(always)]
pub(crate) fn flush_if(ftz: bool, x: f32) -> f32 {
    if ftz { flush(x) } else { x }
}

/// Clamps to [0, 1]; NaN and -0 become +0.
#[inline(always)]
pub(crate) fn saturate(x: f32) -> f32 {
    let low = if x > 0.0 { x } else { 0.0 };
    if low > 1.0 { 1.0 } else { low }
}

/// `a + b`.
#[inline(always)]
pub(crate) fn add(a: f32, b: f32) -> f32 {
    canonical_f32(a + b)
}

/// `a - b`.
#[inline(always)]
pub(crate) fn sub(a: f32, b: f32) -> f32 {
    canonical_f32(a - b)
}

/// `a * b`.
#[inline(always)]
pub(crate) fn mul(a: f32, b: f32) -> f32 {
    canonical_f32(a * b)
}

/// `a * b + c`, rounded once.
#[inline(always)]
pub(crate) fn fma(a: f32, b: f32, c: f32) -> f32 {
    // Without the instruction `mul_add` is a library call per lane; the exact f64 form vectorises instead.
    let fused = if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        a.mul_add(b, c)
    } else {
        odd::fma(f64::from(a), f64::from(b), f64::from(c)) as f32
    };
    canonical_f32(fused)
}

/// `a / b`.
#[inline(always)]
pub(crate) fn div(a: f32, b: f32) -> f32 {
    canonical_f32(a / b)
}

/// The square root.
#[inline(always)]
pub(crate) fn sqrt(a: f32) -> f32 {
    canonical_f32(a.sqrt())
}

/// Operands flushed, the operation, the result flushed and saturated.
#[inline(always)]
fn with_mode<const N: usize>(mode: Mode, operands: [f32; N], operation: impl Fn([f32; N]) -> f32) -> f32 {
    let result = flush_if(mode.ftz, operation(operands.map(|operand| flush_if(mode.ftz, operand))));
    if mode.sat { saturate(result) } else { result }
}

fn from_soft(bits: Option<u64>) -> f32 {
    bits.map_or(nan::F32, |bits| f32::from_bits(bits as u32))
}

fn wide(x: f32) -> u64 {
    u64::from(x.to_bits())
}

#[inline(never)]
fn add_directed(a: f32, b: f32, rounding: Rounding) -> f32 {
    from_soft(soft::add(Format::F32, wide(a), wide(b), rounding))
}

#[inline(never)]
fn mul_directed(a: f32, b: f32, rounding: Rounding) -> f32 {
    from_soft(soft::mul(Format::F32, wide(a), wide(b), rounding))
}

#[inline(never)]
fn fma_directed(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    from_soft(soft::fma(Format::F32, wide(a), wide(b), wide(c), rounding))
}

#[inline(never)]
fn div_directed(a: f32, b: f32, rounding: Rounding) -> f32 {
    from_soft(soft::div(Format::F32, wide(a), wide(b), rounding))
}

#[inline(never)]
fn sqrt_directed(a: f32, rounding: Rounding) -> f32 {
    from_soft(soft::sqrt(Format::F32, wide(a), rounding))
}

/// `a + b` with modifiers.
#[inline(always)]
pub(crate) fn add_mode(a: f32, b: f32, mode: Mode) -> f32 {
    match mode.rounding {
        Rounding::NearestEven => with_mode(mode, [a, b], |[a, b]| add(a, b)),
        rounding => with_mode(mode, [a, b], |[a, b]| add_directed(a, b, rounding)),
    }
}

/// `a - b` with modifiers.
#[inline(always)]
pub(crate) fn sub_mode(a: f32, b: f32, mode: Mode) -> f32 {
    match mode.rounding {
        Rounding::NearestEven => with_mode(mode, [a, b], |[a, b]| sub(a, b)),
        rounding => with_mode(mode, [a, b], |[a, b]| add_directed(a, -b, rounding)),
    }
}

/// `a * b` with modifiers.
#[inline(always)]
pub(crate) fn mul_mode(a: f32, b: f32, mode: Mode) -> f32 {
    match mode.rounding {
        Rounding::NearestEven => with_mode(mode, [a, b], |[a, b]| mul(a, b)),
        rounding => with_mode(mode, [a, b], |[a, b]| mul_directed(a, b, rounding)),
    }
}

/// `a * b + c`, rounded once, with modifiers.
#[inline(always)]
pub(crate) fn fma_mode(a: f32, b: f32, c: f32, mode: Mode) -> f32 {
    match mode.rounding {
        Rounding::NearestEven => with_mode(mode, [a, b, c], |[a, b, c]| fma(a, b, c)),
        rounding => with_mode(mode, [a, b, c], |[a, b, c]| fma_directed(a, b, c, rounding)),
    }
}

/// `a / b` with modifiers.
#[inline(always)]
pub(crate) fn div_mode(a: f32, b: f32, mode: Mode) -> f32 {
    match mode.rounding {
        Rounding::NearestEven => with_mode(mode, [a, b], |[a, b]| div(a, b)),
        rounding => with_mode(mode, [a, b], |[a, b]| div_directed(a, b, rounding)),
    }
}

/// `1 / a` with modifiers.
#[inline(always)]
pub(crate) fn rcp_mode(a: f32, mode: Mode) -> f32 {
    div_mode(1.0, a, mode)
}

/// The square root with modifiers.
#[inline(always)]
pub(crate) fn sqrt_mode(a: f32, mode: Mode) -> f32 {
    match mode.rounding {
        Rounding::NearestEven => with_mode(mode, [a], |[a]| sqrt(a)),
        rounding => with_mode(mode, [a], |[a]| sqrt_directed(a, rounding)),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::testing, *};

    #[test]
    fn flushing_and_saturation() {
        let tiny = f32::from_bits(1);
        let mode = Mode { ftz: true, ..Mode::default() };
        assert_eq!(add_mode(tiny, -0.0, mode).to_bits(), 0);
        assert_eq!(flush(-tiny).to_bits(), 0x8000_0000);
        assert_eq!(mul_mode(f32::MIN_POSITIVE, -0.5, mode).to_bits(), 0x8000_0000);
        assert_eq!(flush(f32::MIN_POSITIVE), f32::MIN_POSITIVE);
        assert!(flush(f32::NAN).is_nan());
        let sat = Mode { sat: true, ..Mode::default() };
        assert_eq!(add_mode(f32::INFINITY, f32::NEG_INFINITY, sat).to_bits(), 0);
        assert_eq!(add_mode(2.0, 3.0, sat), 1.0);
        assert_eq!(add_mode(-2.0, 0.5, sat).to_bits(), 0);
        assert_eq!(saturate(-0.0).to_bits(), 0);
        assert_eq!(saturate(0.25), 0.25);
    }

    #[test]
    fn nans_are_canonical() {
        for bits in [0x7f80_0001u32, 0xffc0_0000, 0x7fc0_1234] {
            let x = f32::from_bits(bits);
            for rounding in Rounding::ALL {
                let mode = Mode { rounding, ..Mode::default() };
                for result in [
                    add_mode(x, 1.0, mode),
                    sub_mode(1.0, x, mode),
                    mul_mode(x, x, mode),
                    fma_mode(1.0, 2.0, x, mode),
                    div_mode(x, 0.0, mode),
                    rcp_mode(x, mode),
                    sqrt_mode(x, mode),
                    sqrt_mode(-1.0, mode),
                    div_mode(0.0, -0.0, mode),
                    fma_mode(0.0, f32::INFINITY, 1.0, mode),
                ] {
                    assert_eq!(result.to_bits(), 0x7fff_ffff);
                }
            }
        }
    }

    #[test]
    fn fma_rounds_once() {
        let mut random = testing::Random::new(1);
        for _ in 0..400_000 {
            let (a, b, c) = (random.f32(), random.f32(), random.f32());
            let nearest = canonical_f32(a.mul_add(b, c));
            assert_eq!(fma(a, b, c).to_bits(), nearest.to_bits(), "{a:e} {b:e} {c:e}");
            let soft = fma_directed(a, b, c, Rounding::NearestEven);
            assert_eq!(soft.to_bits(), nearest.to_bits(), "{a:e} {b:e} {c:e}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn directed_modes_agree_with_the_processor() {
        use testing::oracle;
        let mut random = testing::Random::new(2);
        for _ in 0..200_000 {
            let (a, b, c) = (random.f32(), random.f32(), random.f32());
            for rounding in oracle::DIRECTIONS {
                let mode = Mode { rounding, ..Mode::default() };
                let check = |name: &str, ours: f32, theirs: f32| {
                    let theirs = canonical_f32(theirs);
                    assert_eq!(ours.to_bits(), theirs.to_bits(), "{name} {a:e} {b:e} {c:e} {rounding:?}");
                };
                check("add", add_mode(a, b, mode), oracle::add32(a, b, rounding));
                check("sub", sub_mode(a, b, mode), oracle::sub32(a, b, rounding));
                check("mul", mul_mode(a, b, mode), oracle::mul32(a, b, rounding));
                check("div", div_mode(a, b, mode), oracle::div32(a, b, rounding));
                check("rcp", rcp_mode(a, mode), oracle::div32(1.0, a, rounding));
                check("sqrt", sqrt_mode(a, mode), oracle::sqrt32(a, rounding));
                if let Some(theirs) = oracle::fma32(a, b, c, rounding) {
                    check("fma", fma_mode(a, b, c, mode), theirs);
                }
                let nearest = soft::add(Format::F32, wide(a), wide(b), Rounding::NearestEven);
                check("soft add", from_soft(nearest), a + b);
                let nearest = soft::div(Format::F32, wide(a), wide(b), Rounding::NearestEven);
                check("soft div", from_soft(nearest), a / b);
                let nearest = soft::sqrt(Format::F32, wide(a), Rounding::NearestEven);
                check("soft sqrt", from_soft(nearest), a.sqrt());
            }
        }
    }
}
