//! Accesses that repeat the one before: by the same register, of the same lanes, at another offset.
//!
//! Code that a compiler has unrolled is full of them: `[%r1]`, `[%r1+4]`, `[%r1+8]`. Where nothing between two of them can
//! change the register or the lanes that run, the second has the pattern of the first, moved by the difference of their
//! offsets. It need not be looked at when it is executed; at the end it is counted as often as the first.

use std::collections::HashMap;

use warpwise_ptx::ast::Body;

use super::site::{Route, Site};
use crate::image::event::Event;
use crate::program::{FunctionCode, Program};

/// The access that each instruction of a program repeats.
pub(super) struct Leaders(Vec<Option<u32>>);

impl Leaders {
    pub(super) fn of(program: &Program) -> Self {
        let mut leaders = vec![None; program.events.len()];
        for (function, code) in program.module().functions.iter().zip(&program.image.functions) {
            if let (Some(body), Some(start)) = (&function.body, code.start) {
                in_body(program, code, body, start, &mut leaders);
            }
        }
        Self(leaders)
    }

    /// That of an instruction.
    pub(super) fn get(&self, pc: u32) -> Option<u32> {
        self.0.get(pc as usize).copied().flatten()
    }
}

/// Finds those of a function.
fn in_body(program: &Program, code: &FunctionCode, body: &Body, start: u32, leaders: &mut [Option<u32>]) {
    let mut is_target = vec![false; body.instructions.len() + 1];
    body.labels.iter().for_each(|label| is_target[label.target as usize] = true);
    // The first access by the register in each slot, since it was written and since these lanes began to run together.
    let mut first: HashMap<u32, u32> = HashMap::new();
    for ((pc, i), is_target) in (start..).zip(&body.instructions).zip(is_target) {
        let (Some(event), Some(op)) = (program.events.get(pc as usize), program.code.get(pc as usize)) else { return };
        if is_target {
            first.clear();
        }
        let by_register = matches!(event, Event::Access(_)) && Site::of(event).any(|site| site.route != Route::Any);
        if by_register && i.guard.is_none() {
            let leader = *first.entry(op.a).or_insert(pc);
            leaders[pc as usize] = (leader != pc).then_some(leader);
        }
        if !matches!(event, Event::Nothing | Event::Access(_) | Event::Division(_) | Event::Fence(..)) {
            first.clear();
        }
        // A destination comes first.
        if let Some(operand) = i.operands.first() {
            for register in operand.destinations() {
                code.registers.get(register.0 as usize).map(|slot| first.remove(slot));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The leaders of some code, which starts at instruction 0.
    fn leaders(code: &str) -> Vec<Option<u32>> {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<3>;\n\
             .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{code}\nret;\n}}\n"
        );
        let program = Program::load(&text).expect("valid PTX");
        let leaders = Leaders::of(&program);
        (0..program.events.len() as u32).map(|pc| leaders.get(pc)).collect()
    }

    #[test]
    fn an_access_by_the_same_register_follows() {
        let code =
            "ld.shared.u32 %r2, [%r1]; add.s32 %r3, %r1, %r2; st.shared.u32 [%r1+4], %r3; ld.shared.u32 %r1, [%r1+8];
            ld.shared.u32 %r2, [%r1];";
        assert_eq!(leaders(code)[..5], [None, None, Some(0), Some(0), None]);
    }

    #[test]
    fn registers_that_are_written_begin_again() {
        let code = "ld.global.v2.u32 {%r2, %r3}, [%rd1]; @%p1 add.s64 %rd1, %rd1, 4; ld.global.u32 %r2, [%rd1];
            ld.global.v2.u64 {%rd2, %rd1}, [%rd1+8]; st.global.u32 [%rd1], %r2;";
        assert_eq!(leaders(code)[..5], [None, None, None, Some(2), None]);
    }

    #[test]
    fn accesses_that_are_not_counted_by_their_register_do_not_lead() {
        let code =
            "ld.param.u64 %rd2, [%rd1]; st.global.u32 [%rd1], %r2; ld.u32 %r3, [%rd1]; st.global.u32 [%rd1], %r2;
            ld.local.u32 %r4, [%rd3]; st.global.u32 [%rd3], %r2;";
        assert_eq!(leaders(code)[..6], [None, None, None, Some(1), None, None]);
    }

    #[test]
    fn other_lanes_begin_again() {
        let code = "ld.shared.u32 %r2, [%r1]; @%p1 bra L; st.shared.u32 [%r1], %r2; L: st.shared.u32 [%r1], %r2;
            bar.warp.sync -1; st.shared.u32 [%r1], %r2; @%p1 st.shared.u32 [%r1], %r2; st.shared.u32 [%r1], %r2;";
        assert_eq!(leaders(code)[..8], [None, None, None, None, None, None, None, Some(5)]);
    }
}
