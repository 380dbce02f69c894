//! Counters of a launch, as a whole and by instruction.

use super::Counters;
use warpwise_arch::Recording;
use warpwise_ptx::ast::SourceLine;

/// What a launch was counted to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Over the whole launch.
    pub total: Counters,
    /// By instruction of the program, those that were never reached left out, in program order.
    pub instructions: Vec<InstructionProfile>,
    /// What some blocks did, where it was asked for.
    pub recording: Option<Box<Recording>>,
}

/// The counters of one PTX instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionProfile {
    /// The function it is in.
    pub function: Box<str>,
    /// One-based line of the PTX text.
    pub ptx_line: u32,
    /// The line of the source it was compiled from, where the module says.
    pub source: Option<SourceLine>,
    /// What it did.
    pub counters: Counters,
}
