//! What the PTX of a kernel adds to the counters: kinds of instructions, loops, and which of them work on data.
//!
//! It is all read from the text in program order, without building a graph: compilers lay out loops as a label
//! followed by a branch back to it, and give every value a register of its own.

use std::collections::HashSet;
use warpwise_gpu::{Counters, InstructionProfile, Profile};
use warpwise_ptx::LineIndex;
use warpwise_ptx::ast::{AddressBase, Body, Function, Instruction, Operand, RegisterId, SourceLine};

/// What an instruction does, as far as its cost goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Computes.
    Arithmetic,
    /// Copies, converts, selects, compares.
    Move,
    /// Jumps, calls, ends.
    Control,
    /// Waits for the block.
    Barrier,
    /// Waits for the warp, orders memory.
    Order,
    /// Reads global or local memory.
    GlobalLoad,
    /// Writes global or local memory.
    GlobalStore,
    /// Reads shared memory.
    SharedLoad,
    /// Writes shared memory.
    SharedStore,
    /// Atomics on global memory.
    GlobalAtomic,
    /// Atomics on shared memory.
    SharedAtomic,
    /// Reads parameters and constants.
    Constant,
    /// Exchanges values between lanes.
    Exchange,
}

/// Units of a multiprocessor that have fewer lanes than others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// No scarce unit.
    Plain,
    /// Double precision.
    Double,
    /// Special functions.
    Special,
}

/// An instruction with what it did.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) ptx_line: u32,
    pub(crate) source: Option<SourceLine>,
    pub(crate) class: Class,
    pub(crate) unit: Unit,
    /// Issue slots: the number of GPU instructions that it becomes.
    pub(crate) slots: f64,
    /// Whether it computes on data from memory, or passes results on.
    pub(crate) works: bool,
    /// Whether a warp executes it while waiting for loads: it is in a loop with loads and needs none of them.
    pub(crate) hidden: bool,
    /// The innermost loop.
    pub(crate) inner: Option<usize>,
    pub(crate) counters: Counters,
    /// Writes and reads of registers, in one function.
    defines: Vec<RegisterId>,
    uses: Vec<RegisterId>,
    /// Of an access that writes: the values, not the address.
    values: Vec<RegisterId>,
    /// The function, by number.
    function: usize,
    /// A branch, and what decides it.
    guard: Option<RegisterId>,
    branches: bool,
}

/// A kernel's instructions, including those of the functions it calls.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) steps: Vec<Step>,
    /// First and last step of every loop.
    pub(crate) loops: Vec<(usize, usize)>,
}

impl Code {
    /// Joins counters with the text that they belong to.
    pub(crate) fn new(profile: &Profile, module: &warpwise_ptx::ast::Module, lines: &LineIndex) -> Self {
        let mut code = Self { steps: Vec::new(), loops: Vec::new() };
        let mut done: Vec<&str> = Vec::new();
        for entry in &profile.instructions {
            if done.contains(&&*entry.function) {
                continue;
            }
            done.push(&entry.function);
            let of_function = profile.instructions.iter().filter(|i| i.function == entry.function);
            if let Some(function) = module.function(&entry.function) {
                code.add(done.len() - 1, function, &of_function.collect::<Vec<_>>(), lines);
            }
        }
        code
    }

    fn add(&mut self, number: usize, function: &Function, counted: &[&InstructionProfile], lines: &LineIndex) {
        let Some(body) = &function.body else { return };
        let first = self.steps.len();
        let mut counted = counted.iter().peekable();
        for instruction in &body.instructions {
            let ptx_line = lines.line_column(instruction.span.start).0;
            // Both are in program order; instructions that were never reached have no counters.
            while counted.peek().is_some_and(|c| c.ptx_line < ptx_line) {
                counted.next();
            }
            let counters = counted.next_if(|c| c.ptx_line == ptx_line).map_or_else(Counters::default, |c| c.counters);
            self.steps.push(step(number, instruction, ptx_line, counters));
        }
        self.find_loops(body, first);
        self.find_work(first);
    }

    /// A branch back makes a loop.
    fn find_loops(&mut self, body: &Body, first: usize) {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (at, instruction) in body.instructions.iter().enumerate() {
            for operand in instruction.operands.iter().filter(|_| &*instruction.opcode == "bra") {
                let Operand::Label(label) = operand else { continue };
                let target = body.labels[label.0 as usize].target as usize;
                if target <= at {
                    match found.iter_mut().find(|(head, _)| *head == first + target) {
                        Some((_, end)) => *end = (*end).max(first + at),
                        None => found.push((first + target, first + at)),
                    }
                }
            }
        }
        let base = self.loops.len();
        for (at, step) in self.steps.iter_mut().enumerate().skip(first) {
            let around = found.iter().enumerate().filter(|(_, (head, end))| (*head..=*end).contains(&at));
            step.inner = around.min_by_key(|(_, (head, end))| end - head).map(|(i, _)| base + i);
        }
        self.loops.extend(found);
    }

