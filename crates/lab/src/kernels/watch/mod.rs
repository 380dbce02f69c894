//! A kernel as a page that one steps through: what every lane of every warp does, instruction by instruction.
//!
//! The kernel runs twice on the emulator, from the same data: once with checks, and once followed by a `recorder`, which
//! writes down each step of the chosen warps. `lanes` says how an access goes through banks and sectors, `words` what
//! happens in a step, `tie` which steps a finding is about, and `assemble` makes a [`Record`] of it all; `page` shows
//! one or two of them. `docs/watch.md` describes the page and the JSON.

mod access;
mod assemble;
mod choice;
mod lanes;
mod page;
mod record;
mod recorder;
mod render;
#[cfg(test)]
mod tests;
mod tie;
mod values;
mod words;

pub use access::AccessRecord;
pub use choice::{Choice, MOST_STEPS, MOST_WARPS, parse_warps};
pub use record::{BarrierRecord, FindingRecord, InstructionRecord, Record, SourceRecord, StepRecord, WarpRecord};
pub use render::WatchReport;

use crate::kernels::explain::Request as Target;
use crate::kernels::finding::Finding;
use crate::kernels::run::{self, RunError};
use crate::kernels::rung::{RungError, RungRequest};
use crate::kernels::source::SourceMap;
use assemble::Subject;
use recorder::Recorder;
use std::sync::{Arc, Mutex, PoisonError};
use warpwise::trace::{SharedFollower, Watch};
use warpwise_simt::Checks;

/// Elements of a rung's data if nothing else is said: enough for several blocks.
const ELEMENTS: u64 = 4096;
/// The side of a rung's matrix or image if nothing else is said.
const SIDE: u64 = 64;

/// Why there is nothing to watch.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The kernel cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The rung cannot be run.
    #[error(transparent)]
    Rung(#[from] RungError),
    /// The launch was refused.
    #[error("the kernel was not launched: {0}")]
    Refused(String),
    /// There are fewer launches.
    #[error("--launch-number {wanted}: there are only {there}")]
    Launch {
        /// As requested.
        wanted: usize,
        /// Launches that there were.
        there: usize,
    },
    /// There is no such block.
    #[error("--block-of {}: the grid has {}", shape(*.wanted), blocks(*.grid))]
    Block {
        /// As requested.
        wanted: [u32; 3],
        /// Blocks of the grid.
        grid: [u32; 3],
    },
    /// There is no such warp.
    #[error("--warps {first}: a block has {there} warps, counted from 0")]
    Warps {
        /// The first as requested.
        first: u32,
        /// Warps of a block.
        there: u32,
    },
}

/// Runs a kernel, follows the chosen warps, and returns what they did.
pub fn watch(target: &Target, choice: &Choice) -> Result<Record, WatchError> {
    match target {
        Target::File(request) => watch_file(request, choice),
        Target::Rung(request) => watch_rung(request, choice),
    }
}

fn watch_file(request: &run::Request, choice: &Choice) -> Result<Record, WatchError> {
    let checked = run::execute(&run::Request { checks: Checks::ALL, ..request.clone() })?;
    if checked.report.refused() {
        let why = checked.report.findings.first().map(|finding| finding.message.clone());
        return Err(WatchError::Refused(why.unwrap_or_default()));
    }
    let choice = &choice.settled(&checked.report.findings);
    let recorder = Arc::new(Mutex::new(Recorder::new(choice.clone())));
    let plain = run::Request { checks: Checks::NONE, ..request.clone() };
    run::execute_followed(&plain, SharedFollower::new(Arc::clone(&recorder)))?;
    let recorder = recorder.lock().unwrap_or_else(PoisonError::into_inner);
    let subject = Subject {
        title: format!("{}: {}", request.file.display(), checked.report.kernel),
        idea: None,
        gpu: request.gpu.clone(),
    };
    Ok(assemble::assemble(check(&recorder, choice)?, subject, &checked.sources, checked.report.findings))
}

fn watch_rung(request: &RungRequest, choice: &Choice) -> Result<Record, WatchError> {
    let (primitive, _) = request.rung()?;
    let mut request = request.clone();
    if request.n.is_none() && request.size.is_none() {
        request.n = Some(if primitive.extents.is_flat() { SIDE } else { ELEMENTS });
    }
    let (watched, _) = request.observe(Watch { counters: false, checks: Checks::ALL, ..Watch::NOTHING })?;
    let launches = &watched.trace.launches;
    let module = launches.get(choice.launch - 1).map_or(primitive.name, |launch| launch.module);
    let Some(sources) = SourceMap::of_launches(module, launches) else {
        return Err(WatchError::Launch { wanted: choice.launch, there: launches.len() });
    };
    let found = launches.get(choice.launch - 1).map(|launch| {
        let mut findings: Vec<Finding> = launch.findings.iter().map(|f| Finding::of_check(f, &sources)).collect();
        if let Some(fault) = &launch.fault {
            Finding::of_fault(fault, &sources).lead(&mut findings);
        }
        findings
    });
    let found = found.unwrap_or_default();
    let choice = &choice.settled(&found);
    let recorder = Arc::new(Mutex::new(Recorder::new(choice.clone())));
    // What stops a kernel is a finding of the first run.
    request.follow(SharedFollower::new(Arc::clone(&recorder)))?;
    let recorder = recorder.lock().unwrap_or_else(PoisonError::into_inner);
    let recorder = check(&recorder, choice)?;
    let subject = Subject {
        title: format!("{} {} ({}, {})", primitive.name, watched.variant.name, watched.size, watched.element),
        idea: Some(watched.variant.idea.to_owned()),
        gpu: request.gpu.clone(),
    };
    Ok(assemble::assemble(recorder, subject, &sources, found))
}

/// Refuses a choice that names what is not there.
fn check<'r>(recorder: &'r Recorder, choice: &Choice) -> Result<&'r Recorder, WatchError> {
    let Some(launched) = &recorder.launched else {
        return Err(WatchError::Launch { wanted: choice.launch, there: recorder.launches });
    };
    let outside = |block: &&[u32; 3]| block.iter().zip(launched.grid).any(|(&at, side)| at >= side);
    if let Some(&wanted) = choice.blocks.iter().find(outside) {
        return Err(WatchError::Block { wanted, grid: launched.grid });
    }
    let there = launched.block.iter().product::<u32>().div_ceil(32);
    match choice.warps.0 < there {
        true => Ok(recorder),
        false => Err(WatchError::Warps { first: choice.warps.0, there }),
    }
}

/// `1 block`, `16 blocks`, `4,2,1 blocks`.
fn blocks(grid: [u32; 3]) -> String {
    let s = if grid == [1; 3] { "" } else { "s" };
    format!("{} block{s}", shape(grid))
}

/// `4` or `4,2,3`.
fn shape([x, y, z]: [u32; 3]) -> String {
    if y == z && y < 2 { x.to_string() } else { format!("{x},{y},{z}") }
}
