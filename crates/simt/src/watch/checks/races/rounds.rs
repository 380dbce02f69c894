//! Rounds: races between one round of a loop and the next, or one call of a function and the next, where the barrier
//! inside does not help.

use warpwise_ptx::ast::{Instruction, SourceLine};

use crate::image::event::Event;
use crate::program::Program;

/// What is executed again: the instruction that comes last in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// The body of a loop.
    Loop(u32),
    /// A function that was inlined twice.
    Call(u32),
}

/// If two instructions race from one round to the next: what that is a round of. `is_enough` says which barriers would
/// order them.
pub(super) fn again(program: &Program, pc: u32, other: u32, is_enough: impl Fn(&Event) -> bool) -> Option<Again> {
    let (first, second) = (pc.min(other), pc.max(other));
    let origin = |pc: u32| program.image.origins.get(pc as usize);
    let function = origin(pc)?.function;
    if first == second || origin(other)?.function != function {
        return None;
    }
    let held = |from: u32, to: u32| (from..to).any(|pc| is_enough(&program.events[pc as usize]));
    if held(first, second) {
        // A barrier between them in one round: what is missing is one on the way back.
        let (start, end) = loop_around(program, function, first, second)?;
        return (!held(second, end) && !held(start, first)).then_some(Again::Loop(second));
    }
    // A loop that was unrolled repeats its lines, and so does a function that was inlined twice: the later instruction
    // is of the round after, and its like of the round before.
    let (a, b) = (origin(first)?.line?, origin(second)?.line?);
    let opcode = |pc: u32| instruction(program, function, pc).map(|i| &i.opcode);
    let is_like = |pc: u32| opcode(pc) == opcode(second) && origin(pc).and_then(|o| o.line).is_some_and(|l| l == b);
    let start = program.image.functions[function as usize].start?;
    let is_back = a.file == b.file && a.line > b.line && (start..first).any(is_like);
    let calls = |pc: u32| instruction(program, function, pc).map_or(&[][..], |i| &i.inlined_at);
    let again = if are_two_calls(calls(first), calls(second)) { Again::Call(first) } else { Again::Loop(first) };
    is_back.then_some(again)
}

/// Whether a read and a write, in this order, race within one round: what comes between rounds holds the threads.
pub(super) fn in_one_round(program: &Program, read: u32, write: u32, is_enough: impl Fn(&Event) -> bool) -> bool {
    let function = |pc: u32| program.image.origins.get(pc as usize).map(|origin| origin.function);
    let held = |from: u32, to: u32| (from..to).any(|pc| is_enough(&program.events[pc as usize]));
    let Some(of) = function(read).filter(|_| read < write && function(read) == function(write)) else { return false };
    let around = loop_around(program, of, read, write);
    !held(read, write) && around.is_none_or(|(start, end)| held(start, read) || held(write, end))
}

/// Whether two lines are in a function that was called at different places.
fn are_two_calls(first: &[SourceLine], second: &[SourceLine]) -> bool {
    first.len() == second.len() && first != second
}

/// An instruction of a function.
pub(super) fn instruction(program: &Program, function: u32, pc: u32) -> Option<&Instruction> {
    let start = program.image.functions[function as usize].start?;
    let body = program.module().functions.get(function as usize)?.body.as_ref()?;
    body.instructions.get((pc - start) as usize)
}

