//! Recording what some blocks do, for a model of time.
//!
//! The counters' observer passes every instruction of a block that is wanted on to its [`Recorder`]. Each host thread has
//! one; they are joined when the launch has ended. The recording names instructions by their lines in the PTX, so that
//! it can be read without the program.

mod traffic;

use std::collections::HashMap;

use crate::exec::Job;
use crate::image::event::{CopyLanes, Event};
use crate::lanes::{Op, lanes_of, mbarrier};
use crate::program::Program;
use crate::warp::{BlockState, Warp};
use traffic::Traffic;
use warpwise_arch::{AccessAction, RecordedBlock, RecordedPlace, RecordedStep, RecordedWarp, Recording};

/// Blocks that are recorded, at most.
const BLOCKS: u64 = 48;
/// Instructions of a warp that are recorded.
const STEPS: usize = 1 << 14;
/// Instructions that are recorded in all, about.
const ALL_STEPS: usize = 3 << 19;
/// Addresses of atomics that are told.
const ADDRESSES: usize = 1024;
/// No access.
const NONE: u32 = u32::MAX;

/// The blocks to record, in order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    blocks: Vec<u64>,
    /// Blocks of the grid.
    all: u64,
}

impl Wanted {
    pub(super) fn new(job: &Job<'_>) -> Self {
        let launch = &job.launch;
        let (size, run) = (u64::from(launch.cluster_blocks()), launch.clusters_run());
        let count = (BLOCKS / size).max(1).min(run);
        // The first ones that are run, if these are spread over the grid; else as many, evenly spaced.
        let spread = launch.sample.is_some_and(|sample| sample.stride != 1);
        let nth = |k: u64| if spread || count < 2 { k } else { k * (run - 1) / (count - 1) };
        let of_cluster = |k: u64| {
            let number = launch.cluster_run(nth(k));
            (0..size as u32).map(move |rank| launch.block_in_cluster(number, rank))
        };
        let mut blocks: Vec<u64> = (0..count).flat_map(of_cluster).collect();
        blocks.sort_unstable();
        Self { blocks, all: launch.blocks() }
    }

    /// Blocks of the grid.
    pub(super) fn all(&self) -> u64 {
        self.all
    }
}

/// Records the wanted blocks that one host thread runs.
#[derive(Debug)]
pub(super) struct Recorder {
    wanted: Vec<u64>,
    /// Blocks that are being recorded, with their slots: few at once.
    open: Vec<(u32, RecordedBlock)>,
    done: Vec<RecordedBlock>,
    /// Blocks that were started.
    started: u64,
    steps: usize,
    traffic: Traffic,
}

impl Recorder {
    pub(super) fn new(wanted: &Wanted) -> Self {
        let Wanted { blocks, .. } = wanted.clone();
        let (open, done) = (Vec::new(), Vec::new());
        Self { wanted: blocks, open, done, started: 0, steps: 0, traffic: Traffic::default() }
    }

    /// A block starts; true if it is recorded.
    pub(super) fn block_starts(&mut self, block: &BlockState) -> bool {
        self.started += 1;
        let wanted = self.wanted.binary_search(&block.linear).is_ok() && self.steps < ALL_STEPS;
        if wanted {
            self.open.push((block.slot, RecordedBlock { number: block.linear, warps: Vec::new() }));
        }
        !self.open.is_empty()
    }

    /// A block ends; true if others are still recorded.
    pub(super) fn block_ends(&mut self, block: &BlockState) -> bool {
        let at = self.open.iter().position(|(slot, _)| *slot == block.slot);
        self.done.extend(at.map(|at| self.open.swap_remove(at).1));
        !self.open.is_empty()
    }

    /// A warp executes an instruction.
    ///
    /// # Safety
    /// `op` must be the instruction at `pc`, and the warp must be at it.
    #[cold]
    pub(super) unsafe fn step(&mut self, program: &Program, warp: &Warp<'_>, op: &Op, pc: u32, mask: u32) {
        let Some(block) = recorded(&mut self.open, warp) else { return };
        let index = warp.index as usize;
        if block.warps.len() <= index {
            block.warps.resize_with(index + 1, RecordedWarp::default);
        }
        let of_warp = &mut block.warps[index];
        of_warp.executed += 1;
        if of_warp.steps.len() >= STEPS {
            return;
        }
        self.steps += 1;
        let unique = block.number << 16 | u64::from(warp.index);
        let access = match &program.events[pc as usize] {
            _ if mask == 0 => NONE,
            Event::Access(access) => {
                // SAFETY: by contract.
                let addresses = unsafe { access.addresses(warp, op) };
                self.traffic.access(access, mask, &addresses, unique)
            }
            Event::BulkCopy(_) => {
                let lane = lanes_of(mask).next().unwrap_or(0);
                // SAFETY: by contract.
                let copy = unsafe { mbarrier::bulk_of(warp, op, lane) };
                self.traffic.bulk(copy.from, copy.bytes)
            }
            _ => NONE,
        };
        of_warp.steps.push(RecordedStep { place: pc, mask, access });
    }

