//! Random inputs that can be had again.

use crate::{Element, Operator};

/// A small random number generator (SplitMix64): the same numbers for the same seed, everywhere.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A seed that depends on words and another seed (FNV-1a).
    pub(crate) fn seed_of(words: &[&str], seed: u64) -> u64 {
        let bytes = words.iter().flat_map(|w| w.bytes().chain([0]));
        bytes.fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// Elements as their type has them: integers of all sizes, floats in [-1, 1).
    pub(crate) fn elements<T: Element>(&mut self, n: usize) -> Vec<T> {
        (0..n)
            .map(|_| {
                let bits = self.next();
                let unit = (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
                T::from_random(bits, unit)
            })
            .collect()
    }

    /// Zeros of both signs among numbers that min or max leaves out; the zero that it takes is there once, or often.
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
        zeros[self.below(n as u64) as usize] = taken;
        zeros
    }
}
