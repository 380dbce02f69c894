//! Atomics of a whole warp at one address: the assembler lets one lane do them, where the code shows that the address is
//! the same for all lanes.

use crate::code::{Cost, collect, has};
use std::collections::{HashMap, HashSet};
use warpwise_ptx::ast::{Body, Instruction, Operand};

/// Machine instructions more: lanes are counted, or their values added up, and one of them is chosen.
const CHOOSING: f64 = 6.0;

/// Marks them. What such an atomic returns is added up again if it is the same for all lanes.
pub(crate) fn mark(body: &Body, costs: &mut [Cost]) {
    if !body.instructions.iter().any(is_atomic) {
        return;
    }
    let same = same_for_all(body, costs);
    let read: HashSet<u32> = costs.iter().flat_map(|cost| &cost.uses).copied().collect();
    for (instruction, cost) in body.instructions.iter().zip(costs.iter_mut()) {
        if !is_atomic(instruction) || !has(instruction, "u32") && !has(instruction, "s32") && !has(instruction, "b32") {
            continue;
        }
        let returns = &*instruction.opcode == "atom" && cost.defines.iter().any(|register| read.contains(register));
        let address = usize::from(&*instruction.opcode == "atom");
        let all_same = |operand: Option<&Operand>| {
            let mut registers = Vec::new();
            operand.iter().for_each(|operand| collect(operand, &mut registers));
            registers.iter().all(|register| same.contains(register))
        };
        let combined = ["min", "max", "and", "or", "xor"].iter().any(|name| has(instruction, name));
        let value = all_same(instruction.operands.get(address + 1));
        let possible = if returns { has(instruction, "add") && value } else { has(instruction, "add") || combined };
        if possible && all_same(instruction.operands.get(address)) {
            cost.gathered = true;
            cost.slots += CHOOSING;
        }
    }
}

/// Lets every lane do an atomic for itself.
pub(crate) fn part(cost: &mut Cost) {
    if std::mem::take(&mut cost.gathered) {
        cost.slots -= CHOOSING;
    }
}

fn is_atomic(instruction: &Instruction) -> bool {
    matches!(&*instruction.opcode, "atom" | "red")
}

/// Registers that have the same value in all lanes of a warp: made of parameters, constants and the place of the block.
fn same_for_all(body: &Body, costs: &[Cost]) -> HashSet<u32> {
    let mut same: HashMap<u32, bool> = costs.iter().flat_map(|cost| &cost.defines).map(|&r| (r, true)).collect();
    loop {
        let mut changed = false;
        for (instruction, cost) in body.instructions.iter().zip(costs) {
            let sources = cost.uses.iter().all(|register| same.get(register).copied().unwrap_or(false));
            if sources && keeps(instruction) {
                continue;
            }
            for register in &cost.defines {
                changed |= same.insert(*register, false) == Some(true);
            }
        }
        if !changed {
            return same.into_iter().filter(|&(_, same)| same).map(|(register, _)| register).collect();
        }
    }
}

/// Whether the result is the same for all lanes if the operands are.
fn keeps(instruction: &Instruction) -> bool {
    let of_thread = |operand: &Operand| match operand {
        Operand::Special(name) => !["ctaid", "ntid", "nctaid", "clusterid"].iter().any(|known| name.starts_with(known)),
        _ => false,
    };
    match &*instruction.opcode {
        "ld" => has(instruction, "param") || has(instruction, "const"),
        "atom" | "shfl" | "tex" | "ldmatrix" | "mma" | "wmma" | "activemask" | "elect" | "match" | "call" => false,
        _ => !instruction.operands.iter().any(of_thread),
    }
}

#[cfg(test)]
mod tests {
    use crate::code::Code;

    /// Which of the atomics one lane does for its warp.
    fn gathered(body: &str) -> Vec<bool> {
        let text = format!(
            ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .shared .align 4 .b8 bins[1024];\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n\
             ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
             mov.u32 %r9, %ctaid.x;\nmul.wide.u32 %rd4, %r9, 4;\nadd.s64 %rd5, %rd1, %rd4;\n{body}\nret;\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid");
        let function = module.function("k").expect("the kernel");
        let all = function.body.as_ref().expect("a body").instructions.iter();
        let code = Code::new(function);
        let atomics = all.zip(&code.costs).filter(|(i, _)| super::is_atomic(i));
        atomics.map(|(_, cost)| cost.gathered).collect()
    }

    #[test]
    fn one_address_for_all_lanes_is_for_one_of_them() {
        let body = "red.global.add.u32 [%rd1], 1;\nred.global.add.u32 [%rd3], 1;\nred.global.max.u32 [%rd5], %r1;\n\
                    red.shared.add.u32 [bins], 1;";
        assert_eq!(gathered(body), [true, false, true, true]);
        assert_eq!(gathered("red.global.add.f32 [%rd1], %f1;\nred.global.add.u64 [%rd1], 1;"), [false, false]);
    }

    #[test]
    fn what_is_returned_must_follow_from_the_number_of_lanes() {
        let body = "atom.global.add.u32 %r2, [%rd1], 1;\natom.global.add.u32 %r3, [%rd1], %r1;\n\
                    atom.global.add.u32 %r4, [%rd1], %r1;\nadd.u32 %r5, %r2, %r3;\nst.shared.u32 [bins], %r5;";
        assert_eq!(gathered(body), [true, false, true]);
    }
}
