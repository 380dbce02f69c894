//! Following what was read and never written: a copy is no mistake, a use is one.
//!
//! Registers of lanes that have loaded unwritten bytes are in doubt, and so is what is made from them. A load, move,
//! shuffle or store to shared or local memory passes the doubt on. It is a mistake where the value counts: in a
//! condition, in an address, in an atomic, in a product of matrices; and where it leaves the thread as a result, in a
//! store to global memory or an argument of a function that is not inlined. Libraries copy objects as a whole, with the
//! gaps between their members: what they store counts only if all of it is in doubt.
//!
//! If one of the values that an instruction has read in a block is used, all that it reads there are reported: one is
//! enough to show that the instruction is not one of those whose values do not matter.

use std::sync::Arc;

use warpwise_ptx::ast::{Instruction, Operand, RegisterId, ScalarType};

use super::super::brought::Brought;
use super::super::scene::{At, Scene};
use super::bytes::{self, whole};
use super::doubts::{Doubt, Doubts, Origin, Register};
use super::step::{Role, Step, elements, registers};
use super::{Block, Init, is_in_header, unwritten_words};
use crate::image::event::Declared;
use crate::lanes::lanes_of;
use crate::memory::{self, Window};
use crate::report::MemorySpace;
use crate::warp::{Warp, rank_and_offset};

/// Reads of an instruction that are kept to be reported; if there are more, the rest are not counted.
const MOST: usize = 1 << 16;

/// A byte of shared or local memory: the thread, if it is local, and the offset.
pub(super) type Byte = (Option<u32>, u64);

/// What a store puts where.
enum Target {
    /// Memory that the doubt is passed on to.
    Shared(u64),
    Local(u64),
    Global(u64),
    /// An argument or result of a function.
    Argument,
    Elsewhere,
}

impl<'p> Init<'p> {
    fn doubts(&mut self, warp: &Warp<'_>) -> &mut Doubts {
        &mut self.blocks[warp.block().slot as usize].doubts[warp.index as usize]
    }

    /// An unwritten value counts: it is reported where it was read, with all others that were read there.
    pub(super) fn used(&mut self, scene: &mut Scene<'p>, slot: usize, origin: &Origin) {
        let (block, pc) = (&mut self.blocks[slot], origin.seen.at.0);
        block.used.insert(pc);
        let others = block.unused.remove(&pc).unwrap_or_default();
        Self::report(scene, origin);
        others.iter().for_each(|other| Self::report(scene, other));
    }

    /// A read of unwritten memory that is reported only if a value that is read there is used.
    pub(super) fn put_off(&mut self, slot: usize, origin: &Arc<Origin>) {
        let reads = self.blocks[slot].unused.entry(origin.seen.at.0).or_default();
        if reads.len() < MOST {
            reads.push(Arc::clone(origin));
        }
    }

    fn report(scene: &mut Scene<'p>, origin: &Origin) {
        if origin.seen.space == Some(MemorySpace::Global) {
            // An atomic reads and writes: which block comes first decides who reads it unwritten.
            scene.findings.unsettle();
        }
        let Origin { view, bytes, in_flight, .. } = *origin;
        scene.note(origin.seen.clone(), |plan, seen| unwritten_words(plan, seen, view, (bytes, in_flight)));
    }

    /// Lanes load bytes that nobody has written: a bit for each of them in `holes`.
    pub(super) fn loads(&mut self, at: &At<'_>, lanes: u32, holes: u32, origin: &Arc<Origin>) {
        let Some(step) = Step::of(self.plan.program, at.warp.frame, at.pc) else { return };
        let (Some(access), Some(to)) = (at.access, step.instruction.operands.first()) else { return };
        self.doubtful = true;
        let (element, sign) = (access.element, is_signed(step.instruction));
        for (number, operand) in elements(to).iter().enumerate() {
            let Operand::Register(id) = operand else { continue };
            let found = holes.checked_shr(number as u32 * element).unwrap_or(0) as u16 & whole(element);
            let top = found >> (element - 1) & 1 == 1;
            let bytes = if sign && top { (found | !whole(element)) & whole(step.width(*id)) } else { found };
            let doubts = self.doubts(at.warp);
            for lane in lanes_of(lanes) {
                doubts.set(step.register(*id), lane, Doubt { bytes, origin: Some(Arc::clone(origin)) });
            }
        }
    }

