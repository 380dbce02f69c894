//! What every check knows about a launch, computed before it starts and shared by all host threads.

use std::ops::Range;

use super::names::{self, SharedVariable};
use crate::exec::Job;
use crate::lanes::Level;
use crate::program::Program;
use crate::warp::Context;

/// The plan of a checked launch.
pub(crate) struct Plan<'l> {
    pub(super) program: &'l Program,
    pub(super) launch: &'l Context<'l>,
    pub(super) level: Level,
    /// The code that the launch may run.
    pub(super) ranges: Vec<Range<u32>>,
    pub(super) shared: Vec<SharedVariable>,
    /// Names of the allocations, by view.
    pub(super) views: Vec<Option<String>>,
}

impl<'l> Plan<'l> {
    pub(super) fn new(job: &'l Job<'l>) -> Self {
        let Job { program, launch } = job;
        let kernel = program.kernels().iter().find(|k| k.function == launch.entry);
        Self {
            level: Level::detect(),
            // A module may hold hundreds of kernels: only what this one can run is examined.
            ranges: reach(program, launch.entry).map(|f| code(program, f)).collect(),
            shared: kernel.map(|k| names::shared_variables(program, k, launch.shared_bytes)).unwrap_or_default(),
            views: kernel.map(|k| names::views(launch, k)).unwrap_or_default(),
            program,
            launch,
        }
    }

    /// Warps of a block.
    pub(super) fn warps(&self) -> usize {
        self.launch.threads().div_ceil(32) as usize
    }
}

/// The functions that a kernel may run: itself and all that are not kernels.
pub(super) fn reach(program: &Program, entry: u32) -> impl Iterator<Item = u32> {
    let kernels: Vec<u32> = program.kernels().iter().map(|k| k.function).collect();
    (0..program.image.functions.len() as u32).filter(move |f| *f == entry || !kernels.contains(f))
}

/// The instructions of a function, including the return that ends it.
pub(super) fn code(program: &Program, function: u32) -> Range<u32> {
    let function = &program.image.functions[function as usize];
    function.start.map_or(0..0, |start| start..function.end + 1)
}
