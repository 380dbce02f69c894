//! The record of a kernel: what each warp did, step by step. Its fields are the JSON, in order; `docs/watch.md` describes
//! them.

use super::access::AccessRecord;
use crate::kernels::counters::CounterTable;
use crate::kernels::finding::Finding;
use serde::Serialize;

/// What was watched, and what it did.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// What it is called: a file and its kernel, or a primitive and its rung.
    pub title: String,
    /// What it does differently, for a rung.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idea: Option<String>,
    /// The kernel.
    pub kernel: String,
    /// The GPU whose limits applied.
    pub gpu: String,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Which launch it is, from 1.
    pub launch: usize,
    /// Launches that there were.
    pub launches: usize,
    /// The warps that were recorded.
    pub warps: Vec<WarpRecord>,
    /// What was left out, in sentences.
    pub left_out: Vec<String>,
    /// Sums over the steps, by the names of the emulator's counters.
    pub counters: CounterTable,
    /// The sources, as far as steps are in them.
    pub sources: Vec<SourceRecord>,
    /// The instructions that steps execute, in the order of the code.
    pub instructions: Vec<InstructionRecord>,
    /// Sentences about steps.
    pub sentences: Vec<String>,
    /// Every step, in the order of time, then of warps.
    pub steps: Vec<StepRecord>,
    /// What checks found.
    pub findings: Vec<FindingRecord>,
}

/// A warp that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WarpRecord {
    /// Its block, `blockIdx`.
    pub block: [u32; 3],
    /// Its number in the block.
    pub warp: u32,
    /// Steps that it took.
    pub steps: usize,
    /// Those that are not in the record.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

/// Lines of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceRecord {
    /// The file.
    pub name: String,
    /// The number of the first line.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstructionRecord {
    /// As written in PTX.
    pub ptx: String,
    /// The line of the PTX.
    pub ptx_line: u32,
    /// The function that it is in.
    pub function: String,
    /// Which of the sources it was compiled from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<usize>,
    /// The line there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The registers that it writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<String>,
}

/// A step: an instruction that lanes of a warp reached. Masks have a bit for each lane; those that are empty are left
/// out, and so is `on` if it is all lanes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepRecord {
    /// The time: instructions that the warp has executed or waited for others to execute.
    pub t: u64,
    /// Which of the warps.
    pub w: usize,
    /// Which of the instructions.
    pub i: usize,
    /// Which of the sentences.
    pub s: usize,
    /// Lanes that execute it.
    #[serde(skip_serializing_if = "is_full")]
    pub on: u32,
    /// Lanes that are at it with their guard off.
    #[serde(skip_serializing_if = "is_none")]
    pub off: u32,
    /// Lanes that go another way from a branch.
    #[serde(skip_serializing_if = "is_none")]
    pub other: u32,
    /// Lanes that wait where the ways from a branch meet.
    #[serde(skip_serializing_if = "is_none")]
    pub met: u32,
    /// Lanes that wait at a barrier or for others of their warp.
    #[serde(skip_serializing_if = "is_none")]
    pub wait: u32,
    /// Lanes that have ended, or have no thread.
    #[serde(skip_serializing_if = "is_none")]
    pub gone: u32,
    /// The value of each register that it writes, by lane.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub v: Vec<String>,
    /// Its accesses to memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub a: Vec<AccessRecord>,
    /// The barrier that it arrives at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bar: Option<BarrierRecord>,
    /// Whether lanes go more than one way from here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub div: bool,
    /// Which of the findings concern it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub f: Vec<usize>,
}

/// An arrival at a barrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BarrierRecord {
    /// Which of the block's barriers.
    pub id: u32,
    /// Warps that have arrived, this one included.
    pub here: usize,
    /// Warps of the block that have not ended.
    pub of: usize,
    /// Whether they wait until it is complete.
    pub waits: bool,
    /// Whether this arrival completes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
}

/// What a check found, and the steps that it is about.
#[derive(Clone, Debug, Serialize)]
pub struct FindingRecord {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// The step that was found at fault, if it is in the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The step of the other access of a race, if it is in the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_step: Option<usize>,
}

fn is_full(mask: &u32) -> bool {
    *mask == u32::MAX
}

fn is_none(mask: &u32) -> bool {
    *mask == 0
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
