//! How many registers a function needs at once: about what an assembler gives a thread.
//!
//! A register is in use from where it is written to where it is last read, along every way through the function. What the
//! assembler reads as an operand (parameters, constants, sizes of block and grid) takes none, and neither does a value
//! that differs from another by a constant or a conversion: it is part of an address, or made again.

use std::collections::HashMap;

use warpwise_ptx::ast::{AddressBase, Body, Instruction, Operand, RegisterId, ScalarType};

use super::usage::operands;

/// Registers that every kernel needs besides its values: addresses, indices and what a launch needs.
const ALWAYS: u32 = 6;

/// Registers of a thread of this function.
pub(super) fn registers(body: &Body) -> u32 {
    words_at_once(body) + ALWAYS
}

/// What an instruction does to registers that take room.
struct Effect {
    writes: Vec<usize>,
    reads: Vec<usize>,
    /// Whether what it writes may stay as it was.
    guarded: bool,
}

/// The most words that are in use at once.
fn words_at_once(body: &Body) -> u32 {
    let room = Room::new(body);
    let effects: Vec<Effect> = body.instructions.iter().map(|i| room.effect(i)).collect();
    let blocks = blocks(body);
    let at_end = in_use_at_end(&blocks, &effects, room.words.len());
    let mut most = 0;
    for (block, mut in_use) in blocks.iter().zip(at_end) {
        let mut now: u32 = in_use.iter().map(|at| room.words[at]).sum();
        most = most.max(now);
        for effect in effects[block.from..block.to].iter().rev() {
            for &register in &effect.writes {
                // What nobody reads takes room, too, for a moment.
                if !in_use.has(register) {
                    most = most.max(now + room.words[register]);
                }
                if !effect.guarded && in_use.remove(register) {
                    now -= room.words[register];
                }
            }
            for &register in &effect.reads {
                if in_use.insert(register) {
                    now += room.words[register];
                }
            }
            most = most.max(now);
        }
    }
    most
}

/// Which registers take room, and how much.
struct Room {
    /// By register: the one whose room it shares; none if it takes none.
    place: Vec<Option<usize>>,
    words: Vec<u32>,
}

impl Room {
    fn new(body: &Body) -> Self {
        let mut written: HashMap<usize, usize> = HashMap::new();
        for i in &body.instructions {
            each_written(i, &mut |register| *written.entry(register).or_default() += 1);
        }
        let words = |ty: ScalarType| if ty == ScalarType::Pred { 0 } else { ty.bytes().div_ceil(4) };
        let words: Vec<u32> = body.registers.iter().map(|register| words(register.ty)).collect();
        let mut place: Vec<Option<usize>> = (0..words.len()).map(|at| (words[at] > 0).then_some(at)).collect();
        // In order: what a value is made of stands before it, but around loops, where it is written several times.
        for i in body.instructions.iter().filter(|i| i.guard.is_none()) {
            let (mut made, mut sources) = (Vec::new(), Vec::new());
            each_written(i, &mut |register| made.push(register));
            each_read(i, &mut |register| sources.push(register));
            let once = |register: &usize| written.get(register).copied().unwrap_or(0) <= 1;
            let [register] = made[..] else { continue };
            if !once(&register) || !follows(i) || !sources.iter().all(once) {
                continue;
            }
            let mut places: Vec<usize> = sources.iter().filter_map(|&source| place[source]).collect();
            places.sort_unstable();
            places.dedup();
            match places[..] {
                [] => place[register] = None,
                [source] => place[register] = Some(source),
                _ => {}
            }
        }
        Self { place, words }
    }

    fn effect(&self, i: &Instruction) -> Effect {
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        // A value in another's room is not written: it is there as long as the other is.
        each_written(i, &mut |register| writes.extend(self.place[register].filter(|&at| at == register)));
        each_read(i, &mut |register| reads.extend(self.place[register]));
        Effect { writes, reads, guarded: i.guard.is_some() }
    }
}

