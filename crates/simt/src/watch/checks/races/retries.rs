//! Compare-and-swap loops: a thread reads a word plainly, computes, and swaps it if it still is what was read.
//!
//! The read races with the swaps of others, but it is only a guess: one that is out of date is refused by the swap, and
//! the loop goes on with what the swap found. So nothing is lost, as long as the read itself is in one piece.

use std::collections::HashSet;

use warpwise_ptx::ast::{Instruction, Operand, RegisterId};

use super::rounds::{instruction, loop_around};
use crate::program::Program;

/// Whether one instruction reads what the other, a compare-and-swap in a loop, compares with.
pub(super) fn is_guess(program: &Program, pc: u32, other: u32) -> bool {
    let function = |pc: u32| program.image.origins.get(pc as usize).map(|origin| origin.function);
    let Some(here) = function(pc).filter(|_| function(pc) == function(other)) else { return false };
    let pair = |load: u32, swap: u32| {
        let read = read_by(instruction(program, here, load)?)?;
        let guess = compared_by(instruction(program, here, swap)?)?;
        loop_around(program, here, swap, swap)?;
        let body = program.module().functions.get(here as usize)?.body.as_ref()?;
        moved(&body.instructions, read).contains(&guess).then_some(())
    };
    pair(pc, other).or_else(|| pair(other, pc)).is_some()
}

fn register(operand: &Operand) -> Option<RegisterId> {
    if let Operand::Register(id) = operand { Some(*id) } else { None }
}

/// The register that a load of one element writes.
fn read_by(load: &Instruction) -> Option<RegisterId> {
    load.operands.first().filter(|_| &*load.opcode == "ld").and_then(register)
}

/// The register that a compare-and-swap compares with.
fn compared_by(swap: &Instruction) -> Option<RegisterId> {
    let is_swap = &*swap.opcode == "atom" && swap.modifiers.iter().any(|m| &**m == "cas");
    swap.operands.get(2).filter(|_| is_swap).and_then(register)
}

/// The registers that a value is moved to, from one to the next.
fn moved(code: &[Instruction], from: RegisterId) -> HashSet<RegisterId> {
    let mut all = HashSet::from([from]);
    loop {
        let before = all.len();
        for i in code.iter().filter(|i| &*i.opcode == "mov") {
            if let [Operand::Register(to), Operand::Register(source)] = &i.operands[..]
                && all.contains(source)
            {
                all.insert(*to);
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of the load and the swap.
    fn said(code: &str) -> bool {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<3>;\n\
             .reg .b64 %rd<3>;\n.reg .b32 %r<9>;\n{code}\nret;\n}}\n"
        );
        let program = Program::load(&text).expect("valid PTX");
        let code = &program.module().functions[0].body.as_ref().expect("a body").instructions;
        let find = |name: &str| code.iter().position(|i| &*i.opcode == name).expect("it is there") as u32;
        let (load, swap) = (find("ld"), find("atom"));
        assert_eq!(is_guess(&program, load, swap), is_guess(&program, swap, load));
        is_guess(&program, load, swap)
    }

    #[test]
    fn a_guess_is_what_the_swap_compares_with() {
        let adds = "ld.global.u32 %r1, [%rd1]; mov.u32 %r2, %r1; L: add.u32 %r3, %r2, 1; \
                    atom.global.cas.b32 %r4, [%rd1], %r2, %r3; setp.ne.u32 %p1, %r4, %r2; mov.u32 %r2, %r4; @%p1 bra L;";
        assert!(said(adds));
        assert!(said(&adds.replace("mov.u32 %r2, %r1; L:", "L: mov.u32 %r2, %r1;")));
        // It is tried once, it compares with something else, or it is another operation.
        assert!(!said(&adds.replace("@%p1 bra L;", "")));
        assert!(!said(&adds.replace("[%rd1], %r2, %r3", "[%rd1], 0, %r3")));
        assert!(!said(&adds.replace("[%rd1], %r2, %r3", "[%rd1], %r3, %r2")));
        assert!(!said(
            &adds.replace("atom.global.cas.b32 %r4, [%rd1], %r2, %r3", "atom.global.add.u32 %r4, [%rd1], %r2")
        ));
    }
}
