//! What a PTX instruction costs: the machine instructions that it becomes, the pipe that executes them, and how long
//! its result takes.
//!
//! Most become one. Copies between registers, parameters and negations become none: they are operands of others. A
//! product that only an addition uses, a shift that only an addition uses, and logic that only logic uses are one
//! instruction together with it. Division, remainders and roots are small programs.

use crate::{merge, spin, uniform};
use std::collections::HashMap;
use warpwise_ptx::ast::{AddressBase, Body, Function, Instruction, Operand, RegisterId};

/// The part of a multiprocessor that executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pipe {
    /// Single precision.
    Fp32,
    /// Integers and logic; comparisons.
    Int,
    /// Sums, products and shifts of integers: that of integers or that of single precision, at half its rate.
    Either,
    /// Double precision.
    Fp64,
    /// Special functions and the like.
    Special,
    /// Products of matrices.
    Tensor,
    /// Memory, and exchanges between lanes.
    Memory,
    /// None that could be busy.
    Free,
}

/// What an instruction is to the replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Computes.
    Compute,
    /// Reads or writes memory.
    Access,
    /// Exchanges values between lanes.
    Exchange,
    /// Waits for the block.
    Barrier,
    /// Waits for copies.
    CopyWait,
    /// Jumps.
    Jump,
    /// Orders memory.
    Fence,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    pub(crate) kind: Kind,
    pub(crate) pipe: Pipe,
    /// Machine instructions; 0 if it becomes part of another.
    pub(crate) slots: f64,
    /// Uses of the pipe; for tensor cores, products of half precision.
    pub(crate) uses_of_pipe: f64,
    /// How many times the pipe's latency its result takes.
    pub(crate) depth: f64,
    /// Whether a load goes through the first-level cache.
    pub(crate) cached: bool,
    /// Whether it may move before stores.
    pub(crate) read_only: bool,
    pub(crate) defines: Vec<u32>,
    pub(crate) uses: Vec<u32>,
    /// An atomic that is a loop of comparisons and exchanges.
    pub(crate) retries: bool,
    /// An atomic on numbers with a fraction.
    pub(crate) float_atomic: bool,
    /// An atomic at one address that one lane does for its warp.
    pub(crate) gathered: bool,
    /// An atomic that compares first.
    pub(crate) compares: bool,
    /// An access by rows of a matrix.
    pub(crate) matrix: bool,
    /// A small program with branches: nothing else of the warp is issued before its end.
    pub(crate) serial: bool,
    /// Machine instructions of the part that it would leave out if it were not predicated.
    pub(crate) skips: f64,
    /// An access to an array of the thread's own.
    pub(crate) local: bool,
    /// A store to shared memory.
    pub(crate) shares: bool,
    /// Accesses to local memory, for what has no register.
    pub(crate) spills: f64,
    /// A load of what other threads may be about to write.
    pub(crate) polls: bool,
    /// One in a loop that goes on until they have.
    pub(crate) waits: bool,
    /// A store of what other threads may be waiting for.
    pub(crate) tells: bool,
    /// One that passes on what such a loop has read.
    pub(crate) links: bool,
}

/// The instructions of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) costs: Vec<Cost>,
    /// Pieces that are executed as a whole: first instruction and one past the last.
    pub(crate) pieces: Vec<(usize, usize)>,
    /// Pieces whose rounds the source keeps apart, by their first instructions.
    pub(crate) apart: Vec<usize>,
    /// Registers.
    pub(crate) registers: usize,
}

impl Code {
    pub(crate) fn new(function: &Function) -> Self {
        let Some(body) = &function.body else { return Self::default() };
        let mut costs: Vec<Cost> = body.instructions.iter().map(cost).collect();
        let pieces = pieces(body);
        branch(body, &mut costs);
        fuse(body, &mut costs, &pieces);
        uniform::mark(body, &mut costs);
        spin::mark(body, &mut costs);
        merge::merge(body, &mut costs, &pieces);
        let registers = costs.iter().flat_map(|c| c.defines.iter().chain(&c.uses)).max().map_or(0, |r| *r as usize + 1);
        Self { costs, pieces, apart: Vec::new(), registers }
    }

