//! Detours: branches with a barrier or warp-wide operation on one side, and code after it that both sides reach.
//!
//! A thread that takes the other side and continues is missing at the barrier. (One that returns there is not: barriers
//! do not wait for threads that have exited.)

use std::collections::HashSet;

use warpwise_ptx::ast::Instruction;

use crate::image::event::Event;
use crate::program::Program;
use crate::warp::RETURN;

/// Steps of the search for a whole module, so that no file takes long.
const STEPS: usize = 1 << 22;

/// The barriers and warp-wide operations that lanes miss at a branch: those that take it, and those that do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Detour {
    pub(super) taken: Vec<u32>,
    pub(super) passed: Vec<u32>,
}

/// The detours of a program, by the program counter of their branch, sorted.
pub(crate) fn detours(program: &Program) -> Vec<(u32, Detour)> {
    let mut found = Vec::new();
    let mut steps = STEPS;
    for (code, function) in program.image.functions.iter().zip(&program.module().functions) {
        let (Some(start), Some(body)) = (code.start, &function.body) else { continue };
        let function = Function { program, start, instructions: &body.instructions };
        if !(start..code.end).any(|pc| is_meeting(&program.events[pc as usize])) {
            continue;
        }
        for pc in (start..code.end).filter(|&pc| function.is(pc, "bra")) {
            let op = &program.code[pc as usize];
            if !matches!(program.events[pc as usize], Event::Branch) || op.rpc == RETURN || function.ends(op.rpc) {
                continue;
            }
            let mut side = |from: u32| function.region(from, op.rpc, &mut steps);
            let (Some(taken), Some(passed)) = (side(op.imm as u32), side(pc + 1)) else { return found };
            let only = |mine: &[u32], other: &[u32]| mine.iter().copied().filter(|pc| !other.contains(pc)).collect();
            let detour = Detour { taken: only(&passed, &taken), passed: only(&taken, &passed) };
            if detour != Detour::default() {
                found.push((pc, detour));
            }
        }
    }
    found
}

/// Whether threads meet at an instruction.
fn is_meeting(event: &Event) -> bool {
    match event {
        Event::Barrier(barrier) => !barrier.counted && !barrier.arrive,
        Event::WarpBarrier => true,
        Event::Collective(collective) => collective.masked,
        _ => false,
    }
}

struct Function<'p> {
    program: &'p Program,
    start: u32,
    instructions: &'p [Instruction],
}

impl Function<'_> {
    fn is(&self, pc: u32, opcode: &str) -> bool {
        self.instructions.get((pc - self.start) as usize).is_some_and(|i| &*i.opcode == opcode)
    }

    fn is_guarded(&self, pc: u32) -> bool {
        self.instructions.get((pc - self.start) as usize).is_some_and(|i| i.guard.is_some())
    }

    /// Whether nothing but the end of the kernel comes after an instruction.
    fn ends(&self, mut pc: u32) -> bool {
        for _ in 0..8 {
            match &self.program.events[pc as usize] {
                Event::Exit | Event::Return => return !self.is_guarded(pc),
                _ if self.is(pc, "bra") && !self.is_guarded(pc) => pc = self.program.code[pc as usize].imm as u32,
                _ => return false,
            }
        }
        false
    }

    /// The meetings that can be reached from an instruction without passing the join; `None` if the search takes too
    /// long.
    fn region(&self, from: u32, join: u32, steps: &mut usize) -> Option<Vec<u32>> {
        let mut seen = HashSet::new();
        let mut todo = vec![from];
        let mut meetings = Vec::new();
        while let Some(pc) = todo.pop() {
            if pc == join || !seen.insert(pc) {
                continue;
            }
            *steps = steps.checked_sub(1)?;
            let (Some(op), Some(event)) = (self.program.code.get(pc as usize), self.program.events.get(pc as usize))
            else {
                continue;
            };
            if is_meeting(event) {
                meetings.push(pc);
            }
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
        meetings.sort_unstable();
        Some(meetings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &str) -> Vec<(u32, Detour)> {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<3>;\n\
             .reg .b32 %r<9>;\n{code}\n}}\n"
        );
        detours(&Program::load(&text).expect("valid PTX"))
    }

    #[test]
    fn a_barrier_inside_an_if() {
        let found = of("@%p1 bra L; bar.sync 0; L: add.u32 %r1, %r1, 1; ret;");
        assert_eq!(found, [(0, Detour { taken: vec![1], passed: vec![] })]);
    }

    #[test]
    fn leaving_a_loop_before_the_others() {
        let found = of("L: bar.sync 0; @%p1 bra L; add.u32 %r1, %r1, 1; ret;");
        assert_eq!(found, [(1, Detour { taken: vec![], passed: vec![0] })]);
    }

    #[test]
    fn returning_is_no_detour() {
        assert_eq!(of("@%p1 bra L; bar.sync 0; L: ret;"), []);
        assert_eq!(of("@%p1 bra L; bar.sync 0; add.u32 %r1, %r1, 1; ret; L: ret;"), []);
    }

    #[test]
    fn what_both_sides_meet_is_no_detour() {
        assert_eq!(of("@%p1 bra L; add.u32 %r1, %r1, 1; L: bar.sync 0; add.u32 %r1, %r1, 1; ret;"), []);
    }
}
