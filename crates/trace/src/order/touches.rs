//! The bytes that a piece of work touches, and how they are heard of.

use super::ranges::Ranges;
use warpwise_simt::observe::{Access, AccessKind, Copy, Instruction, Observer, Space};

/// Bytes by what is done to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touches {
    /// Those that are read.
    pub reads: Ranges,
    /// Those that are written.
    pub writes: Ranges,
    /// Those of atomic operations, which race with reads and writes, and not with each other.
    pub atomics: Ranges,
}

impl Touches {
    /// Work that only reads.
    pub fn reading(start: u64, bytes: u64) -> Self {
        Self { reads: [(start, bytes)].into_iter().collect(), ..Self::default() }
    }

    /// Work that only writes.
    pub fn writing(start: u64, bytes: u64) -> Self {
        Self { writes: [(start, bytes)].into_iter().collect(), ..Self::default() }
    }

    /// A copy.
    pub fn copying(from: u64, to: u64, bytes: u64) -> Self {
        Self { reads: [(from, bytes)].into_iter().collect(), ..Self::writing(to, bytes) }
    }

    /// What the observers of a launch heard, together; `None` if that is too scattered to be followed.
    pub fn of(observers: impl IntoIterator<Item = Listener>) -> Option<Self> {
        let mut all = Self::default();
        for mut listener in observers {
            let parts = [&mut all.reads, &mut all.writes, &mut all.atomics];
            for (part, heard) in parts.into_iter().zip(&mut listener.heard) {
                heard.settle();
                part.extend(&heard.ranges);
            }
            if listener.heard.iter().any(|heard| heard.lost) {
                return None;
            }
        }
        Some(all)
    }
}

/// Hears of the accesses of a launch to global memory.
#[derive(Clone, Debug, Default)]
pub struct Listener {
    /// Reads, writes, atomics.
    heard: [Heard; 3],
}

/// Ranges as they come.
#[derive(Clone, Debug, Default)]
struct Heard {
    ranges: Ranges,
    /// Starts and lengths that are not among the ranges yet.
    fresh: Vec<(u64, u64)>,
    /// Whether there were too many to keep.
    lost: bool,
}

/// Ranges that are kept unsorted, and those that are kept at all.
const FRESH: usize = 1 << 14;
const MOST: usize = 1 << 16;

impl Heard {
    fn add(&mut self, start: u64, bytes: u64) {
        // Lanes of a warp mostly touch words side by side.
        if let Some((first, length)) = self.fresh.last_mut()
            && *first + *length == start
        {
            *length += bytes;
            return;
        }
        self.fresh.push((start, bytes));
        if self.fresh.len() >= FRESH {
            self.settle();
        }
    }

    fn settle(&mut self) {
        let fresh: Ranges = self.fresh.drain(..).collect();
        self.ranges.extend(&fresh);
        if self.ranges.len() > MOST {
            self.lost = true;
            self.ranges = Ranges::default();
        }
    }
}

impl Observer for Listener {
    fn access(&mut self, access: &Access<'_>) {
        if access.space() != Space::Global {
            return;
        }
        let [reads, writes, atomics] = &mut self.heard;
        let heard = match access.kind() {
            AccessKind::Load => reads,
            AccessKind::Store => writes,
            AccessKind::Atomic | AccessKind::Reduction => atomics,
        };
        let bytes = u64::from(access.bytes());
        access.lanes().for_each(|lane| heard.add(access.addresses()[lane as usize], bytes));
    }

    fn copy(&mut self, _: &Instruction<'_>, copy: &Copy) {
        self.heard[0].add(copy.from, u64::from(copy.read));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use warpwise_simt::{Gpu, Launch, Machine, Program};

    const PTX: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
        .visible .entry k(.param .u64 data)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n\
        ld.param.u64 %rd1, [data];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n\
        add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd3+4096], %r2;\n\
        red.global.add.u32 [%rd1+8192], 1;\nret;\n}\n";

    #[test]
    fn what_a_launch_touches_is_heard() {
        let mut machine = Machine::new(Gpu::named("h200").expect("known"));
        let module = machine.load(Arc::new(Program::load(PTX).expect("valid"))).expect("loaded");
        let data = machine.alloc(16384).expect("room");
        let launch = Launch::new([1, 1, 1], [256, 1, 1], data.0.to_le_bytes().to_vec());
        let (outcome, observers) = machine.launch_observed(module, "k", &launch, Listener::default);
        outcome.expect("it runs");
        let touches = Touches::of(observers).expect("not scattered");
        assert_eq!(touches.reads, [(data.0, 1024)].into_iter().collect());
        assert_eq!(touches.writes, [(data.0 + 4096, 1024)].into_iter().collect());
        assert_eq!(touches.atomics, [(data.0 + 8192, 4)].into_iter().collect());
    }

    #[test]
    fn what_is_too_scattered_is_given_up() {
        let mut listener = Listener::default();
        for at in 0..MOST as u64 + 2 {
            listener.heard[1].add(16 * at, 4);
        }
        assert_eq!(Touches::of([Listener::default(), listener]), None);
        assert_eq!(Touches::of([]), Some(Touches::default()));
    }
}
