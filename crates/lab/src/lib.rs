//! Experiments on kernels, in rooms named for what happens there.
//!
//! - [`kernels`]: kernels of the user's own and rungs of the library are run, checked and explained.
//! - [`library`]: what the library offers is listed, and put to its conformance suite.
//! - [`measure`]: variants are timed, compared, swept, and set beside published figures.
//! - [`applications`]: primitives run on the files that people have.
//! - [`files`]: those files are read and written.
//! - [`pages`]: the tour, the page of what it saw, and charts.
//! - [`machine`]: GPUs, driver, compiler and cores are described.
//! - [`output`]: what results look like on their way out.
//!
//! Every experiment is a request, a function, and a report that renders itself as text or JSON.

pub mod applications;
pub mod files;
pub mod kernels;
pub mod library;
pub mod machine;
pub mod measure;
pub mod output;
pub mod pages;

pub use kernels::checks::{checks_named, parse_checks};
pub use kernels::counters::CounterTable;
pub use kernels::finding::Finding;
pub use kernels::rung::{RungError, RungRequest, parse_size};
pub use machine::{NotHere, Place};
pub use output::Style;
pub use warpwise_gpu::Counters;
pub use warpwise_simt::Checks;
