//! Rounds: races between one round of a loop and the next, where the barrier inside the loop does not help.

use crate::image::event::Event;
use crate::program::Program;

/// If two instructions race from one round of a loop to the next: the one that comes last in a round. `is_enough` says
/// which barriers would order them.
pub(super) fn last_of_round(program: &Program, pc: u32, other: u32, is_enough: impl Fn(&Event) -> bool) -> Option<u32> {
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
        return (!held(second, end) && !held(start, first)).then_some(second);
    }
    // A loop that was unrolled repeats its lines: the later instruction is of the round after.
    let (a, b) = (origin(first)?.line?, origin(second)?.line?);
    (a.file == b.file && a.line > b.line).then_some(first)
}

/// The smallest loop with two instructions in it: its first instruction, and the branch back to that.
fn loop_around(program: &Program, function: u32, first: u32, second: u32) -> Option<(u32, u32)> {
    let code = &program.image.functions[function as usize];
    let start = code.start?;
    let body = program.module().functions.get(function as usize)?.body.as_ref()?;
    let is_branch = |pc: u32| body.instructions.get((pc - start) as usize).is_some_and(|i| &*i.opcode == "bra");
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
    fn said(code: &str) -> Option<u32> {
        let program = program(code);
        let code = &program.module().functions[0].body.as_ref().expect("a body").instructions;
        let find = |name: &str| code.iter().position(|i| &*i.opcode == name).expect("it is there") as u32;
        let is_barrier = |event: &Event| matches!(event, Event::Barrier(_));
        let (store, load) = (find("st"), find("ld"));
        assert_eq!(last_of_round(&program, store, load, is_barrier), last_of_round(&program, load, store, is_barrier));
        last_of_round(&program, store, load, is_barrier)
    }

    #[test]
    fn a_barrier_in_the_middle_of_a_loop_only() {
        let round = "L: st.shared.u32 [%r1], %r2; bar.sync 0; ld.shared.u32 %r3, [%r4]; END @%p1 bra L;";
        assert_eq!(said(&round.replace("END", "")), Some(2));
        assert_eq!(said(&round.replace("END", "bar.sync 0;")), None, "both are there");
        assert_eq!(said(&round.replace("bar.sync 0;", "").replace("END", "bar.sync 0;")), None, "it is in the round");
        assert_eq!(said("st.shared.u32 [%r1], %r2; bar.sync 0; ld.shared.u32 %r3, [%r4];"), None, "no loop");
    }

    #[test]
    fn a_loop_that_was_unrolled() {
        let round = "ld.shared.u32 %r3, [%r4];\n.loc 1 22 1\nst.shared.u32 [%r1], %r2;";
        assert_eq!(said(&format!(".loc 1 25 1\n{round}")), Some(0));
        assert_eq!(said(&format!(".loc 1 21 1\n{round}")), None, "one after the other");
    }
}
