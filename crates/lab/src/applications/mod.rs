//! Applications: primitives applied to files.
//!
//! Each is a request, a function that runs it, and a report that renders itself as text or JSON.

pub mod arrays;
pub mod compact;
pub mod heat;
pub mod histogram;
pub mod map;
pub mod matmul;
pub mod radiator;
pub mod reduce;
pub mod scan;
pub mod smooth;

mod difference;
mod error;
mod formula;
mod reading;
mod setup;
mod several;
mod stages;
mod summary;
mod verify;

pub use error::AppError;
pub use formula::{Formula, parse_let};
pub use reading::Reading;
pub use setup::Setup;
pub use several::VariantRow;
pub use stages::StageTimes;
pub use summary::Summary;
pub use verify::{Verified, Verify};

use std::time::Instant;

/// Milliseconds since a moment, to the nanosecond.
fn milliseconds(since: Instant) -> f64 {
    (since.elapsed().as_secs_f64() * 1e9).round() / 1e6
}
