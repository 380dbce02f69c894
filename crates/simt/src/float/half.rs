//! The two formats of 16 bits, for those who fill the memory of kernels and read it.

use super::{Bf16, F16, Half16};

/// A floating-point format of 16 bits.
///
/// ```
/// use warpwise_simt::Half;
///
/// assert_eq!((Half::F16.bits(1.5), Half::Bf16.bits(1.5)), (0x3e00, 0x3fc0));
/// assert_eq!((Half::F16.value(0x3e00), Half::Bf16.value(0x3fc0)), (1.5, 1.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
}

impl Half {
    /// The bits of the nearest number, the even one of two; every NaN has the same.
    ///
    /// ```
    /// use warpwise_simt::Half;
    ///
    /// assert_eq!(Half::F16.bits(65520.0), Half::F16.bits(f64::INFINITY));
    /// assert_eq!(Half::Bf16.bits(f64::NAN), 0x7fff);
    /// ```
    pub fn bits(self, value: f64) -> u16 {
        match self {
            Self::F16 => F16::from_f64(value),
            Self::Bf16 => Bf16::from_f64(value),
        }
    }

    /// The number that these bits stand for.
    ///
    /// ```
    /// use warpwise_simt::Half;
    ///
    /// assert_eq!(Half::F16.value(1), 2f32.powi(-24));
    /// assert!(Half::Bf16.value(0x7fc0).is_nan());
    /// ```
    pub fn value(self, bits: u16) -> f32 {
        match self {
            Self::F16 => F16::to_f32(bits),
            Self::Bf16 => Bf16::to_f32(bits),
        }
    }
}
