//! Experiments on kernels, in modules named for what happens there.
//!
//! - [`kernels`]: the user's own kernels and rungs of the library are run, checked and explained.
//! - [`programs`]: whole programs are run with no GPU, and reported.
//! - [`library`]: what the library offers is listed, and its conformance suite is run.
//! - [`measure`]: variants are timed, compared, swept, and shown beside published figures.
//! - [`applications`]: primitives are applied to the user's files.
//! - [`course`]: exercises are shown, written and graded.
//! - [`files`]: those files are read and written.
//! - [`pages`]: the tour, the page of its results, and charts.
//! - [`machine`]: GPUs, driver, compiler and cores are described.
//! - [`output`]: the formats of results.
//!
//! Every experiment is a request, a function, and a report that renders itself as text or JSON.

pub mod applications;
pub mod course;
pub mod files;
pub mod kernels;
pub mod library;
pub mod machine;
pub mod measure;
pub mod output;
pub mod pages;
pub mod programs;

pub use kernels::baseline::Baseline;
pub use kernels::checks::{checks_named, parse_checks};
pub use kernels::counters::CounterTable;
pub use kernels::fail_on::FailOn;
pub use kernels::finding::{Finding, SuppressedBy, Suppression};
pub use kernels::rung::{RungError, RungRequest, parse_size};
pub use machine::{NotHere, Place};
pub use output::Style;
pub use warpwise_gpu::Counters;
pub use warpwise_simt::Checks;
