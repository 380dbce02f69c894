//! What events measure: the time that passes on the host, or the estimated time of the GPU.
//!
//! Kernels are estimated by the model, copies by the rates of memory and of the bus, and what a copy costs in any case.
//! Work is taken to be done one piece after the other.

use std::cell::Cell;
use std::time::Instant;

use warpwise_arch::Gpu;
use warpwise_trace::{Clock, Direction};

use crate::launch::LaunchTime;
use crate::state::State;

/// Seconds of a launch that nothing else is known about, and of a copy in any case.
const LAUNCH: f64 = 2e-6;
const COPY: f64 = 5e-6;
/// Bytes a second between host and device.
const BUS: f64 = 25e9;
/// The share of the data sheet's bandwidth that programs reach.
const REACHED: f64 = 0.9;

/// The clock of a device.
pub(crate) struct DeviceClock {
    kind: Clock,
    start: Instant,
    /// What all work so far was estimated at.
    seconds: f64,
    /// Whether the last work was a launch, with nothing asked for since.
    in_a_row: Cell<bool>,
}

impl DeviceClock {
    pub(crate) fn new(kind: Clock) -> Self {
        Self { kind, start: Instant::now(), seconds: 0.0, in_a_row: Cell::new(false) }
    }

    /// Whether launches are to be counted for it.
    pub(crate) fn counts(&self) -> bool {
        self.kind == Clock::Estimated
    }

    /// Seconds since its start.
    pub(crate) fn now(&self) -> f64 {
        self.in_a_row.set(false);
        match self.kind {
            Clock::Host => self.start.elapsed().as_secs_f64(),
            Clock::Estimated => self.seconds,
        }
    }

    /// A launch was done that takes so long.
    pub(crate) fn launched(&mut self, time: Option<LaunchTime>) {
        let us = match time {
            // Those that follow each other overlap with the host's part of it.
            Some(it) if self.in_a_row.replace(true) => (it.kernel_us + it.next_us).max(it.host_us),
            Some(it) => it.kernel_us + it.launch_us,
            None => LAUNCH * 1e6,
        };
        self.seconds += us * 1e-6;
    }

    /// A copy or a fill was done.
    pub(crate) fn moved(&mut self, gpu: &Gpu, direction: Direction, bytes: u64) {
        let bytes = bytes as f64;
        self.in_a_row.set(false);
        self.seconds += COPY
            + match direction {
                Direction::ToDevice | Direction::ToHost | Direction::OnHost => bytes / BUS,
                // It is read and written.
                Direction::OnDevice => 2.0 * bytes / memory_rate(gpu),
                Direction::Set => bytes / memory_rate(gpu),
            };
    }
}

impl State {
    /// Bytes were copied or set.
    pub(crate) fn time_moved(&mut self, direction: Direction, bytes: u64) {
        self.clock.moved(&self.gpu, direction, bytes);
    }
}

fn memory_rate(gpu: &Gpu) -> f64 {
    REACHED * f64::from(gpu.bandwidth_gbs.max(1)) * 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_do_not_depend_on_the_host() {
        let gpu = Gpu::named("h200").expect("known");
        let mut clock = DeviceClock::new(Clock::Estimated);
        assert!(clock.counts() && clock.now() == 0.0);
        clock.launched(None);
        assert!((clock.now() - LAUNCH).abs() < 1e-12);
        let time = LaunchTime { kernel_us: 10.0, launch_us: 3.0, host_us: 2.0, next_us: 1.0 };
        let before = clock.now();
        clock.launched(Some(time));
        clock.launched(Some(time));
        let took = clock.now() - before;
        assert!((took - 24e-6).abs() < 1e-12, "the second comes right after the first: {took}");
        let before = clock.now();
        clock.launched(Some(time));
        assert!((clock.now() - before - 13e-6).abs() < 1e-12, "after an event it is a first one again");
        let before = clock.now();
        clock.moved(&gpu, Direction::ToHost, 25_000_000_000);
        assert!((clock.now() - before - 1.0).abs() < 1e-3);
    }

    #[test]
    fn the_clock_of_the_host_goes_by_itself() {
        let clock = DeviceClock::new(Clock::Host);
        let before = clock.now();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(!clock.counts() && clock.now() > before);
    }
}
