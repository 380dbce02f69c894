//! Loads from shared memory that the assembler makes one: those of neighbouring words at one base, where what is known
//! of the base shows that it is aligned. PTX has them word by word.

use crate::code::{Cost, Kind, Pipe, has};
use std::collections::HashMap;
use warpwise_ptx::ast::{AddressBase, Body, Instruction, Operand};

/// More than this power of two is not asked for.
const MOST: u32 = 7;
/// Variables in shared memory lie at multiples of 2 to this.
const VARIABLE: u32 = 4;

/// Lets the first of the loads that are one make the access, and the others cost nothing. All of them take as many
/// passes through the banks as the first alone: neighbouring words are in different banks.
pub(crate) fn merge(body: &Body, costs: &mut [Cost], pieces: &[(usize, usize)]) {
    let loads = body.instructions.iter().filter(|i| word(i).is_some()).count();
    if loads < 2 {
        return;
    }
    let alignment = alignments(body, costs);
    for &(from, to) in pieces {
        let mut written: HashMap<u32, usize> = HashMap::new();
        // Loads by base, as it was last written, and by what was stored before them.
        let mut groups: HashMap<(u32, usize, usize), Vec<(i64, usize)>> = HashMap::new();
        let mut stores = 0;
        let piece = body.instructions.iter().zip(costs.iter()).enumerate().take(to).skip(from);
        for (at, (instruction, cost)) in piece {
            if let Some((_, base, offset)) = word(instruction) {
                let version = written.get(&base).copied().unwrap_or(0);
                groups.entry((base, version, stores)).or_default().push((offset, at));
            } else if cost.kind == Kind::Access && !has(instruction, "global") {
                stores += 1;
            }
            for &register in &cost.defines {
                *written.entry(register).or_default() += 1;
            }
        }
        for ((base, ..), mut group) in groups {
            group.sort_unstable();
            let known = alignment.get(&base).copied().unwrap_or(0);
            join(body, costs, &group, 1 << known);
        }
    }
}

/// Joins loads of one base that is aligned to so many bytes, sixteen bytes at a time if possible, else eight.
fn join(body: &Body, costs: &mut [Cost], group: &[(i64, usize)], aligned: i64) {
    let mut next = 0;
    while next < group.len() {
        let (offset, first) = group[next];
        let bytes = word(&body.instructions[first]).map_or(4, |(bytes, ..)| bytes);
        let fits = |&wide: &i64| {
            let count = (wide / bytes) as usize;
            let follows = |k: usize| {
                let Some(&(other, at)) = group.get(next + k) else { return false };
                let same = word(&body.instructions[at]).is_some_and(|(size, ..)| size == bytes);
                same && other == offset + k as i64 * bytes
            };
            count > 1 && wide <= aligned && offset.rem_euclid(wide) == 0 && (1..count).all(follows)
        };
        let Some(wide) = [16, 8].into_iter().find(fits) else {
            next += 1;
            continue;
        };
        let all = &group[next..next + (wide / bytes) as usize];
        let leader = all.iter().map(|&(_, at)| at).min().unwrap_or(first);
        let brings = costs[leader].defines.clone();
        for at in all.iter().map(|&(_, at)| at).filter(|&at| at != leader) {
            let cost = &mut costs[at];
            (cost.kind, cost.pipe) = (Kind::Compute, Pipe::Free);
            (cost.slots, cost.uses_of_pipe, cost.depth) = (0.0, 0.0, 0.0);
            cost.uses.clone_from(&brings);
        }
        next += all.len();
    }
}

/// Of a load of one word from shared memory at a register: its bytes, the register and the offset.
fn word(instruction: &Instruction) -> Option<(i64, u32, i64)> {
    let plain = &*instruction.opcode == "ld" && has(instruction, "shared") && instruction.guard.is_none();
    let other = ["v2", "v4", "volatile", "relaxed", "acquire"].iter().any(|name| has(instruction, name));
    let bytes = match () {
        () if !plain || other => return None,
        () if ["b32", "u32", "s32", "f32"].iter().any(|name| has(instruction, name)) => 4,
        () if ["b64", "u64", "s64", "f64"].iter().any(|name| has(instruction, name)) => 8,
        () => return None,
    };
    match instruction.operands.get(1) {
        Some(Operand::Address(address)) => match &address.base {
            AddressBase::Register(register) => Some((bytes, register.0, address.offset)),
            _ => None,
        },
        _ => None,
    }
}

