//! Updates: a value that is loaded, changed and stored where it came from. Threads that do so at the same address lose
//! each other's changes, and no barrier helps: it takes an atomic.

use std::collections::HashMap;

use warpwise_ptx::ast::{Instruction, Operand, RegisterId, ScalarType};

use crate::program::Program;

/// Instructions that are followed from a store back to the load.
const STEPS: usize = 64;

/// What is done to the loaded value before it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Add,
    Subtract,
    Max,
    Min,
    Or,
    And,
    Xor,
    /// Anything else.
    Other,
}

/// A store and the loads that it depends on, all at one address of a thread.
#[derive(Clone, Debug)]
struct Update {
    store: u32,
    loads: Vec<u32>,
    change: Change,
}

/// If both instructions are part of updates: what does the same safely.
pub(super) fn atomic(program: &Program, pc: u32, other: u32) -> Option<&'static str> {
    let function = program.image.origins.get(pc as usize)?.function;
    if program.image.origins.get(other as usize)?.function != function {
        return None;
    }
    let start = program.image.functions[function as usize].start?;
    let body = program.module().functions.get(function as usize)?.body.as_ref()?;
    let updates = updates(&body.instructions);
    let of = |pc: u32| updates.iter().find(|u| u.store == pc - start || u.loads.contains(&(pc - start)));
    let (first, second) = (of(pc)?, of(other)?);
    let ty = scalar(body.instructions.get(first.store as usize)?)?;
    let float = matches!(ty, ScalarType::F32 | ScalarType::F64);
    let change = if first.change == second.change { first.change } else { Change::Other };
    Some(match change {
        _ if ty.bytes() < 4 => "a 32-bit element and an atomic such as atomicAdd()",
        Change::Add => "atomicAdd()",
        Change::Subtract if float => "atomicAdd() of the negative value",
        Change::Subtract => "atomicSub()",
        Change::Max if !float => "atomicMax()",
        Change::Min if !float => "atomicMin()",
        Change::Or => "atomicOr()",
        Change::And => "atomicAnd()",
        Change::Xor => "atomicXor()",
        _ => "atomicCAS() in a loop",
    })
}

/// The type that an instruction works on: the last of its modifiers that is one.
fn scalar(i: &Instruction) -> Option<ScalarType> {
    i.modifiers.iter().rev().find_map(|m| ScalarType::parse(m))
}

/// The updates of a function.
fn updates(code: &[Instruction]) -> Vec<Update> {
    let mut definitions: HashMap<RegisterId, Vec<u32>> = HashMap::new();
    for (at, i) in (0..).zip(code) {
        if let Some(Operand::Register(id)) = i.operands.first().filter(|_| &*i.opcode != "st") {
            definitions.entry(*id).or_default().push(at);
        }
    }
    let of = |(at, i): (u32, &Instruction)| {
        let [address, Operand::Register(value)] = &i.operands[..] else { return None };
        let mut search = Search {
            code,
            definitions: &definitions,
            address,
            path: Vec::new(),
            steps: STEPS,
            loads: Vec::new(),
            changes: Vec::new(),
        };
        search.follow(*value);
        let change = match &search.changes[..] {
            [first, rest @ ..] if rest.iter().all(|change| change == first) => *first,
            _ => Change::Other,
        };
        (!search.loads.is_empty()).then_some(Update { store: at, loads: search.loads, change })
    };
    (0..).zip(code).filter(|(_, i)| &*i.opcode == "st").filter_map(of).collect()
}

/// The search for the loads at an address that a value depends on.
struct Search<'c> {
    code: &'c [Instruction],
    /// Where each register is written.
    definitions: &'c HashMap<RegisterId, Vec<u32>>,
    address: &'c Operand,
    /// What happens to the value between here and the store.
    path: Vec<Change>,
    steps: usize,
    loads: Vec<u32>,
    changes: Vec<Change>,
}

impl Search<'_> {
    /// Follows a register back. Loops lead back to where the search has been; the number of steps ends that.
    fn follow(&mut self, register: RegisterId) {
        for &at in self.definitions.get(&register).into_iter().flatten() {
            let Some(left) = self.steps.checked_sub(1) else { return };
            self.steps = left;
            let i = &self.code[at as usize];
            if &*i.opcode == "ld" {
                if i.operands.get(1) == Some(self.address) {
                    self.loads.push(at);
                    self.changes.extend_from_slice(&self.path);
                }
                continue;
            }
            for (n, source) in i.operands.iter().skip(1).enumerate() {
                let Operand::Register(id) = source else { continue };
                let depth = self.path.len();
                self.path.extend(change(i, n));
                self.follow(*id);
                self.path.truncate(depth);
            }
        }
    }
}

