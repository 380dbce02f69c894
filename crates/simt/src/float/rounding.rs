//! Rounding directions and the modifiers that go with them.

use std::cmp::Ordering;

/// How a result that has no exact representation is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Rounding {
    /// To the nearest value, ties to the even significand (`.rn`, `.rni`).
    #[default]
    NearestEven,
    /// To the nearest value, ties away from zero (`.rna`).
    NearestAway,
    /// Toward zero (`.rz`, `.rzi`).
    TowardZero,
    /// Toward negative infinity (`.rm`, `.rmi`).
    Down,
    /// Toward positive infinity (`.rp`, `.rpi`).
    Up,
}

impl Rounding {
    /// Every direction, for tests and tables.
    pub(crate) const ALL: [Rounding; 5] =
        [Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Down, Rounding::Up];

    /// The direction named by a floating-point rounding modifier, without its dot.
    pub(crate) fn parse(modifier: &str) -> Option<Rounding> {
        Some(match modifier {
            "rn" => Rounding::NearestEven,
            "rna" => Rounding::NearestAway,
            "rz" => Rounding::TowardZero,
            "rm" => Rounding::Down,
            "rp" => Rounding::Up,
            _ => return None,
        })
    }

    /// The direction named by an integer rounding modifier (`rni`, `rzi`, `rmi`, `rpi`), without its dot.
    pub(crate) fn parse_integral(modifier: &str) -> Option<Rounding> {
        Rounding::parse(modifier.strip_suffix('i')?).filter(|&rounding| rounding != Rounding::NearestAway)
    }

    /// Whether a magnitude must grow by one unit: `odd` tells the parity of the truncated significand, `rest`
    /// compares the discarded part with half a unit, `inexact` says whether anything was discarded at all.
    #[inline]
    pub(crate) fn grows(self, negative: bool, odd: bool, rest: Ordering, inexact: bool) -> bool {
        match self {
            Rounding::NearestEven => rest == Ordering::Greater || (rest == Ordering::Equal && odd),
            Rounding::NearestAway => rest != Ordering::Less,
            Rounding::TowardZero => false,
            Rounding::Down => inexact && negative,
            Rounding::Up => inexact && !negative,
        }
    }

    /// Whether a magnitude beyond the largest finite value becomes an infinity (or else stays at that value).
    #[inline]
    pub(crate) fn overflows_to_infinity(self, negative: bool) -> bool {
        match self {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::TowardZero => false,
            Rounding::Down => negative,
            Rounding::Up => !negative,
        }
    }
}

/// The modifiers of an f32 arithmetic instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Mode {
    /// Rounding direction of the result.
    pub(crate) rounding: Rounding,
    /// `.ftz`: subnormal operands and results count as zeros of their sign.
    pub(crate) ftz: bool,
    /// `.sat`: the result is clamped to [0, 1], NaN becoming +0.
    pub(crate) sat: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_name_directions() {
        assert_eq!(Rounding::parse("rm"), Some(Rounding::Down));
        assert_eq!(Rounding::parse("rni"), None);
        assert_eq!(Rounding::parse_integral("rpi"), Some(Rounding::Up));
        assert_eq!(Rounding::parse_integral("rn"), None);
        assert_eq!(Rounding::parse_integral("rnai"), None);
    }
}
