//! The library seen from outside.
//!
//! - [`list`] shows what it offers: primitives, their types and their ladders.
//! - [`selftest`] runs its conformance suite.

pub mod list;
pub mod selftest;
