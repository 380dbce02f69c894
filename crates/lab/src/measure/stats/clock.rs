//! Clocks.

use std::time::Instant;

/// Something that tells the time.
pub trait Clock {
    /// Seconds since some moment; never decreasing.
    fn seconds(&self) -> f64;
}

/// The machine's monotonic clock.
///
/// ```
/// use warpwise_lab::measure::stats::{Clock, Monotonic};
///
/// let clock = Monotonic::default();
/// let early = clock.seconds();
/// assert!(clock.seconds() >= early);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Monotonic {
    start: Instant,
}

impl Default for Monotonic {
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for Monotonic {
    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}