    /// Notes the loops that `#pragma unroll 1` is about: the compiler writes it before their first instruction.
    pub(crate) fn keep_apart(&mut self, function: &Function, ptx: &str) {
        let Some(body) = &function.body else { return };
        let span = |at: usize| body.instructions.get(at).map(|instruction| &instruction.span);
        let said = |&(from, _): &(usize, usize)| {
            let start = from.checked_sub(1).and_then(span).map(|span| span.end as usize)?;
            let before = ptx.get(start..span(from)?.start as usize)?;
            before.contains("\"nounroll\"").then_some(from)
        };
        self.apart = self.pieces.iter().filter_map(said).collect();
    }
}

/// Pieces of code without jumps into or out of their middle.
fn pieces(body: &Body) -> Vec<(usize, usize)> {
    let count = body.instructions.len();
    let mut starts = vec![false; count + 1];
    starts[0] = true;
    for label in &body.labels {
        if let Some(start) = starts.get_mut(label.target as usize) {
            *start = true;
        }
    }
    for (at, instruction) in body.instructions.iter().enumerate() {
        if ends_piece(instruction) {
            starts[at + 1] = true;
        }
    }
    starts[count] = true;
    let marks: Vec<usize> = (0..=count).filter(|&at| starts[at]).collect();
    marks.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn ends_piece(instruction: &Instruction) -> bool {
    matches!(&*instruction.opcode, "bra" | "brx" | "ret" | "exit" | "call" | "bar" | "barrier" | "trap" | "mbarrier")
}

pub(crate) fn has(instruction: &Instruction, name: &str) -> bool {
    instruction.modifiers.iter().any(|m| &**m == name)
}

/// Machine instructions of a part that a jump leaves out, at most, for the assembler to predicate it instead: of any, and
/// of one that only computes.
const PREDICATED: f64 = 8.0;
const COMPUTED: f64 = 20.0;

/// What branches add. A part that only computes is executed in any case, with its guard, and there is no jump. Where lanes
/// may part otherwise, the assembler says before where they meet, and waits there: two instructions more. Copies within a
/// loop that give a register the value of one of several ways stay.
fn branch(body: &Body, costs: &mut [Cost]) {
    let mut made: HashMap<u32, usize> = HashMap::new();
    for register in costs.iter().flat_map(|cost| &cost.defines) {
        *made.entry(*register).or_default() += 1;
    }
    let loops = spin::loops(body);
    let leaves = |at: usize| body.instructions.get(at).is_none_or(|i| matches!(&*i.opcode, "ret" | "exit"));
    for (at, instruction) in body.instructions.iter().enumerate() {
        match &*instruction.opcode {
            "bra" if instruction.guard.is_some() && !has(instruction, "uni") => {
                let Some(Operand::Label(label)) = instruction.operands.first() else { continue };
                let target = body.labels.get(label.0 as usize).map_or(0, |label| label.target as usize);
                let part = costs.get(at + 1..target).unwrap_or_default();
                let left_out: f64 = part.iter().map(|cost| cost.slots).sum();
                let enters = body.labels.iter().any(|label| (at + 2..target).contains(&(label.target as usize)));
                let computes = part.iter().all(|cost| cost.kind == Kind::Compute && !cost.serial) && !enters;
                if computes && left_out > 0.0 && left_out <= COMPUTED {
                    let cost = &mut costs[at];
                    (cost.kind, cost.slots, cost.skips) = (Kind::Compute, 0.0, left_out);
                } else if left_out > PREDICATED && !leaves(target) {
                    costs[at].slots += 2.0;
                }
            }
            "mov" if costs[at].slots == 0.0 => {
                let several = costs[at].defines.iter().any(|register| made[register] > 1);
                if several && loops.iter().any(|&(from, to)| from <= at && at <= to) {
                    let cost = &mut costs[at];
                    (cost.pipe, cost.slots, cost.uses_of_pipe, cost.depth) = (Pipe::Either, 1.0, 1.0, 1.0);
                }
            }
            _ => {}
        }
    }
}

/// Marks instructions that become one with the only instruction that uses their result.
fn fuse(body: &Body, costs: &mut [Cost], pieces: &[(usize, usize)]) {
    let mut used: HashMap<u32, usize> = HashMap::new();
    for register in costs.iter().flat_map(|c| &c.uses) {
        *used.entry(*register).or_default() += 1;
    }
    for &(from, to) in pieces {
        let mut made: HashMap<u32, usize> = HashMap::new();
        for at in from..to {
            let user = &body.instructions[at];
            let joins = |maker: &Instruction| -> bool {
                match (&*maker.opcode, &*user.opcode) {
                    ("mul", "add" | "sub") => !has(maker, "f32") && !has(maker, "f64") && !has(maker, "hi"),
                    ("shl", "add") => true,
                    ("and" | "or" | "xor" | "not", "and" | "or" | "xor") => !has(user, "pred"),
                    ("shl" | "shr", "or") => true,
                    _ => false,
                }
            };
            let sources = costs[at].uses.clone();
            for source in sources {
                let Some(&maker) = made.get(&source) else { continue };
                let alone = used.get(&source) == Some(&1) && costs[maker].slots > 0.0;
                if alone && joins(&body.instructions[maker]) {
                    // A wide product takes the addition of 64 bits in; a shift by itself has two halves.
                    let (made, halves) = (&body.instructions[maker], has(user, "s64") || has(user, "u64"));
                    let slots = match &*made.opcode {
                        "mul" => costs[maker].slots,
                        "shl" if halves => 2.0,
                        _ => 1.0,
                    };
                    costs[maker].slots = 0.0;
                    costs[maker].uses_of_pipe = 0.0;
                    costs[maker].depth = 0.0;
                    costs[at].slots = slots.min(costs[at].slots.max(1.0));
                    break;
                }
            }
            for &register in &costs[at].defines {
                made.insert(register, at);
            }
        }
    }
}

pub(crate) fn collect(operand: &Operand, into: &mut Vec<u32>) {
    let push = |r: &RegisterId, into: &mut Vec<u32>| into.push(r.0);
    match operand {
        Operand::Register(r) | Operand::Not(r) | Operand::Part(r, _) => push(r, into),
        Operand::Minus(inner) => collect(inner, into),
        Operand::Pair(a, b) => {
            collect(a, into);
            collect(b, into);
        }
        Operand::Vector(all) | Operand::List(all) | Operand::Bracket(all) => all.iter().for_each(|o| collect(o, into)),
        Operand::Address(address) => {
            if let AddressBase::Register(r) = &address.base {
                push(r, into);
            }
        }
        _ => {}
    }
}

fn cost(instruction: &Instruction) -> Cost {
    let opcode = &*instruction.opcode;
    let stores = matches!(opcode, "st" | "red" | "stmatrix" | "bra" | "brx" | "bar" | "barrier" | "prefetch");
    let (mut defines, mut uses) = (Vec::new(), Vec::new());
    for (at, operand) in instruction.operands.iter().enumerate() {
        collect(operand, if at == 0 && !stores { &mut defines } else { &mut uses });
    }
    if opcode == "cp" {
        uses.append(&mut defines);
    }
    uses.extend(instruction.guard.map(|g| g.register.0));
    let (kind, pipe, slots, uses_of_pipe, depth) = price(instruction);
    let volatile = ["volatile", "relaxed", "acquire", "cg", "cv", "mmio"].iter().any(|m| has(instruction, m));
    Cost {
        kind,
        pipe,
        slots,
        uses_of_pipe,
        depth,
        cached: !volatile && !opcode.starts_with("st"),
        read_only: has(instruction, "nc") || has(instruction, "const") || has(instruction, "param"),
        defines,
        uses,
        retries: matches!(opcode, "atom" | "red") && has(instruction, "shared") && retries(instruction),
        polls: opcode == "ld" && ["volatile", "relaxed", "acquire"].iter().any(|m| has(instruction, m)),
        waits: false,
        tells: opcode == "st" && ["volatile", "relaxed", "release"].iter().any(|m| has(instruction, m)),
        links: false,
        float_atomic: matches!(opcode, "atom" | "red")
            && !has(instruction, "shared")
            && (has(instruction, "f32") || has(instruction, "f64")),
        gathered: false,
        compares: opcode == "atom" && has(instruction, "cas"),
        matrix: opcode == "wmma",
        serial: serial(instruction),
        skips: 0.0,
        local: matches!(opcode, "ld" | "st") && has(instruction, "local"),
        shares: opcode == "st" && has(instruction, "shared"),
        spills: 0.0,
    }
}

/// Atomics on shared memory that hardware has no instruction for.
fn retries(instruction: &Instruction) -> bool {
    has(instruction, "f32") || has(instruction, "f64") || has(instruction, "f16x2") || has(instruction, "u64")
}

/// Divisions and roots that look for special operands first.
fn serial(instruction: &Instruction) -> bool {
    let is = |name: &str| has(instruction, name);
    let accurate = is("f64") || is("f32") && !is("approx") && !is("full");
    match &*instruction.opcode {
        "div" | "rem" if is("u64") || is("s64") => true,
        "div" | "sqrt" | "rcp" | "rsqrt" => accurate,
        _ => false,
    }
}

/// Kind, pipe, machine instructions, uses of the pipe, latencies in a row.
fn price(instruction: &Instruction) -> (Kind, Pipe, f64, f64, f64) {
    use Kind::{Access, Barrier, Compute, CopyWait, Exchange, Fence, Jump};
    let is = |name: &str| has(instruction, name);
    let wide = is("u64") || is("s64") || is("b64");
    let double = is("f64");
    let single = is("f32");
    let float = single || is("f16") || is("f16x2") || is("bf16") || is("bf16x2");
    let accurate = !is("approx") && !is("full");
    let fine = |denormals: f64| if is("ftz") { 0.0 } else { denormals };
    let one = |pipe: Pipe| (Compute, pipe, 1.0, 1.0, 1.0);
    let nothing = (Compute, Pipe::Free, 0.0, 0.0, 0.0);
    match &*instruction.opcode {
        "ld" | "ldu" if is("param") => nothing,
        "st" if is("param") => nothing,
        "ld" if is("const") => (Compute, Pipe::Free, 0.3, 0.0, 1.0),
        "ld" | "ldu" | "st" | "atom" | "red" | "tex" | "ldmatrix" | "stmatrix" | "suld" | "sust" | "tld4" => {
            (Access, Pipe::Memory, 1.0, 1.0, 1.0)
        }
        "cp" if is("wait_group") || is("wait_all") => (CopyWait, Pipe::Free, 1.0, 0.0, 1.0),
        "cp" if instruction.operands.len() > 1 => (Access, Pipe::Memory, 1.0, 1.0, 1.0),
        "wmma" if is("load") || is("store") => (Access, Pipe::Memory, 1.0, 1.0, 1.0),
        // Four warps do it together.
        "wgmma" => match products(instruction) {
            Some(products) => (Compute, Pipe::Tensor, 1.0, products / 4.0, 1.0),
            None => (Compute, Pipe::Free, 1.0, 0.0, 1.0),
        },
        "mma" | "wmma" => match products(instruction) {
            Some(products) => (Compute, Pipe::Tensor, 1.0, products, 1.0),
            None => (Compute, Pipe::Free, 1.0, 0.0, 1.0),
        },
        "bar" if is("warp") => (Compute, Pipe::Free, 1.0, 0.0, 1.0),
        "barrier" if is("cluster") => (Fence, Pipe::Free, 1.0, 0.0, 1.0),
        "bar" | "barrier" if is("arrive") => (Compute, Pipe::Free, 1.0, 0.0, 1.0),
        "bar" | "barrier" => (Barrier, Pipe::Free, 1.0, 0.0, 1.0),
        "membar" | "fence" => (Fence, Pipe::Free, 1.0, 0.0, 1.0),
        "shfl" => (Exchange, Pipe::Memory, 1.0, 1.0, 1.0),
        "match" | "redux" => (Exchange, Pipe::Memory, 1.0, 2.0, 1.5),
        "vote" | "activemask" | "elect" => (Compute, Pipe::Int, 1.0, 1.0, 3.0),
        "bra" | "brx" => (Jump, Pipe::Free, 1.0, 0.0, 1.0),
        "call" => (Jump, Pipe::Free, 3.0, 0.0, 2.0),
        "ret" | "exit" | "trap" => (Jump, Pipe::Free, 1.0, 0.0, 1.0),
        "mov" | "cvta" => match instruction.operands.get(1) {
            Some(Operand::Special(name)) => special_register(&format!("{name:?}")),
            Some(Operand::Vector(_)) => nothing,
            _ => nothing,
        },
        "neg" | "abs" if float || double => nothing,
        "div" if double => (Compute, Pipe::Fp64, 26.0, 12.0, 20.0),
        "rcp" | "sqrt" | "rsqrt" if double => (Compute, Pipe::Fp64, 22.0, 10.0, 16.0),
        "div" if single && accurate => (Compute, Pipe::Special, 16.0, 1.0, 4.6),
        "div" if single => (Compute, Pipe::Special, 4.0, 1.0, 1.6),
        "sqrt" if single && accurate => (Compute, Pipe::Special, 10.0, 1.0, 4.2),
        "rcp" if single && accurate => (Compute, Pipe::Special, 7.0, 1.0, 2.0),
        "sqrt" if single => (Compute, Pipe::Special, 2.0 + fine(2.0), 1.0, 1.4),
        "rcp" | "rsqrt" | "ex2" | "lg2" => (Compute, Pipe::Special, 1.0 + fine(3.0), 1.0, 1.0 + fine(0.4)),
        "sin" | "cos" => (Compute, Pipe::Special, 2.0, 1.0, 1.2),
        "tanh" => one(Pipe::Special),
        "div" | "rem" if wide => (Compute, Pipe::Int, 100.0, 40.0, 60.0),
        // Three of its instructions are special: to a float, its reciprocal, and back.
        "div" | "rem" => (Compute, Pipe::Special, 16.0, 3.0, 6.0),
        "add" | "sub" | "mul" | "fma" | "mad" | "min" | "max" | "setp" | "set" if double => one(Pipe::Fp64),
        "min" | "max" if float => one(Pipe::Int),
        "cvt" if double => (Compute, Pipe::Special, 1.0, 1.0, 1.0),
        "cvt" if single && converts(instruction) => (Compute, Pipe::Special, 1.0, 0.5, 0.8),
        "cvt" if wide => nothing,
        "cvt" if single => one(Pipe::Int),
        "cvt" => (Compute, Pipe::Int, 0.5, 0.5, 1.0),
        "add" | "sub" | "mul" | "fma" | "mad" if float => one(Pipe::Fp32),
        "mul" | "mad" if is("wide") => (Compute, Pipe::Either, 1.0, 1.0, 1.0),
        "mul" | "mad" if wide && is("hi") => (Compute, Pipe::Either, 9.0, 9.0, 4.0),
        "mul" | "mad" if wide => (Compute, Pipe::Either, 4.0, 4.0, 2.5),
        "mul" if is("hi") => (Compute, Pipe::Either, 1.0, 2.0, 1.3),
        "add" | "sub" | "mul" | "mad" | "shl" if !wide => one(Pipe::Either),
        "add" | "sub" if wide => (Compute, Pipe::Either, 2.0, 2.0, 1.5),
        "min" | "max" | "setp" | "selp" if wide => (Compute, Pipe::Int, 2.0, 2.0, 1.5),
        "and" | "or" | "xor" | "not" if wide => (Compute, Pipe::Int, 2.0, 2.0, 1.0),
        "shl" | "shr" if wide => (Compute, Pipe::Int, 2.0, 2.0, 1.5),
        "popc" | "clz" | "bfind" | "brev" | "fns" => {
            (Compute, Pipe::Special, if wide { 3.0 } else { 1.0 }, if wide { 2.0 } else { 1.0 }, 0.8)
        }
        "and" | "or" | "xor" | "not" if is("pred") => (Compute, Pipe::Int, 0.5, 0.5, 1.0),
        "bfe" | "bfi" => (Compute, Pipe::Int, 2.0, 2.0, 2.0),
        "griddepcontrol" | "nop" | "pragma" | "isspacep" | "discard" | "prefetch" => {
            (Compute, Pipe::Free, 1.0, 0.0, 1.0)
        }
        "mbarrier" => (Compute, Pipe::Memory, 1.0, 1.0, 1.0),
        _ => one(Pipe::Int),
    }
}

/// Between a float and an integer: the first two types differ in kind.
fn converts(instruction: &Instruction) -> bool {
    let types: Vec<&str> = instruction.modifiers.iter().map(|m| &**m).filter(|m| m.len() <= 3).collect();
    types.iter().any(|t| t.starts_with(['u', 's'])) && types.iter().any(|t| t.starts_with('f'))
}

/// Reading where the thread is: the sizes of block and grid are operands.
fn special_register(name: &str) -> (Kind, Pipe, f64, f64, f64) {
    if name.to_ascii_lowercase().contains("ntid") || name.to_ascii_lowercase().contains("nctaid") {
        return (Kind::Compute, Pipe::Free, 0.0, 0.0, 0.0);
    }
    (Kind::Compute, Pipe::Int, 1.0, 1.0, 4.0)
}

/// Products of half precision that an instruction adds up: those of other types count as often as they take longer.
fn products(instruction: &Instruction) -> Option<f64> {
    let shape = instruction.modifiers.iter().find(|m| m.starts_with('m') && m.contains('n') && m.contains('k'))?;
    let number = |text: &str| text.parse::<f64>().ok();
    let (m, rest) = shape[1..].split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    let each = match () {
        () if has(instruction, "tf32") => 2.0,
        () if has(instruction, "f64") => 8.0,
        () if has(instruction, "s8") || has(instruction, "u8") || has(instruction, "e4m3") => 0.5,
        () => 1.0,
    };
    Some(number(m)? * number(n)? * number(k)? * each)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &str) -> Code {
        let text = format!(
            ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<20>;\n.reg .f64 %d<20>;\n{body}\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid");
        Code::new(module.function("k").expect("the kernel"))
    }

    fn slots(body: &str) -> Vec<f64> {
        code(body).costs.iter().map(|cost| cost.slots).collect()
    }

    #[test]
    fn copies_and_parameters_cost_nothing_and_addresses_one_instruction() {
        let body = "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %r2;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n\
                    ld.global.f32 %f1, [%rd3];\nneg.f32 %f2, %f1;\nadd.f32 %f3, %f2, %f1;\nret;";
        assert_eq!(slots(body), [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
        // A product that is used twice stays.
        let twice = "mul.lo.u32 %r1, %r2, %r3;\nadd.u32 %r4, %r1, %r2;\nadd.u32 %r5, %r1, %r3;\nret;";
        assert_eq!(slots(twice), [1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn pipes_follow_from_types() {
        let body = "fma.rn.f32 %f1, %f2, %f3, %f1;\nfma.rn.f64 %d1, %d2, %d3, %d1;\nand.b32 %r1, %r2, %r3;\n\
                    rsqrt.approx.ftz.f32 %f4, %f1;\nmad.lo.u32 %r4, %r1, %r2, %r3;\nmin.f32 %f5, %f1, %f2;\nret;";
        let pipes: Vec<Pipe> = code(body).costs.iter().map(|cost| cost.pipe).collect();
        use Pipe::{Either, Fp32, Fp64, Free, Int, Special};
        assert_eq!(pipes, [Fp32, Fp64, Int, Special, Either, Int, Free]);
    }

    #[test]
    fn products_of_matrices_count_their_elements() {
        let body = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, \
                    {%r5,%r6}, {%f1,%f2,%f3,%f4};\nret;";
        let code = code(body);
        assert_eq!((code.costs[0].pipe, code.costs[0].uses_of_pipe), (Pipe::Tensor, 2048.0));
    }

    #[test]
    fn a_jump_over_much_says_where_lanes_meet() {
        let skip = |skipped: &str| slots(&format!("@%p1 bra L;\n{skipped}\nL:\nadd.u32 %r1, %r1, 1;\nret;"))[0];
        assert_eq!(skip("and.b32 %r2, %r3, %r4;"), 0.0, "so little is predicated");
        assert_eq!(skip("ld.global.u32 %r2, [%rd1];"), 1.0);
        assert_eq!(skip("rem.u64 %rd2, %rd3, %rd4;"), 3.0);
    }

    #[test]
    fn copies_that_choose_a_value_stay_in_loops() {
        let body = "mov.u32 %r1, 0;\nmov.u32 %r4, 1;\nL:\nmov.u32 %r2, %r1;\n@%p1 bra M;\nmov.u32 %r2, %r4;\nM:\n\
                    add.u32 %r1, %r1, %r2;\n@%p2 bra L;\nret;";
        assert_eq!(slots(body), [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn pieces_end_at_jumps_labels_and_barriers() {
        let body =
            "mov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 1;\nbar.sync 0;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\nret;";
        assert_eq!(code(body).pieces, [(0, 1), (1, 3), (3, 5), (5, 6)]);
    }
}
