//! Updates: a value that is loaded, changed and stored where it came from, or that decides whether another one is stored
//! there. Threads that do so at the same address lose each other's changes, and no barrier helps: it takes an atomic.

use std::collections::{HashMap, HashSet};

use warpwise_ptx::ast::{Address, AddressBase, Instruction, Operand, RegisterId, ScalarType};

use super::rounds::loop_around;
use crate::image::event::Event;
use crate::program::Program;

/// Instructions that are followed from a store back to the load.
const STEPS: usize = 64;
/// Instructions between a load and its store.
const REACH: usize = 4096;

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
    /// It is replaced if a comparison says so.
    Replace,
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
    let mut updates = updates(&body.instructions);
    for update in &mut updates {
        let store = start + update.store;
        update.loads.retain(|&load| reaches(program, function, start + load, store));
    }
    updates.retain(|update| !update.loads.is_empty());
    let of = |pc: u32| updates.iter().find(|u| u.store == pc - start || u.loads.contains(&(pc - start)));
    let (first, second) = (of(pc)?, of(other)?);
    let (low, high) = (pc.min(other), pc.max(other));
    let again = first.store != second.store || loop_around(program, function, low, high).is_some();
    if again && is_threads_own(&body.instructions, first.store) {
        // Each thread changes an element of its own, and another one in the next round: it is a barrier that is missing.
        return None;
    }
    let ty = scalar(body.instructions.get(first.store as usize)?)?;
    let float = matches!(ty, ScalarType::F32 | ScalarType::F64);
    let change = if first.change == second.change { first.change } else { Change::Other };
    if change == Change::Replace && first.store != second.store {
        // Threads may well exchange elements under conditions, with barriers between them.
        return None;
    }
    Some(match change {
        Change::Or if ty.bytes() < 4 => "a 32-bit element and atomicOr()",
        Change::And if ty.bytes() < 4 => "a 32-bit element and atomicAnd()",
        _ if ty.bytes() < 4 => "a 32-bit element and an atomic such as atomicAdd()",
        Change::Replace if !float => "atomicMax(), atomicMin() or atomicCAS()",
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

/// Whether one instruction of a function can lead to another, with no barrier between them.
fn reaches(program: &Program, function: u32, from: u32, to: u32) -> bool {
    let code = &program.image.functions[function as usize];
    let Some((start, body)) = code.start.zip(program.module().functions[function as usize].body.as_ref()) else {
        return false;
    };
    let mut seen = HashSet::new();
    let mut todo = vec![from + 1];
    while let Some(pc) = todo.pop() {
        if pc == to {
            return true;
        }
        if pc >= code.end || seen.len() > REACH || !seen.insert(pc) {
            continue;
        }
        let i = &body.instructions[(pc - start) as usize];
        let goes_on = match &program.events[pc as usize] {
            Event::Barrier(_) => false,
            Event::Exit | Event::Return => i.guard.is_some(),
            _ if &*i.opcode == "bra" => {
                todo.push(program.code[pc as usize].imm as u32);
                i.guard.is_some()
            }
            _ => true,
        };
        if goes_on {
            todo.push(pc + 1);
        }
    }
    false
}

/// Whether the address of an instruction comes from the thread's index alone, and not from data.
fn is_threads_own(code: &[Instruction], at: u32) -> bool {
    let mut todo = match code[at as usize].operands.first() {
        Some(Operand::Address(Address { base: AddressBase::Register(base), .. })) => vec![*base],
        _ => return false,
    };
    let mut seen = HashSet::new();
    let mut indexed = false;
    while let Some(register) = todo.pop() {
        if !seen.insert(register) || seen.len() > STEPS {
            continue;
        }
        for i in code.iter().filter(|i| i.operands.first() == Some(&Operand::Register(register)) && &*i.opcode != "st")
        {
            if &*i.opcode == "ld" && !i.modifiers.iter().any(|m| &**m == "param") {
                return false;
            }
            for source in i.operands.iter().skip(1) {
                match source {
                    Operand::Register(id) => todo.push(*id),
                    Operand::Special(name) => indexed |= name.starts_with("tid.") || &**name == "laneid",
                    _ => {}
                }
            }
        }
    }
    indexed
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
        if search.loads.is_empty() {
            let loads = search.deciding(at);
            return (!loads.is_empty()).then_some(Update { store: at, loads, change: Change::Replace });
        }
        let change = match &search.changes[..] {
            [first, rest @ ..] if rest.iter().all(|change| change == first) => *first,
            _ => Change::Other,
        };
        Some(Update { store: at, loads: search.loads, change })
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
    /// The loads at the address that decide whether a store is made: a guard or a branch before it depends on them, and
    /// no barrier comes between.
    fn deciding(mut self, store: u32) -> Vec<u32> {
        let is_barrier = |&at: &u32| matches!(&*self.code[at as usize].opcode, "bar" | "barrier");
        let before = (0..=store).rev().take(STEPS).take_while(|at| !is_barrier(at));
        let from = before.clone().last().unwrap_or(store);
        let decides = |&at: &u32| at == store || &*self.code[at as usize].opcode == "bra";
        let guards: Vec<RegisterId> =
            before.filter(decides).filter_map(|at| Some(self.code[at as usize].guard?.register)).collect();
        self.steps = STEPS;
        for guard in guards {
            self.follow(guard);
        }
        self.loads.retain(|load| (from..store).contains(load));
        self.loads
    }

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

    fn kernel(code: &str) -> Program {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<3>;\n\
             .reg .b16 %rs<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n{code}\nret;\n}}\n"
        );
        Program::load(&text).expect("valid PTX")
    }

    /// What is said of the first load and the last store of a kernel.
    fn said(code: &str) -> Option<&'static str> {
        let program = kernel(code);
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
        let byte = "ld.shared.u8 %rs1, [%r1]; OP %rs2, %rs1, 1; st.shared.u8 [%r1], %rs2;";
        let of_bytes = |change: &str| said(&byte.replace("OP", change));
        assert_eq!(of_bytes("add.s16"), Some("a 32-bit element and an atomic such as atomicAdd()"));
        assert_eq!(of_bytes("or.b16"), Some("a 32-bit element and atomicOr()"));
    }

    #[test]
    fn what_is_not_on_the_way_to_the_store_is_no_part_of_an_update() {
        // One register has the loaded value or, in another thread, the stored one.
        let phi = "@%p1 bra L; ld.global.u32 %r1, [%rd2]; st.shared.u32 [%r5], %r1; bra M; \
                   L: ld.shared.u32 %r1, [%r5]; M: add.u32 %r2, %r1, 1;";
        let program = kernel(phi);
        assert_eq!(atomic(&program, 2, 4), None);
    }

    #[test]
    fn elements_of_a_threads_own_need_no_atomic() {
        let tree = "mov.u32 %r6, %tid.x; shl.b32 %r5, %r6, 2; L: ld.shared.u32 %r1, [%r5]; add.u32 %r2, %r1, 1; \
                    st.shared.u32 [%r5], %r2; shl.b32 %r5, %r5, 1; BACK";
        assert_eq!(said(&tree.replace("BACK", "@%p1 bra L;")), None, "the next round is of other elements");
        assert_eq!(said(&tree.replace("BACK", "")), Some("atomicAdd()"), "two threads have one index");
        let data = tree.replace("mov.u32 %r6, %tid.x;", "ld.global.u32 %r6, [%rd1];").replace("BACK", "@%p1 bra L;");
        let program = kernel(&data);
        assert_eq!(atomic(&program, 2, 4), Some("atomicAdd()"), "the index is data");
    }

    #[test]
    fn a_value_that_decides_over_its_own_replacement() {
        let best =
            "ld.global.u32 %r1, [%rd1]; setp.le.u32 %p1, %r2, %r1; @%p1 bra L; BAR st.global.u32 [%rd1], %r2; L:";
        assert_eq!(said(&best.replace("BAR", "")), Some("atomicMax(), atomicMin() or atomicCAS()"));
        assert_eq!(said(&best.replace("BAR", "bar.sync 0;")), None, "a barrier is between");
        let guarded = "ld.global.f32 %f1, [%rd1]; setp.gt.f32 %p1, %f2, %f1; @%p1 st.global.f32 [%rd1], %f2;";
        assert_eq!(said(guarded), Some("atomicCAS() in a loop"));
        let other = "ld.global.u32 %r1, [%rd2]; setp.le.u32 %p1, %r2, %r1; @%p1 bra L; st.global.u32 [%rd1], %r2; L:";
        assert_eq!(said(other), None, "what decides is elsewhere");
        let exchange = "ld.shared.u32 %r1, [%r5]; ld.shared.u32 %r2, [%r5+4]; setp.le.u32 %p1, %r1, %r2; @%p1 bra L; \
                        st.shared.u32 [%r5], %r2; st.shared.u32 [%r5+4], %r1; L:";
        assert_eq!(said(exchange), None, "the first load and the last store are of two elements");
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
