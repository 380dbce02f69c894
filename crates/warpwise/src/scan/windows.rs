//! A scan on the CPU whose elements come window by window.

use super::{Kind, Scannable, cpu};
use crate::{Error, Operator};

/// Elements that come in windows, scanned on the CPU: with the bits of [`cpu::par`] of all of them, which need not be in
/// memory at once.
///
/// ```
/// use warpwise::Operator;
/// use warpwise::scan::{Kind, Windows};
///
/// let mut windows = Windows::new(Operator::Sum, Kind::Inclusive);
/// let mut sums = vec![0; Windows::<i32>::STEP + 1];
/// let (first, second) = sums.split_at_mut(Windows::<i32>::STEP);
/// windows.run_into(&vec![1; first.len()], first)?;
/// windows.run_into(&[5], second)?;
/// assert_eq!(sums[65_535..], [65_536, 65_541]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Windows<T> {
    operator: Operator,
    kind: Kind,
    before: T,
    /// Whether a window was no multiple of a step.
    ended: bool,
}

impl<T: Scannable> Windows<T> {
    /// A window has a multiple of so many elements; only the last one may have any number.
    ///
    /// ```
    /// assert_eq!(warpwise::scan::Windows::<f32>::STEP, 65_536);
    /// ```
    pub const STEP: usize = cpu::STEP;

    /// No elements yet.
    ///
    /// ```
    /// use warpwise::Operator;
    /// use warpwise::scan::{Kind, Windows};
    ///
    /// let mut sums = [0; 2];
    /// Windows::new(Operator::Sum, Kind::Exclusive).run_into(&[3, 4], &mut sums)?;
    /// assert_eq!(sums, [0, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(operator: Operator, kind: Kind) -> Self {
        Self { operator, kind, before: operator.identity(), ended: false }
    }

    /// Scans the next elements.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the output and the window differ in length, or when the window before was no multiple of
    /// [`STEP`](Self::STEP).
    ///
    /// ```
    /// use warpwise::Operator;
    /// use warpwise::scan::{Kind, Windows};
    ///
    /// let mut windows = Windows::new(Operator::Max, Kind::Inclusive);
    /// windows.run_into(&[3, 4], &mut [0; 2])?;
    /// assert!(windows.run_into(&[5], &mut [0]).is_err());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into(&mut self, xs: &[T], out: &mut [T]) -> Result<(), Error> {
        Error::check_length("the output", out.len(), xs.len())?;
        if self.ended && !xs.is_empty() {
            return Err(Error::Length { what: "what follows the last window", expected: 0, found: xs.len() });
        }
        self.ended |= !xs.len().is_multiple_of(Self::STEP);
        self.before = T::on_host(self.operator, self.kind, self.before, xs, out);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn holds<T: Scannable>(n: usize) {
        let xs: Vec<T> = Random::new(n as u64).elements(n);
        for operator in Operator::ALL {
            for kind in [Kind::Inclusive, Kind::Exclusive] {
                let (mut right, mut found) = (vec![T::ZERO; n], vec![T::ZERO; n]);
                cpu::par(operator, kind, &xs, &mut right).unwrap();
                for steps in [1, 2, 7] {
                    let mut windows = Windows::new(operator, kind);
                    let window = steps * Windows::<T>::STEP;
                    for (xs, out) in xs.chunks(window).zip(found.chunks_mut(window)) {
                        windows.run_into(xs, out).unwrap();
                    }
                    let bytes = |xs: &[T]| bytemuck::cast_slice::<T, u8>(xs).to_vec();
                    assert!(bytes(&found) == bytes(&right), "{operator:?} {kind:?} of {n} {}", T::NAME);
                }
            }
        }
    }

    #[test]
    fn windows_give_the_bits_of_the_whole() {
        for n in [0, 1, 1000, 65_535, 65_536, 65_537, 300_000] {
            holds::<f32>(n);
            holds::<f64>(n);
            holds::<i32>(n);
        }
    }
}