    /// A warp that may have registers in doubt is about to execute an instruction.
    #[cold]
    pub(super) fn follow(&mut self, scene: &mut Scene<'p>, warp: &Warp<'_>, pc: u32, mask: u32) {
        if self.doubts(warp).is_empty() {
            return;
        }
        let Some(step) = Step::of(self.plan.program, warp.frame, pc) else { return };
        if let Some(guard) = step.guard() {
            self.count_on(scene, warp, &[guard], warp.mask);
        }
        let (gives, takes) = step.split();
        let counts: &[Operand] = match step.role() {
            Role::Exchanges => return,
            Role::Computes => return self.compute(warp, step, mask),
            Role::Stores => takes.get(..1).unwrap_or_default(),
            Role::Loads | Role::Calls | Role::Uses => takes,
        };
        let named = |operands: &[Operand]| {
            let mut ids: Vec<RegisterId> = Vec::new();
            registers(operands, &mut ids);
            ids.into_iter().map(|id| step.register(id)).collect::<Vec<Register>>()
        };
        self.count_on(scene, warp, &named(counts), mask);
        for register in named(gives) {
            self.doubts(warp).settle(register, mask);
        }
    }

    /// Lanes count on the values of registers.
    fn count_on(&mut self, scene: &mut Scene<'p>, warp: &Warp<'_>, registers: &[Register], mask: u32) {
        for &register in registers {
            for lane in lanes_of(self.doubts(warp).lanes(register) & mask) {
                let origin = self.doubts(warp).get(register, lane).and_then(|doubt| doubt.origin.clone());
                if let Some(origin) = origin {
                    self.used(scene, warp.block().slot as usize, &origin);
                }
            }
            self.doubts(warp).settle(register, mask);
        }
    }

    /// The results of an instruction are as doubtful as what they are made from. What has been reported is followed no
    /// further.
    fn compute(&mut self, warp: &Warp<'_>, step: Step<'p>, mask: u32) {
        let Block { doubts, used, .. } = &self.blocks[warp.block().slot as usize];
        let doubts = &doubts[warp.index as usize];
        let (gives, takes) = step.split();
        let mut ids = Vec::new();
        registers(takes, &mut ids);
        let lanes = ids.iter().fold(0, |lanes, id| lanes | doubts.lanes(step.register(*id))) & mask;
        let mut found: Vec<(Register, usize, Doubt)> = Vec::new();
        for lane in lanes_of(lanes) {
            let is_open = |origin: &&Arc<Origin>| !used.contains(&origin.seen.at.0);
            let of = |id: &RegisterId| doubts.get(step.register(*id), lane)?.origin.as_ref();
            let Some(origin) = ids.iter().filter_map(of).find(is_open) else { continue };
            let mut give = |id: RegisterId, bytes: u16| {
                found.push((step.register(id), lane, Doubt { bytes, origin: Some(Arc::clone(origin)) }));
            };
            match (gives.first(), takes) {
                (Some(Operand::Vector(parts)), [whole]) if is_move(&step) => {
                    let mut bytes = step.source(warp, doubts, whole, lane).bytes;
                    for part in parts {
                        let Operand::Register(id) = part else { continue };
                        give(*id, bytes & bytes::whole(step.width(*id)));
                        bytes = bytes.checked_shr(step.width(*id)).unwrap_or(0);
                    }
                }
                (Some(Operand::Register(id)), [Operand::Vector(parts)]) if is_move(&step) => {
                    let width = step.width(*id) / parts.len().max(1) as u32;
                    let part = |(at, part): (usize, &Operand)| {
                        step.source(warp, doubts, part, lane).bytes << (at as u32 * width).min(15)
                    };
                    give(*id, parts.iter().enumerate().map(part).fold(0, |bytes, part| bytes | part));
                }
                (Some(to), _) => {
                    let of = |operand| step.source(warp, doubts, operand, lane);
                    let sources: Vec<_> = takes.iter().flat_map(elements).map(of).collect();
                    let mut results = Vec::new();
                    registers(std::slice::from_ref(to), &mut results);
                    for id in results {
                        give(id, bytes::result(step.instruction, &sources, step.width(id)));
                    }
                }
                (None, _) => {}
            }
        }
        let mut results = Vec::new();
        registers(gives, &mut results);
        let doubts = self.doubts(warp);
        for id in results {
            doubts.settle(step.register(id), mask);
        }
        for (register, lane, doubt) in found {
            doubts.set(register, lane, doubt);
        }
    }

