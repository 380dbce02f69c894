//! The ways in which a kernel can lose time.

use serde::Serialize;

/// The subject of a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Lanes of a warp go different ways.
    Divergence,
    /// A warp's accesses to global memory touch more sectors than their bytes need.
    Uncoalesced,
    /// A warp's accesses to shared memory fall into the same bank.
    BankConflicts,
    /// Lanes collide at one address with atomics.
    AtomicContention,
    /// Blocks whose threads do not fill their warps.
    PartialWarps,
    /// Threads that load data and then have nothing to do.
    IdleThreads,
    /// Instructions of loops that do not work on data: counters, tests, jumps, addresses.
    InstructionOverhead,
    /// Waiting for the block at barriers.
    Barriers,
    /// Work that every thread does once, for too few elements.
    WorkPerThread,
    /// Too few loads in flight to keep memory busy.
    LoadsInFlight,
    /// Shared memory or the block's size leaves room for too few warps.
    Occupancy,
    /// Fewer blocks than multiprocessors.
    SmallGrid,
    /// Launches whose overhead is as long as their kernels.
    Launches,
    /// Memory is busy with the data that must be moved.
    Bandwidth,
    /// The units are busy with the necessary computation.
    Compute,
}

impl Subject {
    /// Which kind of change removes it, from the smallest to the largest: an index expression, the work given to each
    /// thread of a block, the code of a loop, the shape of the whole kernel, the program around it, none.
    pub(crate) fn step(self) -> u8 {
        match self {
            Self::Divergence
            | Self::Uncoalesced
            | Self::BankConflicts
            | Self::AtomicContention
            | Self::PartialWarps => 0,
            Self::IdleThreads => 1,
            Self::InstructionOverhead | Self::Barriers => 2,
            Self::WorkPerThread | Self::LoadsInFlight | Self::Occupancy | Self::SmallGrid => 3,
            Self::Launches => 4,
            Self::Bandwidth | Self::Compute => 5,
        }
    }
}
