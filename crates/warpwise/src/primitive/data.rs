//! Named test data, the same every time.

use crate::{Element, random, sort, threads};

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
            Self::Iota => made(n, &|i| T::from_random(i as u64, i as f64)),
            Self::Random => made(n, &|i| random::element(bits(stream, i))),
            Self::Sorted | Self::Reversed => self.in_order(Self::Random.elements(stream, n)),
        }
    }

    /// Like [`Data::elements`], but random data are whole numbers below a limit, so that their sums and products are
    /// exact.
    pub(crate) fn small<T: Element>(self, stream: u64, n: usize, limit: u64) -> Vec<T> {
        let whole = |value: u64| T::from_random(value, value as f64);
        match self {
            Self::Random => made(n, &|i| whole(bits(stream, i) % limit)),
            Self::Iota => made(n, &|i| whole(i as u64 % limit)),
            Self::Sorted | Self::Reversed => self.in_order(Self::Random.small(stream, n, limit)),
            other => other.elements(stream, n),
        }
    }

    /// The same elements, ascending or descending.
    fn in_order<T: Element>(self, mut all: Vec<T>) -> Vec<T> {
        sort::in_place(&mut all, self == Self::Reversed);
        all
    }
}

/// Elements that a thread makes at a time.
const CHUNK: usize = 1 << 14;

/// That many elements, each made from its number; compiled once for each type.
fn made<T: Element>(n: usize, make: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut all = vec![T::ZERO; n];
    // Random bits take one core about two nanoseconds.
    threads::for_each_chunk(&mut all, CHUNK, n.saturating_mul(2), |chunk, elements| {
        for (i, element) in elements.iter_mut().enumerate() {
            *element = make(chunk * CHUNK + i);
        }
    });
    all
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