/// Whether the result of an instruction follows from its one operand by a constant or a conversion, or is an operand of
/// the instructions that use it.
fn follows(i: &Instruction) -> bool {
    let has = |name: &str| i.modifiers.iter().any(|modifier| &**modifier == name);
    match &*i.opcode {
        "ld" => has("param"),
        "mov" => match i.operands.get(1) {
            Some(Operand::Special(name)) => name.starts_with("ntid") || name.starts_with("nctaid"),
            Some(Operand::Vector(_)) => false,
            _ => true,
        },
        "cvta" => true,
        "add" | "sub" | "or" | "cvt" => !["f16", "f32", "f64"].into_iter().any(has),
        _ => false,
    }
}

fn register(operand: &Operand) -> Option<usize> {
    let RegisterId(number) = match operand {
        Operand::Register(id) | Operand::Not(id) | Operand::Part(id, _) => *id,
        Operand::Address(address) => match address.base {
            AddressBase::Register(id) => id,
            _ => return None,
        },
        _ => return None,
    };
    Some(number as usize)
}

/// The first operand, unless an instruction only reads it.
fn destination(i: &Instruction) -> Option<&Operand> {
    let has = |name: &str| i.modifiers.iter().any(|modifier| &**modifier == name);
    let first = i.operands.first()?;
    let only_reads = match &*i.opcode {
        "bra" | "brx" | "call" | "nanosleep" | "st" | "red" => true,
        "bar" | "barrier" => !has("red"),
        _ => matches!(first, Operand::Address(_) | Operand::Bracket(_)),
    };
    (!only_reads).then_some(first)
}

fn each_written(i: &Instruction, visit: &mut impl FnMut(usize)) {
    operands(destination(i).map_or(&[], std::slice::from_ref), &mut |operand| {
        register(operand).into_iter().for_each(&mut *visit);
    });
}

fn each_read(i: &Instruction, visit: &mut impl FnMut(usize)) {
    // Products of matrices by four warps add to what they write.
    let adds = &*i.opcode == "wgmma";
    let from = usize::from(destination(i).is_some() && !adds);
    operands(&i.operands[from..], &mut |operand| register(operand).into_iter().for_each(&mut *visit));
    visit_guard(i, visit);
}

fn visit_guard(i: &Instruction, visit: &mut impl FnMut(usize)) {
    i.guard.iter().for_each(|guard| visit(guard.register.0 as usize));
}

/// Instructions that are executed one after the other.
struct Block {
    from: usize,
    to: usize,
    /// Numbers of the blocks that may come next.
    next: Vec<usize>,
}

fn blocks(body: &Body) -> Vec<Block> {
    let count = body.instructions.len();
    let ends = |i: &Instruction| matches!(&*i.opcode, "bra" | "brx" | "ret" | "exit" | "trap");
    let mut starts = vec![false; count + 1];
    starts[0] = true;
    for label in &body.labels {
        starts[(label.target as usize).min(count)] = true;
    }
    for (at, _) in body.instructions.iter().enumerate().filter(|(_, i)| ends(i)) {
        starts[at + 1] = true;
    }
    starts[count] = true;
    let marks: Vec<usize> = (0..=count).filter(|&at| starts[at]).collect();
    let number = |at: usize| marks.partition_point(|&mark| mark < at);
    let last = marks.len().saturating_sub(1);
    let targets = |i: &Instruction| -> Vec<usize> {
        let labels: Vec<usize> = match (&*i.opcode, i.operands.first()) {
            ("bra", Some(Operand::Label(label))) => vec![label.0 as usize],
            // Anywhere.
            ("brx", _) => (0..body.labels.len()).collect(),
            _ => Vec::new(),
        };
        labels.into_iter().filter_map(|at| Some(number(body.labels.get(at)?.target as usize))).collect()
    };
    let block = |pair: &[usize]| {
        let end = &body.instructions[pair[1] - 1];
        let mut next = targets(end);
        if !ends(end) || end.guard.is_some() {
            next.push(number(pair[1]));
        }
        next.retain(|&block| block < last);
        Block { from: pair[0], to: pair[1], next }
    };
    marks.windows(2).map(block).collect()
}

