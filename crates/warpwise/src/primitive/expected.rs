//! What the reference computes.

use crate::Error;
use std::cell::OnceCell;

/// The reference's result, computed when something is first compared with it: what is only timed or counted needs none.
pub(crate) struct Expected<T>(OnceCell<T>);

impl<T> Expected<T> {
    /// Nothing so far.
    pub(crate) fn later() -> Self {
        Self(OnceCell::new())
    }

    /// The result, which `compute` computes unless that was done before.
    pub(crate) fn get(&self, compute: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
        if let Some(known) = self.0.get() {
            return Ok(known);
        }
        let computed = compute()?;
        Ok(self.0.get_or_init(|| computed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_computed_once_and_after_an_error_again() {
        let (expected, calls) = (Expected::later(), std::cell::Cell::new(0));
        let count = |result: Result<i32, Error>| {
            calls.set(calls.get() + 1);
            result
        };
        assert!(expected.get(|| count(Err(Error::Empty { operator: "minimum" }))).is_err());
        assert_eq!(expected.get(|| count(Ok(7))).unwrap(), &7);
        assert_eq!(expected.get(|| count(Ok(8))).unwrap(), &7);
        assert_eq!(calls.get(), 2);
    }
}