    /// Registers whose values are stored or passed on, and those that such values are computed from: a kernel may make
    /// its data from nothing but indices.
    fn results(&self, first: usize) -> HashSet<RegisterId> {
        use Class::{Exchange, GlobalAtomic, GlobalStore, SharedAtomic, SharedStore};
        let mut results: HashSet<RegisterId> = HashSet::new();
        for step in &self.steps[first..] {
            if matches!(step.class, GlobalStore | SharedStore | GlobalAtomic | SharedAtomic | Exchange) {
                results.extend(&step.values);
            }
        }
        loop {
            let before = results.len();
            for step in self.steps[first..].iter().rev() {
                let computes = matches!(step.class, Class::Arithmetic | Class::Move);
                if computes && step.defines.iter().any(|r| results.contains(r)) {
                    results.extend(&step.uses);
                }
            }
            if results.len() == before {
                return results;
            }
        }
    }

    /// Marks the steps that work on data: arithmetic on values from memory, or whose results are stored, passing values
    /// on, and storing results.
    fn find_work(&mut self, first: usize) {
        let results = self.results(first);
        let mut data: HashSet<RegisterId> = HashSet::new();
        let brings = |class| {
            use Class::{Exchange, GlobalAtomic, GlobalLoad, SharedAtomic, SharedLoad};
            matches!(class, GlobalLoad | SharedLoad | GlobalAtomic | SharedAtomic | Exchange)
        };
        loop {
            let before = data.len();
            for step in &self.steps[first..] {
                if brings(step.class) || step.uses.iter().any(|r| data.contains(r)) {
                    data.extend(&step.defines);
                }
            }
            if data.len() == before {
                break;
            }
        }
        let loading: HashSet<usize> =
            self.steps[first..].iter().filter(|s| s.class == Class::GlobalLoad).filter_map(|s| s.inner).collect();
        for step in &mut self.steps[first..] {
            let plain = matches!(step.class, Class::Arithmetic | Class::Move | Class::Control);
            let apart = !step.uses.iter().any(|r| data.contains(r));
            step.hidden = plain && apart && step.inner.is_some_and(|l| loading.contains(&l));
            step.works = match step.class {
                Class::Arithmetic => !apart || step.inner.is_some() && step.defines.iter().any(|r| results.contains(r)),
                Class::GlobalStore | Class::GlobalAtomic | Class::SharedAtomic | Class::Exchange => true,
                _ => false,
            };
        }
    }

    /// The steps in the same loop that decide a branch, without the branch itself.
    pub(crate) fn decided_by(&self, branch: usize) -> Vec<usize> {
        let step = &self.steps[branch];
        let Some(guard) = step.guard.filter(|_| step.branches) else { return Vec::new() };
        let mut wanted = vec![guard];
        let mut slice = Vec::new();
        for at in (0..branch).rev() {
            let before = &self.steps[at];
            if before.function != step.function || before.inner != step.inner {
                break;
            }
            if before.class != Class::GlobalLoad && before.defines.iter().any(|r| wanted.contains(r)) {
                slice.push(at);
                wanted.extend(&before.uses);
            }
        }
        slice
    }

    /// Loads from global memory that a thread has in flight at once, on average. Loads of a straight piece of code
    /// count as together unless one needs another's result for its address; a piece goes on past a branch until
    /// something uses a value that is still in flight.
    pub(crate) fn loads_together(&self) -> f64 {
        let (mut loads, mut batches) = (0.0, 0.0);
        let (mut count, mut weight) = (0.0, 0.0f64);
        let mut pending: HashSet<RegisterId> = HashSet::new();
        let mut used = false;
        let close = |count: &mut f64, weight: &mut f64, loads: &mut f64, batches: &mut f64| {
            *loads += *count * *weight;
            *batches += *weight;
            (*count, *weight) = (0.0, 0.0);
        };
        for step in &self.steps {
            let uses = step.uses.iter().any(|r| pending.contains(r));
            if step.class == Class::GlobalLoad && step.counters.global_load_requests > 0 {
                if uses {
                    close(&mut count, &mut weight, &mut loads, &mut batches);
                    pending.clear();
                    used = false;
                }
                count += 1.0;
                weight = weight.max(step.counters.global_load_requests as f64);
                pending.extend(&step.defines);
                continue;
            }
            if uses {
                used = true;
                pending.extend(&step.defines);
            }
            let ends = matches!(step.class, Class::Control | Class::Barrier);
            if ends && (used || step.class == Class::Barrier) {
                close(&mut count, &mut weight, &mut loads, &mut batches);
                pending.clear();
                used = false;
            }
        }
        close(&mut count, &mut weight, &mut loads, &mut batches);
        if batches > 0.0 { loads / batches } else { 1.0 }
    }

    /// Sums something over the steps.
    pub(crate) fn sum(&self, value: impl Fn(&Step) -> f64) -> f64 {
        self.steps.iter().map(value).sum()
    }
}

impl Step {
    /// Warps that reached it.
    pub(crate) fn warps(&self) -> f64 {
        self.counters.warp_instructions as f64
    }

    /// Threads that reached it.
    pub(crate) fn threads(&self) -> f64 {
        self.counters.thread_instructions as f64
    }

