//! Rounding to odd: an intermediate that a later, narrower rounding cannot be misled by.
//!
//! Of the two neighbours of an inexact value the one with an odd last bit is taken. If the final format has at
//! least two bits less, rounding this intermediate gives the same result as rounding the exact value, in every
//! direction. All functions are branch free, so loops over lanes vectorise.

/// `a * b + c` rounded to odd, for operands whose product is exact in f64 (f32 and narrower formats).
#[inline(always)]
pub(crate) fn fma(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    // Two-sum: the exact error of the addition. It is NaN where an operand is not finite, and compares false.
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let away = if sum > 0.0 { error > 0.0 } else { error < 0.0 };
    let toward = if sum > 0.0 { error < 0.0 } else { error > 0.0 };
    let bits = sum.to_bits();
    let even = bits & 1 ^ 1;
    f64::from_bits(bits.wrapping_add(even & u64::from(away)).wrapping_sub(even & u64::from(toward)))
}

/// `a * b + c` rounded to odd, for operands whose product is exact in f32 (f16).
#[inline(always)]
pub(crate) fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    let product = a * b;
    let sum = product + c;
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    let away = if sum > 0.0 { error > 0.0 } else { error < 0.0 };
    let toward = if sum > 0.0 { error < 0.0 } else { error > 0.0 };
    let bits = sum.to_bits();
    let even = bits & 1 ^ 1;
    f32::from_bits(bits.wrapping_add(even & u32::from(away)).wrapping_sub(even & u32::from(toward)))
}

/// An f64 narrowed to f32, rounded to odd.
#[inline(always)]
pub(crate) fn narrow(x: f64) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    let bits = nearest.to_bits();
    let even = bits & 1 ^ 1;
    // NaN compares false both ways. An infinity from a finite operand steps back to the largest finite value.
    let away = u32::from(back.abs() < x.abs());
    let toward = u32::from(back.abs() > x.abs());
    f32::from_bits(bits.wrapping_add(even & away).wrapping_sub(even & toward))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrowing_marks_inexact_values() {
        assert_eq!(narrow(1.0 + 2f64.powi(-40)).to_bits(), 0x3f80_0001);
        assert_eq!(narrow(1.0 - 2f64.powi(-40)).to_bits(), 0x3f7f_ffff);
        assert_eq!(narrow(1e300).to_bits(), f32::MAX.to_bits());
        assert_eq!(narrow(-1e-300).to_bits(), 0x8000_0001);
        assert_eq!(narrow(f64::NEG_INFINITY), f32::NEG_INFINITY);
        assert!(narrow(f64::NAN).is_nan());
        assert_eq!(narrow(-0.0).to_bits(), 0x8000_0000);
    }
}
