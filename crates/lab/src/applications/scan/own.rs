//! Operators that are written on the command line.

use crate::applications::AppError;
use crate::files::{Number, Numbers};
use warpwise::expression::{Expression, Fold, Operand};
use warpwise::scan::Kind;
use warpwise::{Device, Input};

/// An associative operator, written as an expression of `a` and `b`.
#[derive(Clone, Debug)]
pub struct Own {
    /// What two numbers give, where `a` comes before `b`.
    pub combine: String,
    /// The number that changes nothing.
    pub identity: String,
}

impl Own {
    /// Combines every prefix.
    pub(super) fn scan<T: Number + warpwise::Element, I: Input<T> + Sync + ?Sized>(
        &self,
        device: &Device,
        kind: Kind,
        xs: &I,
    ) -> Result<Numbers, AppError> {
        let identity: Expression = self.identity.parse().map_err(|error| AppError::flag("--identity", error))?;
        let fold = Fold::associative().field("number", "x", &self.combine, identity);
        let wrong = |error: warpwise::Error| match error {
            warpwise::Error::Expression { .. } => AppError::flag("--op", error),
            other => other.into(),
        };
        let mut found = fold.scan(device, kind, vec![Operand::new(xs)]).map_err(wrong)?;
        Ok(T::numbers(found.take::<T>("number")?.into_vec()?))
    }
}
