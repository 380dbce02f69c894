//! Detours: branches with a barrier or warp-wide operation on one side, and code after it that both sides reach.
//!
//! A thread that takes the other side and continues is missing at the barrier. (One that returns there is not: barriers
//! do not wait for threads that have exited. See [`exits`](super::exits).)

use super::calls::{After, Calls};
use super::code::{Function, Met, Side};
use super::texts::Texts;
use crate::image::event::Event;
use crate::program::Program;
use crate::warp::RETURN;

/// Steps of the search for a whole module, so that no file takes long.
pub(super) const STEPS: usize = 1 << 22;

/// The barriers and warp-wide operations that lanes miss at a branch: those that take it, and those that do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Detour {
    pub(super) taken: Vec<u32>,
    pub(super) passed: Vec<u32>,
}

/// The detours of a program, by the program counter of their branch, sorted.
pub(super) fn detours<'p>(program: &'p Program, calls: &'p Calls, texts: &mut Texts<'p>) -> Vec<(u32, Detour)> {
    let mut found = Vec::new();
    let mut steps = STEPS;
    for function in Function::all(program, calls).filter(Function::has_meetings) {
        let is_last = function.after == After::Nothing;
        for pc in function.branches() {
            let rpc = program.code[pc as usize].rpc;
            // From the end of a function, threads go on in the one that called it.
            let goes_on = function.after == After::More || rpc != RETURN && !function.ends(rpc);
            if !goes_on {
                continue;
            }
            let Some((taken, passed)) = function.sides(pc, rpc, &mut steps) else { return found };
            let mut missed = |mine: &Side, other: &Side| {
                let Some(branch) = function.instruction(pc).filter(|i| is_last && texts.have(i)) else {
                    return only(mine, other);
                };
                let mut returned = |at: &u32| {
                    let mut by =
                        mine.met.iter().filter(|met| met.at == *at).filter_map(|met| function.instruction(met.by));
                    by.any(|by| texts.return_before(branch, by))
                };
                let only = only(mine, other).into_iter();
                only.filter(|at| !returned(at)).collect()
            };
            let detour = Detour { taken: missed(&passed, &taken), passed: missed(&taken, &passed) };
            if detour != Detour::default() {
                found.push((pc, detour));
            }
        }
    }
    found
}

/// The meetings of one side of a branch that the other does not have.
pub(super) fn only(mine: &Side, other: &Side) -> Vec<u32> {
    let is_known = |met: &&Met| other.met.iter().any(|other| other.at == met.at);
    let mut only: Vec<u32> = mine.met.iter().filter(|met| !is_known(met)).map(|met| met.at).collect();
    only.sort_unstable();
    only.dedup();
    only
}

/// Whether all threads of the block meet at an instruction.
pub(super) fn is_barrier(event: &Event) -> bool {
    matches!(event, Event::Barrier(barrier) if !barrier.counted && !barrier.arrive)
}

/// Whether threads meet at an instruction.
pub(super) fn is_meeting(event: &Event) -> bool {
    match event {
        Event::Barrier(_) => is_barrier(event),
        Event::WarpBarrier => true,
        Event::Collective(collective) => collective.masked,
        _ => false,
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
        let program = Program::load(&text).expect("valid PTX");
        detours(&program, &Calls::new(&program), &mut Texts::new(&program))
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
    fn a_return_whose_last_steps_are_shared_is_no_detour() {
        let text = ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"k.cu\"\n.visible .entry k()\n{\n\
                    .reg .pred %p<3>;\n.reg .b32 %r<9>;\n.loc 1 1 1\n@%p1 bra L;\n.loc 1 2 1\nbar.sync 0; L:\n\
                    .loc 1 3 1\nadd.u32 %r1, %r1, 1; ret;\n}\n";
        for (condition, found) in [("if (t >= n) { x = 0; return; }", 0), ("if (t >= n) y(); else", 1)] {
            let source = format!("{condition}\n__syncthreads();\nx += 1;\n");
            let program = Program::load(text).expect("valid PTX").with_files(|_| Some(source.clone()));
            let detours = detours(&program, &Calls::new(&program), &mut Texts::new(&program));
            assert_eq!(detours.len(), found, "{condition}");
        }
    }

    /// A kernel and a function with that code, which the kernel calls at its second instruction.
    fn with_a_call(function: &str, kernel: &str) -> Vec<(u32, Detour)> {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.func f()\n{{\n.reg .pred %p<3>;\n{function}\n}}\n\
             .visible .entry k()\n{{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n{kernel}\n}}\n"
        );
        let program = Program::load(&text).expect("valid PTX");
        detours(&program, &Calls::new(&program), &mut Texts::new(&program))
    }

    #[test]
    fn a_barrier_in_a_function_that_some_call() {
        let goes_on = "L: add.u32 %r1, %r1, 1; ret;";
        let found = with_a_call("bar.sync 0; ret;", &format!("@%p1 bra L; call f; {goes_on}"));
        assert_eq!(found, [(3, Detour { taken: vec![0], passed: vec![] })], "the function has a return at its end");
        assert_eq!(with_a_call("bar.sync 0; ret;", "@%p1 bra L; call f; L: ret;"), [], "the others exit");
        assert_eq!(with_a_call("ret;", &format!("@%p1 bra L; call f; {goes_on}")), []);
        let both = format!("@%p1 bra M; call f; bra L; M: call f; {goes_on}");
        assert_eq!(with_a_call("bar.sync 0; ret;", &both), [], "all call it");
    }

    #[test]
    fn a_barrier_that_some_return_before_and_go_on() {
        let function = "@%p1 bra L; bar.sync 0; L: ret;";
        let found = with_a_call(function, "call f; add.u32 %r1, %r1, 1; ret;");
        assert_eq!(found, [(0, Detour { taken: vec![1], passed: vec![] })]);
        assert_eq!(with_a_call(function, "call f; ret;"), [], "nothing but the end comes after it");
    }

    #[test]
    fn what_both_sides_meet_is_no_detour() {
        assert_eq!(of("@%p1 bra L; add.u32 %r1, %r1, 1; L: bar.sync 0; add.u32 %r1, %r1, 1; ret;"), []);
    }
}
