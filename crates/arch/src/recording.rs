//! What some blocks of a launch did, instruction by instruction: what a model of time is fed with.

/// The memory that an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessSpace {
    /// Global memory.
    Global,
    /// Shared memory.
    Shared,
    /// Local memory; its sectors are numbered apart from those of global memory.
    Local,
    /// Constants, where lanes read several words: as many passes.
    Constant,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessAction {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes, and returns the old value.
    Atomic,
    /// Reads and writes, and returns nothing.
    Reduction,
    /// Reads global memory into shared memory, while the warp goes on.
    Copy,
}

/// An access of a warp to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedAccess {
    /// The memory.
    pub space: AccessSpace,
    /// What it does.
    pub action: AccessAction,
    /// Bytes of a lane.
    pub bytes: u8,
    /// Sectors of 32 bytes that it touches; they begin at `first` in [`Recording::sectors`].
    pub sectors: u16,
    /// Where they begin.
    pub first: u32,
    /// Of those of a store, the ones that it writes wholly.
    pub whole: u16,
    /// Passes through the banks of shared memory; of atomics on global memory, turns that their sectors take.
    pub wavefronts: u16,
    /// Passes of the same access without conflicts.
    pub least_wavefronts: u16,
    /// Of an atomic: most lanes at one address.
    pub largest: u8,
}

/// An instruction that a warp executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    /// Its number in [`Recording::places`].
    pub place: u32,
    /// Lanes that took part.
    pub mask: u32,
    /// Its access in [`Recording::accesses`]; `u32::MAX` if it makes none.
    pub access: u32,
}

/// What a warp did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedWarp {
    /// Its instructions, in order; a long warp is recorded only so far.
    pub steps: Vec<RecordedStep>,
    /// Instructions that it executed in all.
    pub executed: u64,
}

/// What a block did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedBlock {
    /// Its number in the grid.
    pub number: u64,
    /// Its warps.
    pub warps: Vec<RecordedWarp>,
}

/// An instruction of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedPlace {
    /// The function.
    pub function: Box<str>,
    /// Its number among the instructions of the function that were recorded and lie on the same line of the PTX.
    pub nth: u32,
    /// The line of the PTX, from one.
    pub ptx_line: u32,
}

/// What some blocks of a launch did.
///
/// ```
/// let recording = warpwise_arch::Recording { blocks_run: 264, blocks: 65536, ..Default::default() };
/// assert!(recording.scale() > 248.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Blocks of the grid.
    pub blocks: u64,
    /// Blocks that were run; the others were left out.
    pub blocks_run: u64,
    /// Those that were recorded.
    pub recorded: Vec<RecordedBlock>,
    /// Instructions, by number.
    pub places: Vec<RecordedPlace>,
    /// Accesses, by number.
    pub accesses: Vec<RecordedAccess>,
    /// Numbers of sectors: addresses divided by 32.
    pub sectors: Vec<u64>,
    /// Lanes of atomics on global memory, by address, of the recorded blocks; the busiest first, at most 1024 of them.
    pub atomics: Vec<(u64, u64)>,
    /// Distinct addresses of atomics of the recorded blocks.
    pub atomic_addresses: u64,
}

impl Recording {
    /// How many blocks each one that was run stands for.
    pub fn scale(&self) -> f64 {
        if self.blocks_run == 0 { 1.0 } else { self.blocks as f64 / self.blocks_run as f64 }
    }
}
