//! Measurements of primitives.
//!
//! - [`mod@bench`] measures variants, each verified first.
//! - [`compare`] says what two measurements have to say about each other.
//! - [`figures`] runs published experiments again.
//! - [`sweep`] measures a rung with one launch geometry after the other.
//! - [`stats`] decides when there are samples enough, and what they say.

pub mod bench;
pub mod compare;
pub mod figures;
pub mod stats;
pub mod sweep;
