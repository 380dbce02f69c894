//! What events measure: the time that passes on the host, or the estimated time of the GPU.
//!
//! The estimate is a simple one: instructions at the rate of the multiprocessors that have a block, bytes at the rate of
//! memory or of the bus, whichever takes longer, and what a launch or a copy costs in any case. Work is taken to be done
//! one piece after the other.

use std::time::Instant;

use warpwise_arch::{Counters, Gpu};
use warpwise_trace::{Clock, Direction};

use crate::state::State;

/// Seconds of a launch, and of a copy, in any case.
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
}

impl DeviceClock {
    pub(crate) fn new(kind: Clock) -> Self {
        Self { kind, start: Instant::now(), seconds: 0.0 }
    }

    /// Whether launches are to be counted for it.
    pub(crate) fn counts(&self) -> bool {
        self.kind == Clock::Estimated
    }

    /// Seconds since its start.
    pub(crate) fn now(&self) -> f64 {
        match self.kind {
            Clock::Host => self.start.elapsed().as_secs_f64(),
            Clock::Estimated => self.seconds,
        }
    }

    /// A launch of so many blocks was done.
    pub(crate) fn launched(&mut self, gpu: &Gpu, blocks: u64, counters: &Counters) {
        let busy = blocks.clamp(1, u64::from(gpu.sms.max(1))) as f64 * f64::from(gpu.schedulers.max(1));
        let issue = counters.warp_instructions as f64 / busy / (f64::from(gpu.clock_mhz.max(1)) * 1e6);
        let sectors = counters.global_load_sectors
            + counters.global_store_sectors
            + counters.local_load_sectors
            + counters.local_store_sectors;
        let memory = 32.0 * sectors as f64 / memory_rate(gpu);
        self.seconds += LAUNCH + issue.max(memory);
    }

    /// A copy or a fill was done.
    pub(crate) fn moved(&mut self, gpu: &Gpu, direction: Direction, bytes: u64) {
        let bytes = bytes as f64;
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
    /// A launch was counted to do this.
    pub(crate) fn time_launched(&mut self, grid: [u32; 3], counters: &Counters) {
        let blocks = grid.iter().map(|&n| u64::from(n)).product();
        self.clock.launched(&self.gpu, blocks, counters);
    }

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
        clock.launched(&gpu, 1, &Counters::default());
        assert!((clock.now() - LAUNCH).abs() < 1e-12);
        let counters = Counters { global_load_sectors: 1 << 30, ..Counters::default() };
        clock.launched(&gpu, 1 << 20, &counters);
        let (bytes, rate) = (32.0 * f64::from(1 << 30), f64::from(gpu.bandwidth_gbs) * 1e9);
        assert!(clock.now() > bytes / rate && clock.now() < 1.2 * bytes / rate, "{}", clock.now());
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