    /// The last step of a warp is an access that was not seen then: a piece of a matrix.
    pub(super) fn piece(&mut self, program: &Program, warp: &Warp<'_>, pc: u32, bytes: u32, mask: u32, at: &[u64; 32]) {
        let Event::MatrixAccess(access) = &program.events[pc as usize] else { return };
        let Some(step) = self.last(warp, pc) else { return };
        let unique = u64::from(warp.index);
        let before = step.access;
        let number = self.traffic.piece(access, bytes, mask, at, unique, before);
        if let Some(step) = self.last(warp, pc) {
            step.access = number;
        }
    }

    /// The last step of a warp starts copies.
    pub(super) fn copies(&mut self, warp: &Warp<'_>, pc: u32, bytes: u32, mask: u32, copies: &CopyLanes) {
        if self.last(warp, pc).is_none() {
            return;
        }
        let number = self.traffic.global(AccessAction::Copy, bytes, mask, &copies.from);
        if let Some(step) = self.last(warp, pc) {
            step.access = number;
        }
    }

    /// The last step of a warp, if it is that instruction.
    fn last(&mut self, warp: &Warp<'_>, pc: u32) -> Option<&mut RecordedStep> {
        let block = recorded(&mut self.open, warp)?;
        let warp = block.warps.get_mut(warp.index as usize)?;
        if warp.executed != warp.steps.len() as u64 {
            return None;
        }
        warp.steps.last_mut().filter(|step| step.place == pc)
    }

    /// Blocks that were started.
    pub(super) fn started(&self) -> u64 {
        self.started
    }

    /// What all host threads have recorded together.
    pub(super) fn join(recorders: Vec<Self>, wanted: &Wanted, program: &Program) -> Recording {
        let blocks_run = recorders.iter().map(|recorder| recorder.started).sum();
        let mut whole = Recording { blocks: wanted.all, blocks_run, ..Recording::default() };
        let mut lanes: HashMap<u64, u64> = HashMap::new();
        // The number of each instruction's place.
        let mut number_of = vec![NONE; program.code.len()];
        for recorder in recorders {
            let (first_access, first_sector) = (whole.accesses.len() as u32, whole.sectors.len() as u32);
            whole.accesses.extend(recorder.traffic.accesses.into_iter().map(|mut access| {
                access.first += first_sector;
                access
            }));
            whole.sectors.extend(recorder.traffic.sectors);
            for (address, count) in recorder.traffic.atomics {
                *lanes.entry(address).or_default() += count;
            }
            for mut block in recorder.done {
                for step in block.warps.iter_mut().flat_map(|warp| &mut warp.steps) {
                    if step.access != NONE {
                        step.access += first_access;
                    }
                    number_of[step.place as usize] = 0;
                }
                whole.recorded.push(block);
            }
        }
        whole.recorded.sort_by_key(|block| block.number);
        whole.atomic_addresses = lanes.len() as u64;
        whole.atomics = lanes.into_iter().collect();
        whole.atomics.sort_by_key(|&(address, count)| (std::cmp::Reverse(count), address));
        whole.atomics.truncate(ADDRESSES);
        for (pc, number) in number_of.iter_mut().enumerate().filter(|(_, number)| **number != NONE) {
            let (function, ptx_line, _) = program.image.location(pc as u32);
            let again = whole.places.last().filter(|p| p.function == function && p.ptx_line == ptx_line);
            let nth = again.map_or(0, |place| place.nth + 1);
            *number = whole.places.len() as u32;
            whole.places.push(RecordedPlace { function, nth, ptx_line });
        }
        for step in whole.recorded.iter_mut().flat_map(|b| &mut b.warps).flat_map(|w| &mut w.steps) {
            step.place = number_of[step.place as usize];
        }
        whole
    }
}

/// The record of a warp's block, if it is recorded.
fn recorded<'a>(open: &'a mut [(u32, RecordedBlock)], warp: &Warp<'_>) -> Option<&'a mut RecordedBlock> {
    let slot = warp.block().slot;
    open.iter_mut().find(|(known, _)| *known == slot).map(|(_, block)| block)
}