/// Powers of two that registers are multiples of, as far as their instructions show it.
fn alignments(body: &Body, costs: &[Cost]) -> HashMap<u32, u32> {
    let mut known: HashMap<u32, u32> = HashMap::new();
    for register in costs.iter().flat_map(|cost| &cost.defines) {
        known.insert(*register, MOST);
    }
    loop {
        let mut changed = false;
        for (instruction, cost) in body.instructions.iter().zip(costs) {
            for register in &cost.defines {
                let power = power(instruction, &known).min(known[register]);
                changed |= known.insert(*register, power) != Some(power);
            }
        }
        if !changed {
            return known;
        }
    }
}

/// The power of two that a result is a multiple of.
fn power(instruction: &Instruction, known: &HashMap<u32, u32>) -> u32 {
    let of_number = |value: u64| if value == 0 { MOST } else { value.trailing_zeros().min(MOST) };
    let of = |at: usize| match instruction.operands.get(at) {
        Some(Operand::Register(register)) => known.get(&register.0).copied().unwrap_or(0),
        Some(Operand::Integer(value)) => of_number(*value),
        Some(Operand::Symbol(_, offset)) => VARIABLE.min(of_number(*offset as u64)),
        _ => 0,
    };
    let shift = || match instruction.operands.get(2) {
        Some(Operand::Integer(value)) => *value as u32,
        _ => 0,
    };
    match &*instruction.opcode {
        "mov" | "cvta" | "cvt" => of(1),
        "add" | "sub" | "or" | "xor" => of(1).min(of(2)),
        "selp" => of(1).min(of(2)),
        "and" => of(1).max(of(2)),
        "mul" if !has(instruction, "hi") => (of(1) + of(2)).min(MOST),
        "mad" if !has(instruction, "hi") => (of(1) + of(2)).min(of(3)),
        "shl" => (of(1) + shift()).min(MOST),
        "shr" if matches!(instruction.operands.get(2), Some(Operand::Integer(_))) => of(1).saturating_sub(shift()),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use crate::code::Code;

    /// Machine instructions of the loads from shared memory.
    fn loads(body: &str) -> Vec<f64> {
        let text = format!(
            ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .shared .align 16 .b8 tile[4096];\n.reg .b32 %r<20>;\n.reg .f32 %f<20>;\n{body}\nret;\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid");
        let function = module.function("k").expect("the kernel");
        let all = function.body.as_ref().expect("a body").instructions.iter();
        let code = Code::new(function);
        all.zip(&code.costs).filter(|(i, _)| &*i.opcode == "ld").map(|(_, cost)| cost.slots).collect()
    }

    const FOUR: &str = "ld.shared.f32 %f1, [%r3];\nld.shared.f32 %f2, [%r3+4];\nld.shared.f32 %f3, [%r3+8];\n\
                        ld.shared.f32 %f4, [%r3+12];";

    #[test]
    fn neighbouring_words_at_an_aligned_base_are_one_load() {
        let base = |shift: u32| {
            format!(
                "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, {shift};\nmov.u32 %r4, tile;\nadd.u32 %r3, %r4, %r2;\n{FOUR}"
            )
        };
        assert_eq!(loads(&base(4)), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(loads(&base(3)), [1.0, 0.0, 1.0, 0.0], "pairs of words");
        assert_eq!(loads(&base(2)), [1.0, 1.0, 1.0, 1.0], "nothing is known of the base");
    }

    #[test]
    fn a_base_that_a_loop_changes_is_as_aligned_as_its_steps() {
        let body = |step: u32| format!("mov.u32 %r3, tile;\nL:\n{FOUR}\nadd.u32 %r3, %r3, {step};\nbra L;");
        assert_eq!(loads(&body(64)), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(loads(&body(8)), [1.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn stores_keep_loads_apart() {
        let body = "mov.u32 %r3, tile;\nld.shared.f32 %f1, [%r3];\nst.shared.f32 [%r3+4], %f1;\n\
                    ld.shared.f32 %f2, [%r3+4];";
        assert_eq!(loads(body), [1.0, 1.0]);
    }
}
