//! A reduction on the CPU whose elements come window by window.

use super::fixed::finish;
use super::{Reducible, cpu, fixed};
use crate::operator::with_operator;
use crate::simd::Level;
use crate::{Element, Error, Operator};

/// Elements that come in windows of any length, combined on the CPU: with the bits of [`cpu::par`] of all of them, which
/// need not be in memory at once.
///
/// ```
/// use warpwise::Operator;
/// use warpwise::reduce::{Windows, cpu};
///
/// let xs: Vec<f32> = (0..100_000).map(|i| 1.0 / (i as f32 + 1.0)).collect();
/// let mut windows = Windows::new(Operator::Sum);
/// xs.chunks(30_000).for_each(|window| windows.push(window));
/// assert_eq!(windows.finish()?, cpu::par(Operator::Sum, &xs)?);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Windows<T> {
    operator: Operator,
    count: usize,
    /// All so far, where the order of elements does not show.
    so_far: T,
    /// Otherwise what is left of every round of the fixed tree: fewer than a tile of elements, then of values of tiles,
    /// and so on.
    rounds: Vec<Vec<T>>,
}

impl<T: Reducible> Windows<T> {
    /// No elements yet.
    ///
    /// ```
    /// use warpwise::{Operator, reduce::Windows};
    ///
    /// assert_eq!(Windows::<i32>::new(Operator::Product).finish()?, 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(operator: Operator) -> Self {
        Self { operator, count: 0, so_far: operator.identity(), rounds: Vec::new() }
    }

    /// The next elements.
    ///
    /// ```
    /// use warpwise::{Operator, reduce::Windows};
    ///
    /// let mut windows = Windows::new(Operator::Max);
    /// windows.push(&[3, 1]);
    /// windows.push(&[4]);
    /// assert_eq!(windows.finish()?, 4);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn push(&mut self, xs: &[T]) {
        self.count += xs.len();
        if self.operator.order_shows::<T>() {
            self.add(0, xs);
        } else if let Ok(value) = T::on_host(self.operator, xs) {
            self.so_far = self.operator.apply(self.so_far, value);
        }
    }

    /// Adds elements of a round: whole tiles become elements of the next one.
    fn add(&mut self, round: usize, mut xs: &[T]) {
        let tile = fixed::tile_of::<T>();
        if self.rounds.len() == round {
            self.rounds.push(Vec::with_capacity(tile));
        }
        let left = &mut self.rounds[round];
        if !left.is_empty() {
            let (first, rest) = xs.split_at(xs.len().min(tile - left.len()));
            left.extend_from_slice(first);
            xs = rest;
            if left.len() < tile {
                return;
            }
            let whole = std::mem::replace(left, Vec::with_capacity(tile));
            self.add(round + 1, &T::tiles_on_host(self.operator, &whole));
        }
        let (tiles, rest) = xs.split_at(xs.len() / tile * tile);
        self.rounds[round].extend_from_slice(rest);
        if !tiles.is_empty() {
            self.add(round + 1, &T::tiles_on_host(self.operator, tiles));
        }
    }

    /// All elements combined.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] for the minimum or maximum of nothing.
    ///
    /// ```
    /// use warpwise::{Operator, reduce::Windows};
    ///
    /// assert!(Windows::<f32>::new(Operator::Min).finish().is_err());
    /// ```
    pub fn finish(mut self) -> Result<T, Error> {
        cpu::check(self.operator, self.count)?;
        if !self.operator.order_shows::<T>() {
            return Ok(self.so_far);
        }
        let mut round = 0;
        // The last round is the one of which a single value is left, which is no element.
        loop {
            let left = self.rounds.get(round).cloned().unwrap_or_default();
            let last = round + 1 >= self.rounds.len();
            match left[..] {
                [] if last => return Ok(end(self.operator, self.operator.identity())),
                [value] if last && round > 0 => return Ok(end(self.operator, value)),
                [] => {}
                _ => {
                    let value = T::tiles_on_host(self.operator, &left);
                    self.add(round + 1, &value);
                }
            }
            round += 1;
        }
    }
}

/// The values of the tiles of these elements.
pub(super) fn tiles<T: Element>(operator: Operator, xs: &[T]) -> Vec<T> {
    with_operator!(operator, tile_values::<T>(xs))
}

fn tile_values<T: Element, O: crate::operator::Combine>(xs: &[T]) -> Vec<T> {
    fixed::round::<T, O>(Level::current(), xs)
}

/// The last step.
fn end<T: Element>(operator: Operator, value: T) -> T {
    with_operator!(operator, finish::<T>(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn holds<T: Reducible>(xs: &[T]) {
        for operator in Operator::ALL {
            let Ok(right) = cpu::par(operator, xs) else { continue };
            for window in [1, 7, 4096, 8192, 10_000, 65_536, 1 << 22] {
                if xs.len() / window > 5000 {
                    continue;
                }
                let mut windows = Windows::new(operator);
                xs.chunks(window).for_each(|xs| windows.push(xs));
                let found = windows.finish().unwrap();
                assert_eq!(
                    bytemuck::bytes_of(&found),
                    bytemuck::bytes_of(&right),
                    "{operator:?} {} {window}",
                    xs.len()
                );
            }
        }
    }

    #[test]
    fn windows_give_the_bits_of_the_whole() {
        let tile = fixed::tile_of::<f32>();
        // More than a tile of tiles has three rounds.
        for n in [1, 2, 1000, tile - 1, tile, tile + 1, 2 * tile, 10 * tile + 5, tile * tile / 64] {
            let mut random = Random::new(n as u64);
            let xs: Vec<f32> = random.elements(n);
            holds(&xs);
            if n < 20 * tile {
                holds(&xs.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
                holds(&xs.iter().map(|&x| (x * 1e6) as i32).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_tile_of_tiles_has_a_third_round() {
        // With f64, tiles are of 4096 elements.
        let tile = fixed::tile_of::<f64>();
        let xs: Vec<f64> = (0..tile * tile + tile + 3).map(|i| 1.0 / (i as f64 + 1.0)).collect();
        let mut windows = Windows::new(Operator::Sum);
        xs.chunks(1 << 20).for_each(|window| windows.push(window));
        assert_eq!(windows.finish().unwrap().to_bits(), cpu::par(Operator::Sum, &xs).unwrap().to_bits());
    }

    #[test]
    fn nothing_is_the_identity() {
        assert_eq!(Windows::<f32>::new(Operator::Sum).finish(), Ok(0.0));
        assert_eq!(Windows::<f64>::new(Operator::Product).finish(), Ok(1.0));
        assert!(Windows::<i32>::new(Operator::Max).finish().is_err());
    }
}
