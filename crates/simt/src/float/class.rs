//! Sign operations and the classes of `testp`.

use super::{nan, single};

/// Turns the sign over, of NaNs too.
#[inline(always)]
pub(crate) fn neg_f32(x: f32, ftz: bool) -> f32 {
    f32::from_bits(single::flush_if(ftz, x).to_bits() ^ 0x8000_0000)
}

/// Clears the sign, of NaNs too.
#[inline(always)]
pub(crate) fn abs_f32(x: f32, ftz: bool) -> f32 {
    f32::from_bits(single::flush_if(ftz, x).to_bits() & 0x7fff_ffff)
}

/// Turns the sign over, but for NaNs; see [`nan::sign_f64`].
#[inline(always)]
pub(crate) fn neg_f64(x: f64) -> f64 {
    nan::sign_f64(x, x.to_bits() ^ 1 << 63)
}

/// Clears the sign, but for NaNs; see [`nan::sign_f64`].
#[inline(always)]
pub(crate) fn abs_f64(x: f64) -> f64 {
    nan::sign_f64(x, x.to_bits() & !(1 << 63))
}

/// The magnitude of `b` with the sign of `a`: the operand order of the instruction.
#[inline(always)]
pub(crate) fn copysign_f32(a: f32, b: f32) -> f32 {
    f32::from_bits(a.to_bits() & 0x8000_0000 | b.to_bits() & 0x7fff_ffff)
}

/// The magnitude of `b` with the sign of `a`: the operand order of the instruction.
#[inline(always)]
pub(crate) fn copysign_f64(a: f64, b: f64) -> f64 {
    f64::from_bits(a.to_bits() & 1 << 63 | b.to_bits() & !(1 << 63))
}

/// What `testp` asks about a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Property {
    /// Neither infinite nor NaN.
    Finite,
    /// An infinity.
    Infinite,
    /// Not a NaN.
    Number,
    /// A NaN.
    NotANumber,
    /// Neither subnormal, infinite nor NaN; hardware counts zeros in.
    Normal,
    /// Subnormal. Zeros are not.
    Subnormal,
}

impl Property {
    /// The property a modifier names, without its dot.
    pub(crate) fn parse(modifier: &str) -> Option<Property> {
        Some(match modifier {
            "finite" => Property::Finite,
            "infinite" => Property::Infinite,
            "number" => Property::Number,
            "notanumber" => Property::NotANumber,
            "normal" => Property::Normal,
            "subnormal" => Property::Subnormal,
            _ => return None,
        })
    }

    /// Whether an f32 has the property.
    #[inline]
    pub(crate) fn holds_f32(self, x: f32) -> bool {
        match self {
            Property::Finite => x.is_finite(),
            Property::Infinite => x.is_infinite(),
            Property::Number => !x.is_nan(),
            Property::NotANumber => x.is_nan(),
            Property::Normal => x.is_normal() || x == 0.0,
            Property::Subnormal => x.is_subnormal(),
        }
    }

    /// Whether an f64 has the property.
    #[inline]
    pub(crate) fn holds_f64(self, x: f64) -> bool {
        match self {
            Property::Finite => x.is_finite(),
            Property::Infinite => x.is_infinite(),
            Property::Number => !x.is_nan(),
            Property::NotANumber => x.is_nan(),
            Property::Normal => x.is_normal() || x == 0.0,
            Property::Subnormal => x.is_subnormal(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let holds = |name: &str, x: f32| {
            let property = Property::parse(name).expect("a property");
            assert!(!x.is_normal() && x != 0.0 || property.holds_f64(x.into()) == property.holds_f32(x));
            property.holds_f32(x)
        };
        assert!(holds("subnormal", f32::from_bits(1)) && !holds("subnormal", 0.0));
        assert!(holds("normal", 1.0) && holds("normal", 0.0) && !holds("normal", f32::INFINITY));
        assert!(holds("number", f32::INFINITY) && holds("notanumber", f32::NAN));
        assert!(holds("finite", 0.0) && holds("infinite", f32::NEG_INFINITY));
        assert_eq!(Property::parse("odd"), None);
    }

    #[test]
    fn signs() {
        assert_eq!(copysign_f32(-1.0, 2.0), -2.0);
        assert_eq!(copysign_f64(1.0, -2.0), 2.0);
        assert_eq!(neg_f32(f32::from_bits(1), true).to_bits(), 0x8000_0000);
        assert_eq!(abs_f32(-3.0, false), 3.0);
        assert_eq!(abs_f64(-3.0), 3.0);
        assert_eq!(neg_f64(0.0).to_bits(), 1 << 63);
        let nan = f64::from_bits(0xfff8_0000_0000_0007);
        assert_eq!(abs_f64(nan).to_bits(), nan.to_bits());
    }
}
