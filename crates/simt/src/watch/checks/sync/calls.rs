//! Calls: which barriers they lead to, and what comes after them.

use std::collections::HashSet;

use warpwise_ptx::ast::FunctionKind;

use super::code::ends;
use super::detours::{STEPS, is_meeting};
use crate::image::event::Event;
use crate::program::{Callee, Program};

/// What comes after a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// The end of the kernel.
    Nothing,
    /// More of the function that called it.
    More,
    /// One or the other, or it is not known.
    Either,
}

/// The calls of a program.
pub(super) struct Calls {
    /// By function: the barriers and warp-wide operations in it and in what it calls.
    meetings: Vec<Vec<u32>>,
    /// By function.
    pub(super) after: Vec<After>,
}

impl Calls {
    pub(super) fn new(program: &Program) -> Self {
        let functions = &program.image.functions;
        let mut own = vec![Vec::new(); functions.len()];
        // Of each function: the functions that it calls, and whether its end comes right after.
        let mut called: Vec<Vec<(usize, bool)>> = vec![Vec::new(); functions.len()];
        for (at, (code, function)) in functions.iter().zip(&program.module().functions).enumerate() {
            let (Some(start), Some(body)) = (code.start, &function.body) else { continue };
            for pc in start..code.end {
                if is_meeting(&program.events[pc as usize]) {
                    own[at].push(pc);
                } else if let Some(callee) = callee(program, pc) {
                    called[at].push((callee, ends(program, (start, &body.instructions), pc + 1)));
                }
            }
        }
        Self { meetings: reached(&own, &called), after: after(program, &called) }
    }

    /// The meetings of the function that an instruction calls.
    pub(super) fn meetings(&self, program: &Program, pc: u32) -> &[u32] {
        callee(program, pc).and_then(|callee| self.meetings.get(callee)).map_or(&[], Vec::as_slice)
    }
}

/// The function that an instruction calls.
fn callee(program: &Program, pc: u32) -> Option<usize> {
    if !matches!(program.events.get(pc as usize)?, Event::Call) {
        return None;
    }
    match program.image.call_sites.get(program.code[pc as usize].aux as usize)?.callee {
        Callee::Function(callee) => Some(callee as usize),
        _ => None,
    }
}

/// The meetings of functions and of what they call.
fn reached(own: &[Vec<u32>], called: &[Vec<(usize, bool)>]) -> Vec<Vec<u32>> {
    let mut steps = STEPS;
    let mut of = |function: usize| -> Option<Vec<u32>> {
        let mut seen = HashSet::new();
        let mut todo = vec![function];
        let mut found = Vec::new();
        while let Some(function) = todo.pop().filter(|_| steps > 0) {
            if seen.insert(function) {
                steps = steps.checked_sub(1 + own[function].len() + called[function].len())?;
                found.extend_from_slice(&own[function]);
                todo.extend(called[function].iter().map(|(callee, _)| callee));
            }
        }
        Some(found)
    };
    (0..own.len()).map(|function| of(function).unwrap_or_default()).collect()
}

/// What comes after functions, by way of all that call them.
fn after(program: &Program, called: &[Vec<(usize, bool)>]) -> Vec<After> {
    /// How deep calls may be nested before nothing is known.
    const DEPTH: usize = 16;
    let is_kernel = |at: usize| program.module().functions.get(at).is_some_and(|f| f.kind == FunctionKind::Entry);
    let mut after: Vec<After> =
        (0..called.len()).map(|at| if is_kernel(at) { After::Nothing } else { After::Either }).collect();
    for _ in 0..DEPTH {
        let mut all: Vec<Option<After>> = vec![None; called.len()];
        for (caller, calls) in called.iter().enumerate() {
            for &(callee, is_last) in calls {
                let this = if is_last { after[caller] } else { After::More };
                let known = all[callee].get_or_insert(this);
                if *known != this {
                    *known = After::Either;
                }
            }
        }
        let next: Vec<After> = (0..called.len())
            .map(|at| if is_kernel(at) { After::Nothing } else { all[at].unwrap_or(After::Either) })
            .collect();
        if next == after {
            break;
        }
        after = next;
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel `k` that calls `f`, which calls `g`, with code after both calls.
    fn program(after_f: &str, after_g: &str) -> Program {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.func g()\n{{\nbar.sync 0; ret;\n}}\n\
             .func f()\n{{\n.reg .b32 %r<3>;\ncall g; {after_g} ret;\n}}\n.func h()\n{{\nbar.sync 0; ret;\n}}\n\
             .visible .entry k()\n{{\n.reg .b32 %r<3>;\ncall f; {after_f} ret;\n}}\n"
        );
        Program::load(&text).expect("valid PTX")
    }

    #[test]
    fn meetings_are_found_through_calls() {
        let program = program("", "");
        let calls = Calls::new(&program);
        let of_kernel = program.image.functions[3].start.expect("a body");
        assert_eq!(calls.meetings(&program, of_kernel), [0], "k calls f calls g");
        assert_eq!(calls.meetings[3], [0], "and not h");
    }

    #[test]
    fn what_comes_after_a_function_is_what_comes_after_its_calls() {
        use After::{Either, More, Nothing};
        let more = "mov.u32 %r1, 1;";
        for (after_f, after_g, expected) in [
            ("", "", [Nothing, Nothing, Either, Nothing]),
            (more, "", [More, More, Either, Nothing]),
            ("", more, [More, Nothing, Either, Nothing]),
            ("call g;", "", [Either, More, Either, Nothing]),
        ] {
            let after = Calls::new(&program(after_f, after_g)).after;
            assert_eq!(after, expected, "{after_f} {after_g}");
        }
    }
}
