//! Code that counts on the lanes of a warp to run in step.
//!
//! Volatile and relaxed accesses do not race, so the last steps of an old reduction (`s[t] += s[t + 16]` on volatile
//! shared memory, with no `__syncwarp()`) are no races either. What a lane reads there depends all the same on whether
//! another lane has written it yet, and no GPU since Volta promises that. A lane that waits in a loop for what another
//! lane writes counts on nothing of the kind.

use super::record::Race;
use crate::image::event::{Declared, Event, Order};
use crate::program::Program;

/// Instructions of a loop that does nothing but wait.
const WAITING: u32 = 64;

/// Whether two accesses to shared memory by lanes of a warp are of that kind, if nothing orders them.
pub(super) fn is_warned_of(program: &Program, race: &Race, pcs: [u32; 2]) -> bool {
    race.is_in_step() && pcs.iter().all(|&pc| is_relaxed(program, pc)) && !pcs.iter().any(|&pc| is_polled(program, pc))
}

/// Whether an access promises only that it is made: acquire and release promise more.
fn is_relaxed(program: &Program, pc: u32) -> bool {
    match program.events.get(pc as usize) {
        Some(Event::Access(access)) => {
            matches!(access.order, Order::Volatile | Order::Relaxed)
                && matches!(access.space, Declared::Shared | Declared::Generic)
        }
        _ => false,
    }
}

/// Whether a load is made again and again until it finds what it waits for: in a short loop that writes nothing.
fn is_polled(program: &Program, pc: u32) -> bool {
    let Some(function) = program.image.origins.get(pc as usize).map(|origin| origin.function as usize) else {
        return false;
    };
    let (code, body) = (&program.image.functions[function], &program.module().functions[function].body);
    let (Some(start), Some(body)) = (code.start, body) else { return false };
    let is_branch = |pc: u32| body.instructions.get((pc - start) as usize).is_some_and(|i| &*i.opcode == "bra");
    let acts = |pc: u32| match &program.events[pc as usize] {
        Event::Access(access) => access.direction.writes(),
        Event::Barrier(_) | Event::WarpBarrier | Event::Call => true,
        event => event.touches_memory(),
    };
    (pc..code.end.min(pc + WAITING)).filter(|&end| is_branch(end)).any(|end| {
        let target = program.code[end as usize].imm as u32;
        target >= start && target <= pc && end - target < WAITING && !(target..end).any(acts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(code: &str) -> Program {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<3>;\n\
             .reg .b32 %r<9>;\n{code}\nret;\n}}\n"
        );
        Program::load(&text).expect("valid PTX")
    }

    #[test]
    fn loops_that_wait_are_told_from_loops_that_work() {
        let waits = "L: ld.volatile.shared.u32 %r1, [%r2]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;";
        assert!(is_polled(&program(waits), 0));
        let works = waits.replace("setp", "st.volatile.shared.u32 [%r3], %r1; setp");
        assert!(!is_polled(&program(&works), 0));
        assert!(!is_polled(&program("ld.volatile.shared.u32 %r1, [%r2];"), 0));
    }

    #[test]
    fn acquire_and_release_are_promises() {
        assert!(is_relaxed(&program("ld.volatile.shared.u32 %r1, [%r2];"), 0));
        assert!(is_relaxed(&program("st.relaxed.cta.shared.u32 [%r2], %r1;"), 0));
        assert!(!is_relaxed(&program("ld.acquire.cta.shared.u32 %r1, [%r2];"), 0));
        assert!(!is_relaxed(&program("ld.volatile.local.u32 %r1, [%r2];"), 0));
    }
}
