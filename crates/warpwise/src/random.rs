//! The one random number generator: SplitMix64 (Steele, Lea and Flood, 2014).
//!
//! Its state is a counter, so every number of a stream can be computed by itself, on any thread, and is the same on
//! every machine.

use crate::{Element, Operator};

/// The step of the counter: 2^64 over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Scatters the bits of a number: close inputs give unrelated outputs.
///
/// ```
/// assert_ne!(warpwise::random::mix(1) >> 32, warpwise::random::mix(2) >> 32);
/// ```
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Number `i` of a stream.
///
/// ```
/// use warpwise::random::at;
///
/// assert_eq!(at(1, 5), at(1, 5));
/// assert_ne!(at(1, 5), at(2, 5));
/// ```
pub fn at(stream: u64, i: u64) -> u64 {
    mix(mix(stream.wrapping_mul(GOLDEN)).wrapping_add(i.wrapping_add(1).wrapping_mul(GOLDEN)))
}

/// An element from random bits: integers of all sizes, floats in [-1, 1).
///
/// ```
/// assert!((-1.0..1.0).contains(&warpwise::random::element::<f64>(u64::MAX)));
/// ```
pub fn element<T: Element>(bits: u64) -> T {
    T::from_random(bits, unit(bits))
}

/// The upper 53 bits as a number in [-1, 1).
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Random numbers in sequence: the same for the same seed.
///
/// ```
/// use warpwise::random::Random;
///
/// assert_eq!(Random::new(7).elements::<i32>(10), Random::new(7).elements::<i32>(10));
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator with a seed.
    ///
    /// ```
    /// assert_ne!(warpwise::random::Random::new(1).bits(), warpwise::random::Random::new(2).bits());
    /// ```
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A seed that depends on words and another seed (FNV-1a).
    pub(crate) fn seed_of(words: &[&str], seed: u64) -> u64 {
        let bytes = words.iter().flat_map(|w| w.bytes().chain([0]));
        bytes.fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
    }

    /// 64 random bits.
    ///
    /// ```
    /// let mut random = warpwise::random::Random::new(1);
    /// assert_ne!(random.bits(), random.bits());
    /// ```
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A number below `limit`; 0 if the limit is 0.
    ///
    /// ```
    /// assert!(warpwise::random::Random::new(1).below(10) < 10);
    /// ```
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % (limit as u64).max(1)) as usize
    }

    /// A number in [-1, 1).
    ///
    /// ```
    /// assert!((-1.0..1.0).contains(&warpwise::random::Random::new(1).unit()));
    /// ```
    pub fn unit(&mut self) -> f64 {
        unit(self.bits())
    }

    /// That many elements: integers of all sizes, floats in [-1, 1).
    ///
    /// ```
    /// assert_eq!(warpwise::random::Random::new(1).elements::<f64>(3).len(), 3);
    /// ```
    #[inline(never)]
    pub fn elements<T: Element>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| element(self.bits())).collect()
    }

    /// Zeros of both signs among numbers that min or max ignores; the zero that it picks occurs once, or often.
    pub(crate) fn zeros<T: Element>(&mut self, n: usize, operator: Operator, often: bool) -> Vec<T> {
        let sign = if operator == Operator::Min { 1.0 } else { -1.0 };
        let [taken, left, out] = [-0.0 * sign, 0.0 * sign, sign].map(|x| T::from_random(0, x));
        let mut zeros: Vec<T> = (0..n)
            .map(|_| match self.below(4) {
                0 if often => taken,
                1 => out,
                _ => left,
            })
            .collect();
        zeros[self.below(n)] = taken;
        zeros
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_does_not_change() {
        assert_eq!([at(1, 0), at(1, 1), at(2, 0)].map(|v| v >> 32), [2_802_244_911, 3_011_683_077, 1_186_414_201]);
        assert_eq!(Random::new(0).bits(), 0xe220_a839_7b1d_cdaf, "as published");
    }
}
