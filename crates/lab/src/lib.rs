//! Experiments on kernels.
//!
//! - [`run`] executes a kernel of the user's own, from PTX or CUDA C++, and reports what it did.
//! - [`check`] says what is wrong with a kernel: races, bad accesses, reads of nothing, barriers that not all reach.
//! - [`explain`] says why a kernel is slow: counters beside what is ideal, line by line, and what costs most.
//! - [`devices`] describes the GPUs of this machine and the emulator's.
//! - [`doctor`] says what this machine offers: driver, GPUs, compiler, cores.
//! - [`list`] says what the library offers: primitives, their types and their ladders.
//! - [`selftest`] runs the conformance suite.
//! - [`mod@bench`] measures variants of primitives, and [`compare`] two measurements ([`stats`], [`plot`]).
//! - [`figures`] runs published experiments again.
//! - [`sweep`] measures a rung with one launch geometry after the other.
//! - [`tour`] shows everything, and [`report`] makes one page of what it saw.
//! - [`apps`] runs primitives on the files that people have ([`files`]).
//!
//! Every experiment is a request, a function, and a report that renders itself as text or JSON.

pub mod apps;
pub mod bench;
pub mod check;
pub mod compare;
pub mod devices;
pub mod doctor;
pub mod explain;
pub mod figures;
pub mod files;
pub mod list;
pub mod plot;
pub mod report;
pub mod run;
pub mod selftest;
pub mod stats;
pub mod sweep;
pub mod tour;

mod checks;
mod counters;
mod finding;
mod memory;
mod place;
mod rung;
mod source;
mod style;
mod table;

pub use checks::{checks_named, parse_checks};
pub use counters::CounterTable;
pub use finding::Finding;
pub use place::{NotHere, Place};
pub use rung::{RungError, RungRequest, parse_size};
pub use style::Style;
pub use warpwise::radiator::Preset;
pub use warpwise::{Geometry, Operator, allow_rebuild};
pub use warpwise_gpu::Counters;
pub use warpwise_simt::Checks;
