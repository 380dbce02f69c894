//! Data on the bus between a host and its GPU: copies, and managed memory.
//!
//! Before a kernel starts, a GPU without page faults (compute capability below 6.0) is brought every managed array that
//! the host has touched, whole; what the host then touches comes back. Later GPUs fetch pages when threads fault on them.

use crate::machine::Machine;

/// Data that is moved between the host's memory and the GPU's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moved {
    /// Bytes, in both directions together.
    pub bytes: f64,
    /// Arrays: each is moved by a call of its own.
    pub arrays: f64,
}

impl Machine {
    /// Seconds that copies of arrays take, one after the other: a call for each, and the bytes at the rate of the bus.
    ///
    /// ```
    /// use warpwise_model::{Machine, Moved};
    ///
    /// let machine = Machine::of(&warpwise_arch::Gpu::named("gtx-970").expect("a known GPU"));
    /// let one = machine.copying(Moved { bytes: 4e6, arrays: 1.0 });
    /// let two = machine.copying(Moved { bytes: 8e6, arrays: 2.0 });
    /// assert!(one > 4e6 / 15.75e9 && (two / one - 2.0).abs() < 1e-9);
    /// ```
    pub fn copying(&self, moved: Moved) -> f64 {
        let rates = &self.rates;
        moved.arrays * rates.copy_call + moved.bytes / (rates.bus * 1e9 * rates.bus_reached)
    }

    /// Seconds that managed memory takes to come to the GPU, or back.
    ///
    /// ```
    /// use warpwise_model::{Machine, Moved};
    ///
    /// let moved = Moved { bytes: 1e9, arrays: 1.0 };
    /// let seconds = |gpu| Machine::of(&warpwise_arch::Gpu::named(gpu).expect("a known GPU")).managed(moved);
    /// assert!(seconds("gtx-480") > seconds("gtx-970"), "an older bus");
    /// ```
    pub fn managed(&self, moved: Moved) -> f64 {
        if !self.faults {
            return self.copying(moved);
        }
        let rates = &self.rates;
        moved.arrays * rates.fault_call + moved.bytes / (rates.bus * 1e9 * rates.fault_reached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_arch::Gpu;

    #[test]
    fn nothing_takes_no_time_and_no_copy_is_faster_than_the_bus() {
        for name in Gpu::names() {
            let machine = Machine::of(&Gpu::named(&name).expect("known"));
            assert_eq!(machine.managed(Moved::default()), 0.0, "{name}");
            let much = Moved { bytes: 1e9, arrays: 1.0 };
            let least = 1.0 / machine.rates.bus;
            assert!(machine.copying(much) > least && machine.managed(much) > least, "{name}");
        }
    }
}
