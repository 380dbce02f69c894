//! What computes the rows of a rank.

use std::borrow::Cow;

use crate::Error;
use crate::communicator::Communicator;

/// The rows of a rank, and copies around them, somewhere.
pub(super) trait Engine<T: Clone> {
    /// Computes the temperatures that many steps later, beside the current ones, and renews the copies. All ranks have to
    /// call it.
    fn pass(&mut self, ranks: &dyn Communicator, steps: usize) -> Result<(), Error>;

    /// The largest change of each step of the last pass in the rows of this rank; one of a copy may be among them.
    fn changes(&mut self, steps: usize) -> Result<Vec<f64>, Error>;

    /// Makes the temperatures of the last pass the current ones.
    fn swap(&mut self);

    /// The temperatures of the own rows.
    fn temperatures(&self) -> Result<Cow<'_, [T]>, Error>;
}
