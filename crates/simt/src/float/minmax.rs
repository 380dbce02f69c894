//! Minimum and maximum: a NaN operand loses unless `.NaN` asks otherwise, and -0 is below +0.

use super::{nan, single};

/// The modifiers of `min` and `max`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct MinMax {
    /// `.ftz`: subnormal operands count as zeros of their sign.
    pub(crate) ftz: bool,
    /// `.NaN`: one NaN operand makes the result the canonical NaN.
    pub(crate) nan: bool,
    /// `.xorsign.abs`: magnitudes are compared, the sign is the product of the signs.
    pub(crate) xorsign_abs: bool,
    /// `.abs` (three operands): magnitudes are compared and one of them delivered.
    pub(crate) abs: bool,
}

/// The f32 rule in the shape of the f64 one.
#[inline(always)]
fn both_f32(chosen: f32, _operands: [f32; 2]) -> f32 {
    nan::canonical_f32(chosen)
}

macro_rules! pick {
    ($name:ident, $type:ty, $finish:path, $less:tt, $sign_wins:literal, $doc:literal) => {
        #[doc = $doc]
        #[inline(always)]
        pub(crate) fn $name(a: $type, b: $type) -> $type {
            let first = a $less b || (a == b && a.is_sign_negative() == $sign_wins);
            let number = if first || b.is_nan() { a } else { b };
            $finish(number, [a, b])
        }
    };
}

pick!(min_f32, f32, both_f32, <, true, "The smaller of two; a NaN only if both are.");
pick!(max_f32, f32, both_f32, >, false, "The larger of two; a NaN only if both are.");
pick!(min_f64, f64, nan::propagate_f64, <, true, "The smaller of two; a NaN only if both are.");
pick!(max_f64, f64, nan::propagate_f64, >, false, "The larger of two; a NaN only if both are.");

#[inline(always)]
fn full_f32(a: f32, b: f32, how: MinMax, choose: impl Fn(f32, f32) -> f32) -> f32 {
    let [a, b] = [a, b].map(|x| single::flush_if(how.ftz, x));
    let sign = (a.to_bits() ^ b.to_bits()) & 0x8000_0000;
    let [x, y] = if how.xorsign_abs || how.abs { [a.abs(), b.abs()] } else { [a, b] };
    let chosen = choose(x, y);
    if chosen.is_nan() || how.nan && (a.is_nan() || b.is_nan()) {
        nan::F32
    } else if how.xorsign_abs {
        f32::from_bits(chosen.to_bits() | sign)
    } else {
        chosen
    }
}

/// `min` with its modifiers.
#[inline(always)]
pub(crate) fn minimum_f32(a: f32, b: f32, how: MinMax) -> f32 {
    full_f32(a, b, how, min_f32)
}

/// `max` with its modifiers.
#[inline(always)]
pub(crate) fn maximum_f32(a: f32, b: f32, how: MinMax) -> f32 {
    full_f32(a, b, how, max_f32)
}

/// The three-operand `min`.
#[inline(always)]
pub(crate) fn minimum3_f32(a: f32, b: f32, c: f32, how: MinMax) -> f32 {
    minimum_f32(minimum_f32(a, b, how), c, how)
}

/// The three-operand `max`.
#[inline(always)]
pub(crate) fn maximum3_f32(a: f32, b: f32, c: f32, how: MinMax) -> f32 {
    maximum_f32(maximum_f32(a, b, how), c, how)
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: f32 = f32::NAN;

    #[test]
    fn nan_loses() {
        assert_eq!(min_f32(N, 1.0), 1.0);
        assert_eq!(min_f32(1.0, N), 1.0);
        assert_eq!(max_f32(N, -1.0), -1.0);
        assert_eq!(min_f32(N, -N).to_bits(), 0x7fff_ffff);
        assert_eq!(max_f64(f64::NAN, 2.0), 2.0);
        assert!(max_f64(f64::NAN, f64::NAN).is_nan());
        let how = MinMax { nan: true, ..MinMax::default() };
        assert_eq!(minimum_f32(N, 1.0, how).to_bits(), 0x7fff_ffff);
        assert_eq!(maximum3_f32(1.0, 2.0, N, how).to_bits(), 0x7fff_ffff);
        assert_eq!(maximum3_f32(1.0, 2.0, N, MinMax::default()), 2.0);
    }

    #[test]
    fn zeros_are_ordered() {
        for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
            assert_eq!(min_f32(a, b).to_bits(), 0x8000_0000);
            assert_eq!(max_f32(a, b).to_bits(), 0);
            assert!(min_f64(a.into(), b.into()).is_sign_negative());
            assert!(max_f64(a.into(), b.into()).is_sign_positive());
        }
    }

    #[test]
    fn signs_multiply() {
        let how = MinMax { xorsign_abs: true, ..MinMax::default() };
        assert_eq!(minimum_f32(-3.0, 2.0, how), -2.0);
        assert_eq!(maximum_f32(-3.0, -2.0, how), 3.0);
        assert_eq!(maximum_f32(-3.0, N, how).to_bits() & 0x7fff_ffff, 3f32.to_bits());
        let tiny = f32::from_bits(5);
        let ftz = MinMax { ftz: true, ..MinMax::default() };
        assert_eq!(minimum_f32(tiny, 1.0, ftz).to_bits(), 0);
        let abs = MinMax { abs: true, ..MinMax::default() };
        assert_eq!(maximum3_f32(-5.0, 1.0, 2.0, abs), 5.0);
    }
}
