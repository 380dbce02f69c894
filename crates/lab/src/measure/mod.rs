//! Measurements of primitives.
//!
//! - [`mod@bench`] measures variants, each verified first.
//! - [`compare`] compares two measurements.
//! - [`figures`] repeats published experiments.
//! - [`sweep`] measures a rung with one launch geometry after the other.
//! - [`stats`] decides when there are enough samples, and summarises them.

pub mod bench;
pub mod compare;
pub mod figures;
pub mod stats;
pub mod sweep;