    /// Lanes have exchanged values: a shuffle passes doubt on, and what is made from the values of several lanes is in
    /// doubt in all of them.
    pub(super) fn exchange(&mut self, at: &At<'_>, brought: Option<&Brought>) {
        if self.doubts(at.warp).is_empty() {
            return;
        }
        let Some(step) = Step::of(self.plan.program, at.warp.frame, at.pc) else { return };
        let (gives, takes) = step.split();
        let doubts = self.doubts(at.warp);
        let mut results = Vec::new();
        registers(gives, &mut results);
        let from = match takes.first() {
            Some(Operand::Register(id) | Operand::Not(id)) => Some(step.register(*id)),
            _ => None,
        };
        let of = |lane: usize| from.and_then(|register| doubts.get(register, lane)).cloned().unwrap_or_default();
        let given: Vec<(usize, Doubt)> = match brought.filter(|_| &*step.instruction.opcode == "shfl") {
            Some(brought) => lanes_of(at.mask).map(|lane| (lane, of(brought.sources[lane] as usize & 31))).collect(),
            None => {
                let any = lanes_of(at.mask).map(of).find(|doubt| doubt.bytes != 0).unwrap_or_default();
                let bytes = if any.bytes == 0 { 0 } else { u16::MAX };
                lanes_of(at.mask).map(|lane| (lane, Doubt { bytes, ..any.clone() })).collect()
            }
        };
        for (number, id) in results.iter().enumerate() {
            doubts.settle(step.register(*id), at.mask);
            // The predicate of a shuffle says whether there was a lane.
            if number > 0 && &*step.instruction.opcode == "shfl" {
                continue;
            }
            for (lane, doubt) in &given {
                let bytes = doubt.bytes & whole(step.width(*id).max(1));
                doubts.set(step.register(*id), *lane, Doubt { bytes, origin: doubt.origin.clone() });
            }
        }
    }

    /// Lanes have stored; addresses are those of the access.
    #[cold]
    pub(super) fn store(&mut self, scene: &mut Scene<'p>, at: &At<'_>, addresses: &[u64; 32]) {
        if self.doubts(at.warp).is_empty() {
            return;
        }
        let Some(step) = Step::of(self.plan.program, at.warp.frame, at.pc) else { return };
        let (Some(access), Some(values)) = (at.access, step.instruction.operands.get(1)) else { return };
        let element = access.element;
        for lane in lanes_of(at.mask) {
            let doubts = self.doubts(at.warp);
            let of = |operand: &Operand| match operand {
                Operand::Register(id) => doubts.get(step.register(*id), lane).cloned().unwrap_or_default(),
                _ => Doubt::default(),
            };
            let parts: Vec<Doubt> = elements(values).iter().map(of).collect();
            let is_whole = |part: &Doubt| part.bytes & whole(element) == whole(element);
            let (all, library) = (parts.iter().all(is_whole), is_in_header(self.plan, at.pc));
            for (number, part) in parts.iter().enumerate() {
                let Some(origin) = part.origin.as_ref().filter(|_| part.bytes & whole(element) != 0) else { continue };
                let start = addresses[lane].wrapping_add(number as u64 * u64::from(element));
                let target = target(access.space, start);
                let counts = match target {
                    Target::Global(_) => all || !library,
                    Target::Argument => is_whole(part) && !library,
                    _ => false,
                };
                if counts {
                    self.used(scene, at.slot(), origin);
                    continue;
                }
                for byte in (0..u64::from(element)).filter(|byte| part.bytes >> byte & 1 == 1) {
                    self.pass_on(at, lane as u32, &target, byte, origin);
                }
            }
        }
    }

    /// A byte of memory is in doubt from now on.
    fn pass_on(&mut self, at: &At<'_>, lane: u32, target: &Target, byte: u64, origin: &Arc<Origin>) {
        let thread = at.warp.index * 32 + lane;
        match *target {
            Target::Shared(start) if rank_and_offset(start).is_none() => {
                let block = &mut self.blocks[at.slot()];
                block.written.unset(start + byte);
                block.passed.insert((None, start + byte), Arc::clone(origin));
            }
            Target::Local(start) => {
                self.local_bits(at.warp).declare(1 << lane, start + byte, 1);
                self.blocks[at.slot()].passed.insert((Some(thread), start + byte), Arc::clone(origin));
            }
            Target::Global(start) => {
                let views = self.plan.launch.views;
                let Some(view) = views.partition_point(|view| view.base <= start).checked_sub(1) else { return };
                if let Some(validity) = self.validities[view].filter(|_| start + byte < views[view].end) {
                    validity.forget(start + byte - views[view].base);
                }
            }
            _ => {}
        }
    }
}

/// Where a store goes.
fn target(space: Declared, address: u64) -> Target {
    match space {
        Declared::Shared => Target::Shared(address),
        Declared::Local => Target::Local(address),
        Declared::Global => Target::Global(address),
        Declared::Param => Target::Argument,
        Declared::Const => Target::Elsewhere,
        Declared::Generic => match memory::window(address) {
            Window::Shared => Target::Shared(address - memory::SHARED),
            Window::Local => Target::Local(address - memory::LOCAL),
            Window::Other => Target::Global(address),
            Window::Const | Window::Param => Target::Elsewhere,
        },
    }
}

fn is_move(step: &Step<'_>) -> bool {
    &*step.instruction.opcode == "mov"
}

/// Whether a load fills a wider register with the sign.
fn is_signed(i: &Instruction) -> bool {
    use ScalarType::{S8, S16, S32};
    i.modifiers.iter().filter_map(|word| ScalarType::parse(word)).any(|ty| matches!(ty, S8 | S16 | S32))
}