/// What an instruction does to its source of that number; nothing if it only moves it.
fn change(i: &Instruction, source: usize) -> Option<Change> {
    Some(match (&*i.opcode, source) {
        ("mov" | "cvt", _) => return None,
        ("add", _) | ("mad" | "fma", 2) => Change::Add,
        ("sub", 0) => Change::Subtract,
        ("max", _) => Change::Max,
        ("min", _) => Change::Min,
        ("or", _) => Change::Or,
        ("and", _) => Change::And,
        ("xor", _) => Change::Xor,
        _ => Change::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of the first load and the last store of a kernel.
    fn said(code: &str) -> Option<&'static str> {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<3>;\n\
             .reg .b16 %rs<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n{code}\nret;\n}}\n"
        );
        let program = Program::load(&text).expect("valid PTX");
        let code = &program.module().functions[0].body.as_ref().expect("a body").instructions;
        let load = code.iter().position(|i| &*i.opcode == "ld").expect("a load") as u32;
        let store = code.iter().rposition(|i| &*i.opcode == "st").expect("a store") as u32;
        assert_eq!(atomic(&program, load, store), atomic(&program, store, load));
        atomic(&program, store, load)
    }

    #[test]
    fn the_atomic_is_that_of_the_change() {
        for (change, expected) in [
            ("add.s32 %r2, %r1, 1;", "atomicAdd()"),
            ("add.s32 %r3, %r1, %r4; add.s32 %r2, %r5, %r3;", "atomicAdd()"),
            ("sub.s32 %r2, %r1, %r4;", "atomicSub()"),
            ("mad.lo.s32 %r2, %r4, %r5, %r1;", "atomicAdd()"),
            ("max.s32 %r2, %r1, %r4;", "atomicMax()"),
            ("min.u32 %r2, %r4, %r1;", "atomicMin()"),
            ("or.b32 %r2, %r1, %r4;", "atomicOr()"),
            ("mul.lo.s32 %r2, %r1, 3;", "atomicCAS() in a loop"),
            ("add.s32 %r3, %r1, 1; mul.lo.s32 %r2, %r3, 3;", "atomicCAS() in a loop"),
            ("sub.s32 %r2, %r4, %r1;", "atomicCAS() in a loop"),
        ] {
            let code = format!("ld.global.u32 %r1, [%rd1+4]; {change} st.global.u32 [%rd1+4], %r2;");
            assert_eq!(said(&code), Some(expected), "{change}");
        }
        let float = "ld.global.f32 %f1, [%rd1]; OP.f32 %f2, %f1, %f3; st.global.f32 [%rd1], %f2;";
        assert_eq!(said(&float.replace("OP", "add")), Some("atomicAdd()"));
        assert_eq!(said(&float.replace("OP", "max")), Some("atomicCAS() in a loop"));
        let byte = "ld.shared.u8 %rs1, [%r1]; add.s16 %rs2, %rs1, 1; st.shared.u8 [%r1], %rs2;";
        assert_eq!(said(byte), Some("a 32-bit element and an atomic such as atomicAdd()"));
    }

    #[test]
    fn other_stores_are_no_updates() {
        let elsewhere = "ld.global.u32 %r1, [%rd1]; add.s32 %r2, %r1, 1; st.global.u32 [%rd2], %r2;";
        assert_eq!(said(elsewhere), None);
        assert_eq!(said("ld.global.u32 %r1, [%rd1]; add.s32 %r2, %r3, 1; st.global.u32 [%rd1], %r2;"), None);
        let neighbour = "ld.shared.u32 %r1, [%r5+4]; ld.shared.u32 %r2, [%r5]; add.s32 %r3, %r1, %r2; \
                         st.shared.u32 [%r5], %r3;";
        assert_eq!(said(neighbour), None, "the first load is of another thread's element");
        let looping = "L: ld.global.u32 %r1, [%rd1]; add.s32 %r2, %r2, %r1; add.s32 %r3, %r3, %r2; mov.u32 %r2, %r3; \
                       @%p1 bra L; st.global.u32 [%rd2], %r2;";
        assert_eq!(said(looping), None);
    }
}
