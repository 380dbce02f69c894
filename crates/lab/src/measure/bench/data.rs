//! Test data with names: the same every time.

use rayon::prelude::*;
use warpwise::Element;

/// What operands are filled with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Data {
    /// Integers of all sizes, floats in [-1, 1); for matrices small whole numbers, so that products are exact.
    #[default]
    Random,
    /// Random, in ascending order.
    Sorted,
    /// Random, in descending order.
    Reversed,
    /// Zero everywhere: the one value of a black picture.
    Black,
    /// One everywhere.
    Ones,
    /// 0, 1, 2, ...
    Iota,
}

impl Data {
    /// Every kind.
    pub const ALL: [Self; 6] = [Self::Random, Self::Sorted, Self::Reversed, Self::Black, Self::Ones, Self::Iota];

    /// Its name, as the command line spells it.
    ///
    /// ```
    /// use warpwise_lab::measure::bench::Data;
    ///
    /// assert_eq!(Data::ALL.map(Data::name), ["random", "sorted", "reversed", "black", "ones", "iota"]);
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Sorted => "sorted",
            Self::Reversed => "reversed",
            Self::Black => "black",
            Self::Ones => "ones",
            Self::Iota => "iota",
        }
    }

    /// So many elements; operands of one problem are different streams.
    pub(crate) fn elements<T: Element>(self, stream: u64, n: usize) -> Vec<T> {
        match self {
            Self::Black => vec![T::ZERO; n],
            Self::Ones => vec![T::ONE; n],
            #[allow(clippy::cast_precision_loss, reason = "wide indices are rounded, as any float is")]
            Self::Iota => (0..n).into_par_iter().map(|i| T::from_random(i as u64, i as f64)).collect(),
            Self::Random => (0..n).into_par_iter().map(|i| random(stream, i)).collect(),
            Self::Sorted | Self::Reversed => {
                let mut all = Self::Random.elements::<T>(stream, n);
                // None of them is NaN.
                let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
                all.par_sort_unstable_by(|a, b| if self == Self::Sorted { order(a, b) } else { order(b, a) });
                all
            }
        }
    }

    /// As [`Data::elements`], with whole numbers below a limit where it is random: their sums and products are exact.
    pub(crate) fn small<T: Element>(self, stream: u64, n: usize, limit: u64) -> Vec<T> {
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let whole = |value: u64| T::from_random(value, value as f64);
        match self {
            Self::Random => (0..n).into_par_iter().map(|i| whole(bits(stream, i) % limit)).collect(),
            Self::Iota => (0..n).into_par_iter().map(|i| whole(i as u64 % limit)).collect(),
            Self::Sorted | Self::Reversed => {
                let mut all = Self::Random.small::<T>(stream, n, limit);
                all.par_sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
                if self == Self::Reversed {
                    all.reverse();
                }
                all
            }
            other => other.elements(stream, n),
        }
    }
}

fn random<T: Element>(stream: u64, i: usize) -> T {
    let bits = bits(stream, i);
    #[allow(clippy::cast_precision_loss, reason = "53 bits fit")]
    let unit = (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    T::from_random(bits, unit)
}

/// Random bits of a place (SplitMix64, whose state is a counter): every element can be made by itself.
fn bits(stream: u64, i: usize) -> u64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let seed = mix(stream.wrapping_add(0x5eed).wrapping_mul(GOLDEN));
    mix(seed.wrapping_add((i as u64).wrapping_add(1).wrapping_mul(GOLDEN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_what_it_says() {
        assert_eq!(Data::Black.elements::<u8>(0, 3), [0, 0, 0]);
        assert_eq!(Data::Ones.elements::<f32>(0, 2), [1.0, 1.0]);
        assert_eq!(Data::Iota.elements::<u8>(0, 258)[255..], [255, 0, 1]);
        assert_eq!(Data::Iota.elements::<f64>(0, 3), [0.0, 1.0, 2.0]);
        let sorted = Data::Sorted.elements::<i32>(0, 1000);
        assert!(sorted.is_sorted() && sorted[0] < 0);
        let reversed = Data::Reversed.elements::<f32>(0, 1000);
        assert!(reversed.iter().rev().is_sorted());
        let floats = Data::Random.elements::<f32>(0, 1000);
        assert!(floats.iter().all(|x| (-1.0..1.0).contains(x)) && floats.iter().any(|&x| x < 0.0));
    }

    #[test]
    fn data_is_the_same_every_time_and_streams_differ() {
        let of = |stream| Data::Random.elements::<u64>(stream, 100);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert!(Data::Random.small::<f32>(0, 1000, 3).iter().all(|x| [0.0, 1.0, 2.0].contains(x)));
    }
}
