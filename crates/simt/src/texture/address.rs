//! From coordinates to texels.

use warpwise_arch::Addressing;

/// Fractional bits of the weights that a texture unit works with.
const WEIGHT_BITS: u32 = 8;
/// The weight of a texel that has it all.
pub(super) const ONE: i64 = 1 << WEIGHT_BITS;
/// Coordinates beyond this are as far outside as any.
const FAR: f64 = (1u64 << 40) as f64;

/// The number of the texel at a place; `None` for the border.
pub(super) fn texel(at: i64, size: u32, addressing: Addressing) -> Option<u32> {
    let last = i64::from(size) - 1;
    let inside = match addressing {
        Addressing::Clamp => at.clamp(0, last),
        Addressing::Border if (0..=last).contains(&at) => at,
        Addressing::Border => return None,
        Addressing::Wrap => at.rem_euclid(last + 1),
        Addressing::Mirror => {
            let twice = at.rem_euclid(2 * (last + 1));
            if twice > last { 2 * last + 1 - twice } else { twice }
        }
    };
    u32::try_from(inside).ok()
}

/// The addressing that applies: repetition needs normalised coordinates.
pub(super) fn effective(addressing: Addressing, normalized: bool) -> Addressing {
    match addressing {
        Addressing::Wrap | Addressing::Mirror if !normalized => Addressing::Clamp,
        other => other,
    }
}

/// The place of the nearest texel.
pub(super) fn nearest(x: f64) -> i64 {
    x.clamp(-FAR, FAR).floor() as i64
}

/// The first of the two nearest texels, and the weight of the second, in 256ths. Texels have their values in their
/// middle.
pub(super) fn between(x: f64) -> (i64, i64) {
    let fixed = ((x - 0.5).clamp(-FAR, FAR) * ONE as f64 + 0.5).floor() as i64;
    (fixed >> WEIGHT_BITS, fixed & (ONE - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_outside_are_brought_inside() {
        let row = |addressing| (-5..9).map(|at| texel(at, 4, addressing).map_or(-1, i64::from)).collect::<Vec<_>>();
        assert_eq!(row(Addressing::Clamp), [0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]);
        assert_eq!(row(Addressing::Border), [-1, -1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, -1]);
        assert_eq!(row(Addressing::Wrap), [3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]);
        assert_eq!(row(Addressing::Mirror), [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]);
    }

    #[test]
    fn weights_have_eight_bits() {
        assert_eq!(between(0.5), (0, 0));
        assert_eq!(between(1.0), (0, 128));
        assert_eq!(between(0.0), (-1, 128));
        assert_eq!(between(0.5 + 1.0 / 3.0), (0, 85));
        assert_eq!(between(1.4999), (1, 0), "the nearest 256th");
        assert_eq!(between(f64::NAN).1, 0);
        assert_eq!(between(f64::INFINITY), (1 << 40, 0));
    }
}
