//! Exits around a barrier: branches by which threads leave the kernel while others, in the statement that the branch
//! decides over, wait for all.
//!
//! Barriers do not wait for threads that have exited, so such a barrier completes. It is in divergent code all the same:
//! CUDA wants the condition to be the same for the whole block, and with a barrier added after the statement, threads
//! wait at two of them. `if (t >= n) return;` before a barrier does the same in PTX and is not meant: threads without
//! work are let go, and the others all come to the barrier. The text of the source tells them apart; where it is not
//! known, nothing is said.

use super::calls::{After, Calls};
use super::code::{Function, Side};
use super::detours::{Detour, STEPS, is_barrier, only};
use super::texts::Texts;
use crate::program::Program;
use crate::warp::RETURN;

/// The barriers that lanes leave behind at a branch to the end of the kernel, by its program counter, sorted: those that
/// take it, and those that do not.
pub(super) fn exits<'p>(program: &'p Program, calls: &'p Calls, texts: &mut Texts<'p>) -> Vec<(u32, Detour)> {
    let mut found = Vec::new();
    let mut steps = STEPS;
    let ends = |function: &Function<'_>| function.after == After::Nothing && function.has_meetings();
    for function in Function::all(program, calls).filter(ends) {
        for pc in function.branches() {
            let rpc = program.code[pc as usize].rpc;
            let Some(branch) = function.instruction(pc).filter(|i| texts.have(i)) else { continue };
            if rpc != RETURN && !function.ends(rpc) {
                let Some((taken, passed)) = function.sides(pc, rpc, &mut steps) else { return found };
                if taken.joins && passed.joins {
                    // Both sides go on.
                    continue;
                }
            }
            let Some((taken, passed)) = function.sides(pc, RETURN, &mut steps) else { return found };
            let mut inside = |mine: &Side, other: &Side| {
                let only = only(mine, other).into_iter();
                let is_inside = |at: &u32| {
                    let mut by =
                        mine.met.iter().filter(|met| met.at == *at).filter_map(|met| function.instruction(met.by));
                    is_barrier(&program.events[*at as usize]) && by.any(|by| texts.decide(branch, by))
                };
                only.filter(is_inside).collect()
            };
            let exit = Detour { taken: inside(&passed, &taken), passed: inside(&taken, &passed) };
            if exit != Detour::default() {
                found.push((pc, exit));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines 1 to 3 are a condition around line 2; line 4 is a return and line 5 a call.
    const SOURCE: &str = "if (t < n) {\n    __syncthreads();\n}\nif (t >= n) return;\nf();\n";

    fn of(code: &str) -> Vec<(u32, Detour)> {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"k.cu\"\n.visible .entry k()\n{{\n\
             .reg .pred %p<3>;\n.reg .b32 %r<9>;\n{code}\n}}\n"
        );
        let program = Program::load(&text).expect("valid PTX");
        let found = |program: &Program| exits(program, &Calls::new(program), &mut Texts::new(program));
        assert_eq!(found(&program), [], "without its source");
        found(&program.with_files(|path| (path == "k.cu").then(|| SOURCE.to_owned())))
    }

    #[test]
    fn a_barrier_in_a_condition_that_others_leave_the_kernel_by() {
        let found = of(".loc 1 1 5\n@%p1 bra L;\n.loc 1 2 5\nbar.sync 0;\nL: ret;");
        assert_eq!(found, [(0, Detour { taken: vec![1], passed: vec![] })]);
        let found = of(".loc 1 1 5\n@%p1 bra L;\nret;\nL:\n.loc 1 2 5\nbar.sync 0;\nret;");
        assert_eq!(found, [(0, Detour { taken: vec![], passed: vec![2] })]);
    }

    #[test]
    fn an_early_return_is_not_meant() {
        assert_eq!(of(".loc 1 4 1\n@%p1 bra L;\n.loc 1 5 1\nbar.sync 0;\nL: ret;"), []);
    }

    #[test]
    fn what_goes_on_is_another_matter() {
        assert_eq!(of(".loc 1 1 5\n@%p1 bra L;\n.loc 1 2 5\nbar.sync 0;\nL: add.u32 %r1, %r1, 1; ret;"), []);
    }

    #[test]
    fn a_function_that_was_inlined_is_where_it_is_called() {
        let called = ".loc 1 1 5\n@%p1 bra L;\n.loc 1 2 5\nmov.u32 %r1, 1;\n.loc 2 70 1, function_name $f, \
                      inlined_at 1 2 5\nbar.sync 0;\nL: ret;";
        assert_eq!(of(called), [(0, Detour { taken: vec![2], passed: vec![] })]);
        let both = ".loc 1 5 1\nmov.u32 %r1, 1;\n.loc 1 1 5, function_name $f, inlined_at 1 5 1\n@%p1 bra L;\n\
                    .loc 1 2 5, function_name $f, inlined_at 1 5 1\nbar.sync 0;\nL: ret;";
        assert_eq!(of(both), [(1, Detour { taken: vec![2], passed: vec![] })]);
        let elsewhere =
            both.replace("1 2 5, function_name $f, inlined_at 1 5 1", "1 2 5, function_name $f, inlined_at 1 6 1");
        assert_eq!(of(&elsewhere), [], "another call of the same function");
    }
}