    /// Total issue slots that it took.
    pub(crate) fn issued(&self) -> f64 {
        self.warps() * self.slots
    }
}

fn step(function: usize, instruction: &Instruction, ptx_line: u32, counters: Counters) -> Step {
    let class = classify(instruction, &counters);
    let (mut defines, mut uses) = (Vec::new(), Vec::new());
    let writes = !matches!(class, Class::GlobalStore | Class::SharedStore | Class::Control | Class::Barrier)
        && &*instruction.opcode != "red";
    for (at, operand) in instruction.operands.iter().enumerate() {
        collect(operand, if at == 0 && writes { &mut defines } else { &mut uses });
    }
    let mut values = Vec::new();
    instruction.operands.iter().skip(1).for_each(|operand| {
        if !matches!(operand, Operand::Address(_)) {
            collect(operand, &mut values);
        }
    });
    uses.extend(instruction.guard.map(|g| g.register));
    let (slots, unit) = cost(instruction);
    Step {
        ptx_line,
        source: instruction.line,
        class,
        unit,
        slots,
        works: false,
        hidden: false,
        inner: None,
        counters,
        defines,
        uses,
        values,
        function,
        guard: instruction.guard.map(|g| g.register),
        branches: &*instruction.opcode == "bra",
    }
}

fn collect(operand: &Operand, into: &mut Vec<RegisterId>) {
    match operand {
        Operand::Register(r) | Operand::Not(r) | Operand::Part(r, _) => into.push(*r),
        Operand::Minus(inner) => collect(inner, into),
        Operand::Pair(a, b) => {
            collect(a, into);
            collect(b, into);
        }
        Operand::Vector(all) | Operand::List(all) | Operand::Bracket(all) => {
            all.iter().for_each(|o| collect(o, into));
        }
        Operand::Address(address) => {
            if let AddressBase::Register(r) = address.base {
                into.push(r);
            }
        }
        _ => {}
    }
}

fn classify(instruction: &Instruction, c: &Counters) -> Class {
    let is = |name: &str| instruction.modifiers.iter().any(|m| &**m == name);
    // A generic access is classified by its counters.
    let shared = is("shared") || is("shared::cta") || c.shared_load_requests + c.shared_store_requests > 0;
    match &*instruction.opcode {
        "ld" | "ldu" if is("param") || is("const") => Class::Constant,
        "st" if is("param") => Class::Move,
        "ld" | "ldu" | "tex" | "ldmatrix" if shared => Class::SharedLoad,
        "ldmatrix" => Class::SharedLoad,
        "ld" | "ldu" | "tex" => Class::GlobalLoad,
        "st" | "stmatrix" if shared => Class::SharedStore,
        "st" => Class::GlobalStore,
        "cp" if is("async") && instruction.operands.len() > 1 => Class::GlobalLoad,
        "atom" | "red" if is("shared") || is("shared::cta") || c.shared_atomics > 0 => Class::SharedAtomic,
        "atom" | "red" => Class::GlobalAtomic,
        "bar" | "barrier" if is("warp") => Class::Order,
        "bar" | "barrier" => Class::Barrier,
        "membar" | "fence" | "cp" | "griddepcontrol" => Class::Order,
        "shfl" | "vote" | "match" | "redux" | "activemask" => Class::Exchange,
        "bra" | "brx" | "ret" | "exit" | "call" | "trap" | "brkpt" => Class::Control,
        "mov" | "cvt" | "cvta" | "selp" | "setp" | "set" | "slct" | "isspacep" | "prmt" | "nop" => Class::Move,
        _ => Class::Arithmetic,
    }
}

/// Roughly how many GPU instructions a PTX instruction becomes, and the unit it needs. Most become one. Division has no
/// instruction of its own: it takes about a dozen for 32-bit integers, and a small program for 64-bit ones and doubles.
fn cost(instruction: &Instruction) -> (f64, Unit) {
    let is = |name: &str| instruction.modifiers.iter().any(|m| &**m == name);
    let wide = is("u64") || is("s64") || is("b64");
    let double = is("f64");
    match &*instruction.opcode {
        "div" | "rem" if wide => (60.0, Unit::Plain),
        "div" | "rcp" | "sqrt" | "rsqrt" if double => (20.0, Unit::Double),
        "div" | "sqrt" if is("f32") => (if is("approx") || is("full") { 3.0 } else { 8.0 }, Unit::Special),
        "div" | "rem" => (12.0, Unit::Plain),
        "rcp" | "rsqrt" | "sin" | "cos" | "ex2" | "lg2" | "tanh" => (1.0, Unit::Special),
        "add" | "sub" | "mul" | "fma" | "mad" | "min" | "max" | "setp" if double => (1.0, Unit::Double),
        "cvt" if double => (1.0, Unit::Double),
        "mul" | "mad" if wide && !is("wide") => (3.0, Unit::Plain),
        "add" | "sub" | "shl" | "shr" | "min" | "max" | "setp" | "selp" if wide => (2.0, Unit::Plain),
        _ => (1.0, Unit::Plain),
    }
}