/// The smallest loop with two instructions in it: its first instruction, and the branch back to that.
pub(super) fn loop_around(program: &Program, function: u32, first: u32, second: u32) -> Option<(u32, u32)> {
    let code = &program.image.functions[function as usize];
    let start = code.start?;
    let is_branch = |pc: u32| instruction(program, function, pc).is_some_and(|i| &*i.opcode == "bra");
    let back = |pc: u32| {
        let target = program.code[pc as usize].imm as u32;
        (is_branch(pc) && target <= first && target >= start).then_some((target, pc))
    };
    (second..code.end).filter_map(back).min_by_key(|(target, pc)| pc - target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(code: &str) -> Program {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"k.cu\"\n.visible .entry k()\n{{\n\
             .reg .pred %p<3>;\n.reg .b32 %r<9>;\n.shared .b32 tile[64];\n{code}\nret;\n}}\n"
        );
        Program::load(&text).expect("valid PTX")
    }

    /// What is said of the first store and the first load.
    fn said(code: &str) -> Option<Again> {
        let program = program(code);
        let code = &program.module().functions[0].body.as_ref().expect("a body").instructions;
        let find = |name: &str| code.iter().position(|i| &*i.opcode == name).expect("it is there") as u32;
        let is_barrier = |event: &Event| matches!(event, Event::Barrier(_));
        let (store, load) = (find("st"), find("ld"));
        assert_eq!(again(&program, store, load, is_barrier), again(&program, load, store, is_barrier));
        again(&program, store, load, is_barrier)
    }

    #[test]
    fn a_barrier_in_the_middle_of_a_loop_only() {
        let round = "L: st.shared.u32 [%r1], %r2; bar.sync 0; ld.shared.u32 %r3, [%r4]; END @%p1 bra L;";
        assert_eq!(said(&round.replace("END", "")), Some(Again::Loop(2)));
        assert_eq!(said(&round.replace("END", "bar.sync 0;")), None, "both are there");
        assert_eq!(said(&round.replace("bar.sync 0;", "").replace("END", "bar.sync 0;")), None, "it is in the round");
        assert_eq!(said("st.shared.u32 [%r1], %r2; bar.sync 0; ld.shared.u32 %r3, [%r4];"), None, "no loop");
    }

    #[test]
    fn a_loop_that_was_unrolled() {
        let round = ".loc 1 22 1\nst.shared.u32 [%r1], %r2;\n.loc 1 25 1\nld.shared.u32 %r3, [%r4];\n";
        let is_barrier = |event: &Event| matches!(event, Event::Barrier(_));
        let twice = program(&round.repeat(2));
        assert_eq!(again(&twice, 1, 2, is_barrier), Some(Again::Loop(1)));
        assert_eq!(again(&twice, 0, 1, is_barrier), None, "one after the other");
        // The sides of a branch may be in any order.
        let once = ".loc 1 25 1\nld.shared.u32 %r3, [%r4];\n.loc 1 22 1\nst.shared.u32 [%r1], %r2;";
        assert_eq!(again(&program(once), 0, 1, is_barrier), None);
    }

    #[test]
    fn a_read_before_a_write_in_one_round() {
        let race = |code: &str| in_one_round(&program(code), 0, 1, |event| matches!(event, Event::Barrier(_)));
        let body = "L: ld.shared.u32 %r3, [%r4]; st.shared.u32 [%r1], %r3;";
        assert!(race(body), "there is no other");
        assert!(race(&format!("{body} bar.sync 0; @%p1 bra L;")));
        assert!(!race(&format!("{body} @%p1 bra L;")), "it may be between two rounds");
        let held = program("ld.shared.u32 %r3, [%r4]; bar.sync 0; st.shared.u32 [%r1], %r3;");
        assert!(!in_one_round(&held, 0, 2, |event| matches!(event, Event::Barrier(_))), "a barrier is between");
    }

    #[test]
    fn a_function_that_was_inlined_twice() {
        let line = |line: u32, call: u32| format!(".loc 1 {line} 1, function_name $f, inlined_at 1 {call} 1\n");
        let call = |at: u32| {
            let (write, read) = (line(22, at), line(25, at));
            format!("{write}st.shared.u32 [%r1], %r2;\n{read}ld.shared.u32 %r3, [%r4];\n")
        };
        let is_barrier = |event: &Event| matches!(event, Event::Barrier(_));
        let said = |second: u32| again(&program(&(call(40) + &call(second))), 1, 2, is_barrier);
        assert_eq!(said(41), Some(Again::Call(1)));
        assert_eq!(said(40), Some(Again::Loop(1)), "one call in a loop that was unrolled");
    }
}
