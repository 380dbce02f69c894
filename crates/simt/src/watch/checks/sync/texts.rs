//! What the source says about instructions, as far as its text is known.

use std::collections::HashMap;

use warpwise_ptx::ast::{Instruction, SourceLine};

use super::conditions::{Conditions, Position};
use crate::program::Program;

/// What can be asked of a condition and a place.
type Question = fn(&Conditions, Position, Position) -> bool;

/// The conditions in the texts of a program, read when they are first needed.
pub(super) struct Texts<'p> {
    program: &'p Program,
    /// By the number of the file.
    conditions: HashMap<u32, Option<Conditions>>,
}

impl<'p> Texts<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self { program, conditions: HashMap::new() }
    }

    /// Whether the text of an instruction is known.
    pub(super) fn have(&self, i: &Instruction) -> bool {
        i.line.is_some_and(|line| self.program.file_text(line.file).is_some())
    }

    /// Whether an instruction is in a statement that the condition of a branch decides over.
    pub(super) fn decide(&mut self, branch: &Instruction, at: &Instruction) -> bool {
        self.ask(branch, at, Conditions::decide)
    }

    /// Whether threads return from the kernel at the condition of a branch, and the others come to an instruction. The
    /// compiler may let both end with the same code, so that in PTX the first seem to go on.
    pub(super) fn return_before(&mut self, branch: &Instruction, at: &Instruction) -> bool {
        // From a function that was inlined, they return to the kernel.
        branch.inlined_at.is_empty() && self.ask(branch, at, Conditions::return_before)
    }

    fn ask(&mut self, branch: &Instruction, at: &Instruction, question: Question) -> bool {
        let (Some(condition), Some(place)) = (branch.line, in_function_of(branch, at)) else { return false };
        let conditions = self.conditions.entry(condition.file);
        let conditions = conditions.or_insert_with(|| self.program.file_text(condition.file).map(Conditions::of));
        let position = |line: SourceLine| (line.line, line.column);
        condition.file == place.file
            && conditions.as_ref().is_some_and(|c| question(c, position(condition), position(place)))
    }
}

/// The line of an instruction in the function that a branch was written in: if it is in one that was inlined there, the
/// line of the call.
fn in_function_of(branch: &Instruction, at: &Instruction) -> Option<SourceLine> {
    let mut outwards: Vec<SourceLine> = at.line.iter().chain(&*at.inlined_at).copied().collect();
    for call in branch.inlined_at.iter().rev() {
        outwards.pop().filter(|line| line == call)?;
    }
    outwards.pop()
}
