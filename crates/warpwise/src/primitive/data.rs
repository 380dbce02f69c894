//! Named test data, the same every time.

use rayon::prelude::*;

use crate::{Element, random};

/// What operands are filled with.
///
/// ```
/// use warpwise::primitive::Data;
///
/// assert_eq!(Data::parse("sorted"), Some(Data::Sorted));
/// assert_eq!(Data::NAMES[0], "random");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Data {
    /// Integers of all sizes, floats in [-1, 1); for matrices small whole numbers, so that products are exact.
    #[default]
    Random,
    /// Random, in ascending order.
    Sorted,
    /// Random, in descending order.
    Reversed,
    /// Zero everywhere: the only value of a black picture.
    Black,
    /// One everywhere.
    Ones,
    /// 0, 1, 2, ...
    Iota,
}

/// Keeps the streams of test data apart from other random numbers.
const FIRST_STREAM: u64 = 0x5eed;

impl Data {
    const ALL: [Self; 6] = [Self::Random, Self::Sorted, Self::Reversed, Self::Black, Self::Ones, Self::Iota];

    /// Their names, as the command line spells them.
    ///
    /// ```
    /// use warpwise::primitive::Data;
    ///
    /// assert!(Data::NAMES.iter().all(|name| Data::parse(name).is_some()));
    /// ```
    pub const NAMES: &'static [&'static str] = &["random", "sorted", "reversed", "black", "ones", "iota"];

    /// The kind of that name.
    ///
    /// ```
    /// assert_eq!(warpwise::primitive::Data::parse("2019"), None);
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().zip(Self::ALL).find(|(known, _)| **known == name).map(|(_, data)| data)
    }

    /// That many elements; the operands of one problem are different streams.
    pub(crate) fn elements<T: Element>(self, stream: u64, n: usize) -> Vec<T> {
        match self {
            Self::Black => vec![T::ZERO; n],
            Self::Ones => vec![T::ONE; n],
            Self::Iota => (0..n).into_par_iter().map(|i| T::from_random(i as u64, i as f64)).collect(),
            Self::Random => (0..n).into_par_iter().map(|i| random::element(bits(stream, i))).collect(),
            Self::Sorted | Self::Reversed => {
                let mut all = Self::Random.elements::<T>(stream, n);
                // None of them is NaN.
                let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
                all.par_sort_unstable_by(|a, b| if self == Self::Sorted { order(a, b) } else { order(b, a) });
                all
            }
        }
    }

    /// Like [`Data::elements`], but random data are whole numbers below a limit, so that their sums and products are
    /// exact.
    pub(crate) fn small<T: Element>(self, stream: u64, n: usize, limit: u64) -> Vec<T> {
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

fn bits(stream: u64, i: usize) -> u64 {
    random::at(FIRST_STREAM.wrapping_add(stream), i as u64)
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