/// Registers that are in use at the end of each block.
fn in_use_at_end(blocks: &[Block], effects: &[Effect], registers: usize) -> Vec<Bits> {
    let empty = Bits::new(registers);
    let mut at_start: Vec<Bits> = vec![empty.clone(); blocks.len()];
    let mut at_end = at_start.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for (number, block) in blocks.iter().enumerate().rev() {
            let mut in_use = empty.clone();
            block.next.iter().for_each(|&next| in_use.join(&at_start[next]));
            at_end[number] = in_use.clone();
            for effect in effects[block.from..block.to].iter().rev() {
                if !effect.guarded {
                    effect.writes.iter().for_each(|&register| _ = in_use.remove(register));
                }
                effect.reads.iter().for_each(|&register| _ = in_use.insert(register));
            }
            if in_use != at_start[number] {
                at_start[number] = in_use;
                changed = true;
            }
        }
    }
    at_end
}

/// A set of small numbers.
#[derive(Clone, PartialEq)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    /// Whether it was not in the set before.
    fn insert(&mut self, at: usize) -> bool {
        let new = !self.has(at);
        self.0[at / 64] |= 1 << (at % 64);
        new
    }

    /// Whether it was in the set.
    fn remove(&mut self, at: usize) -> bool {
        let was = self.has(at);
        self.0[at / 64] &= !(1 << (at % 64));
        was
    }

    fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        (0..64 * self.0.len()).filter(|&at| self.has(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(code: &str) -> u32 {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<9>;\n\
             .reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n.reg .f32 %f<99>;\n{code}\nret;\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid PTX");
        words_at_once(module.functions[0].body.as_ref().expect("it is defined"))
    }

    #[test]
    fn a_register_is_in_use_from_its_write_to_its_last_read() {
        let load = |n: u32| format!("ld.shared.f32 %f{n}, [{}];", 4 * n);
        assert_eq!(words(&(1..4).map(load).collect::<String>()), 1, "nobody reads them");
        let many: String = (1..60).map(load).collect();
        let sum: String = (2..60).map(|n| format!("add.f32 %f1, %f1, %f{n};")).collect();
        assert_eq!(words(&(many + &sum + "st.shared.f32 [0], %f1;")), 59);
    }

    #[test]
    fn parameters_constants_and_offsets_take_no_room() {
        let body = "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r1, 5; \
                    ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r2, 4; add.u32 %r4, %r2, 8; \
                    mad.lo.u32 %r5, %r3, %r4, %r1; st.global.u32 [%rd2], %r5;";
        assert_eq!(words(body), 1);
    }

    #[test]
    fn values_of_the_next_round_are_in_use_around_the_loop() {
        let body = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %laneid;\nL:\nadd.u32 %r1, %r1, %r2;\n\
                    setp.lt.u32 %p1, %r1, 99;\n@%p1 bra L;\nmul.lo.u32 %r1, %r1, %r3; st.shared.u32 [0], %r1;";
        assert_eq!(words(body), 3);
        let after = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;\nL:\nadd.u32 %r1, %r1, %r2;\nsetp.lt.u32 %p1, %r1, 99;\n\
                     @%p1 bra L;\nmov.u32 %r3, %laneid; mul.lo.u32 %r1, %r1, %r3; st.shared.u32 [0], %r1;";
        assert_eq!(words(after), 2, "what is read after the loop is made after it");
    }

    #[test]
    fn a_write_that_may_not_happen_ends_nothing() {
        let body = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %laneid;\n\
                    mul.lo.u32 %r2, %r2, %r3;\n@%p1 mov.u32 %r1, 7;\nmul.lo.u32 %r1, %r1, %r2; st.shared.u32 [0], %r1;";
        assert_eq!(words(body), 3);
    }
}
