//! Statistics of measurements: how samples are taken, when they are enough, what they say.
//!
//! Nothing here asks what time it is or runs a primitive: clocks and probes are handed in, so that the rules can be
//! tested without any time passing.

mod allowance;
mod clock;
mod sampling;
mod summary;
mod verdict;

pub use allowance::Allowance;
pub use clock::{Clock, Monotonic};
pub use sampling::{Measurement, Probe, Rule, Stop, measure};
pub use summary::Summary;
pub use verdict::{Estimate, Verdict};
