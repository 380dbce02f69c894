//! The code of a function, as the search for detours reads it.

use std::collections::HashSet;

use warpwise_ptx::ast::Instruction;

use super::calls::{After, Calls};
use super::detours::is_meeting;
use crate::image::event::Event;
use crate::program::Program;

/// A barrier or warp-wide operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Met {
    pub(super) at: u32,
    /// The instruction by which the function comes to it: itself, or a call.
    pub(super) by: u32,
}

/// One side of a branch.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) met: Vec<Met>,
    /// Whether it leads to the place where the sides join.
    pub(super) joins: bool,
}

/// The code of a function.
pub(super) struct Function<'p> {
    program: &'p Program,
    calls: &'p Calls,
    start: u32,
    end: u32,
    instructions: &'p [Instruction],
    /// What comes after it.
    pub(super) after: After,
}

impl<'p> Function<'p> {
    /// The functions of a program.
    pub(super) fn all(program: &'p Program, calls: &'p Calls) -> impl Iterator<Item = Self> {
        let functions = program.image.functions.iter().zip(&program.module().functions);
        functions.zip(&calls.after).filter_map(move |((code, function), &after)| {
            let (start, body) = (code.start?, function.body.as_ref()?);
            Some(Self { program, calls, start, end: code.end, instructions: &body.instructions, after })
        })
    }

    /// The meetings at an instruction: its own, or those of the function that it calls.
    fn meetings(&self, pc: u32) -> &[u32] {
        match &self.program.events[pc as usize] {
            Event::Call => self.calls.meetings(self.program, pc),
            _ => &[],
        }
    }

    /// Whether there is anything to go around.
    pub(super) fn has_meetings(&self) -> bool {
        (self.start..self.end).any(|pc| is_meeting(&self.program.events[pc as usize]) || !self.meetings(pc).is_empty())
    }

    /// Its conditional branches.
    pub(super) fn branches(&self) -> impl Iterator<Item = u32> {
        let is_branch =
            move |pc: &u32| matches!(self.program.events[*pc as usize], Event::Branch) && self.is(*pc, "bra");
        (self.start..self.end).filter(is_branch)
    }

    pub(super) fn instruction(&self, pc: u32) -> Option<&'p Instruction> {
        self.instructions.get((pc - self.start) as usize)
    }

    fn is(&self, pc: u32, opcode: &str) -> bool {
        self.instruction(pc).is_some_and(|i| &*i.opcode == opcode)
    }

    fn is_guarded(&self, pc: u32) -> bool {
        self.instruction(pc).is_some_and(|i| i.guard.is_some())
    }

    /// Whether nothing but the end of the function comes after an instruction.
    pub(super) fn ends(&self, pc: u32) -> bool {
        ends(self.program, (self.start, self.instructions), pc)
    }

    /// The two sides of a branch, until they join: that of lanes which take it, and that of the others. `None` if the
    /// search takes too long.
    pub(super) fn sides(&self, branch: u32, join: u32, steps: &mut usize) -> Option<(Side, Side)> {
        let target = self.program.code[branch as usize].imm as u32;
        Some((self.side(target, join, steps)?, self.side(branch + 1, join, steps)?))
    }

    /// What can be reached from an instruction without passing the join.
    fn side(&self, from: u32, join: u32, steps: &mut usize) -> Option<Side> {
        let mut seen = HashSet::new();
        let mut todo = vec![from];
        let (mut met, mut joins) = (Vec::new(), false);
        while let Some(pc) = todo.pop() {
            joins |= pc == join;
            if pc == join || !seen.insert(pc) {
                continue;
            }
            *steps = steps.checked_sub(1)?;
            let (Some(op), Some(event)) = (self.program.code.get(pc as usize), self.program.events.get(pc as usize))
            else {
                continue;
            };
            if is_meeting(event) {
                met.push(Met { at: pc, by: pc });
            }
            let called = self.meetings(pc);
            *steps = steps.checked_sub(called.len())?;
            met.extend(called.iter().map(|&at| Met { at, by: pc }));
            if self.is(pc, "bra") {
                todo.push(op.imm as u32);
            } else if self.is(pc, "brx") {
                todo.extend(self.program.image.branch_tables.get(op.aux as usize).into_iter().flatten());
            }
            let leaves = self.is(pc, "bra") || self.is(pc, "brx") || matches!(event, Event::Exit | Event::Return);
            // The last instruction of a function is a return that is not in its text.
            let last = (pc - self.start) as usize >= self.instructions.len();
            if !last && (!leaves || self.is_guarded(pc)) {
                todo.push(pc + 1);
            }
        }
        Some(Side { met, joins })
    }
}

/// Whether nothing but its end comes after an instruction of a function that starts there.
pub(super) fn ends(program: &Program, (start, code): (u32, &[Instruction]), mut pc: u32) -> bool {
    for _ in 0..8 {
        let instruction = code.get((pc - start) as usize);
        let is_guarded = instruction.is_some_and(|i| i.guard.is_some());
        match &program.events[pc as usize] {
            Event::Exit | Event::Return => return !is_guarded,
            _ if instruction.is_some_and(|i| &*i.opcode == "bra") && !is_guarded => {
                pc = program.code[pc as usize].imm as u32;
            }
            _ => return false,
        }
    }
    false
}
