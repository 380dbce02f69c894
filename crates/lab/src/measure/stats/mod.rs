//! Statistics of measurements: how samples are taken, when there are enough, what they say.
//!
//! Nothing here reads a clock or runs a primitive: clocks and probes are passed in, so that the rules can be
//! tested without any time passing.

mod allowance;
mod clock;
mod sampling;
mod summary;
mod turns;
mod verdict;

pub use allowance::Allowance;
pub use clock::{Clock, Monotonic};
pub use sampling::{Measurement, Probe, Rule, Stop, measure};
pub use summary::Summary;
pub use turns::Turns;
pub use verdict::{Estimate, Verdict};
