//! What decoding a function needs: its frame, its operands.
//!
//! A frame is a block of bytes. Predicates come first, four bytes each (one bit a lane); slot 0 is a predicate that is
//! always true. Registers, constants and special registers follow as arrays of 32 lanes in their own width, each on a
//! cache line. Instructions name operands by the byte offset of their slot, for every kind of operand.

use std::collections::HashMap;

use warpwise_ptx::ast::{
    AddressBase, Body, Function, FunctionKind, Guard, Operand, RegisterId, ScalarType, Space, Symbol,
};

use super::lookup::Lookup;
use crate::float::{Bf16, F16, Half16};
use crate::image::Special;
use crate::lanes::{Flow, Handler, Level, Op};
use crate::program::{Constant, Home, Parts};

/// Where an address operand points.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// To a register (or constant) of that width plus an offset; a constant knows its state space.
    Register { slot: u32, width: u32, offset: i64, space: Option<Space> },
    /// To a variable of the running activation.
    Frame { offset: i64 },
}

impl Place {
    /// Slot, width and offset, if it is a register.
    pub(super) fn register(self) -> Option<(u32, u32, i64)> {
        match self {
            Self::Register { slot, width, offset, .. } => Some((slot, width, offset)),
            Self::Frame { .. } => None,
        }
    }
}

/// Decoding state of one function.
pub(super) struct Lowering<'a> {
    pub(super) lookup: &'a Lookup<'a>,
    pub(super) function: &'a Function,
    pub(super) body: &'a Body,
    pub(super) level: Level,
    pub(super) parts: &'a mut Parts,
    /// Position of the function's first instruction in the program.
    pub(super) start: u32,
    /// Slot of each register.
    registers: Vec<u32>,
    constants: HashMap<(Constant, u32), u32>,
    specials: HashMap<Special, (u32, u32)>,
    /// Places of the body's variables in local memory, if they are `.local` or `.param`.
    pub(super) variables: Vec<Option<Home>>,
    pub(super) params: Vec<Home>,
    pub(super) returns: Vec<Home>,
    frame_bytes: u32,
    pub(super) local_bytes: u32,
    sink: HashMap<u32, u32>,
    /// Registers that some instruction reads.
    read: Vec<bool>,
    carry: Option<u32>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(
        lookup: &'a Lookup<'a>,
        function: &'a Function,
        body: &'a Body,
        level: Level,
        parts: &'a mut Parts,
    ) -> Self {
        let mut cx = Self {
            lookup,
            function,
            body,
            level,
            start: parts.code.len() as u32,
            parts,
            registers: vec![0; body.registers.len()],
            constants: HashMap::new(),
            specials: HashMap::new(),
            variables: Vec::new(),
            params: Vec::new(),
            returns: Vec::new(),
            frame_bytes: 4,
            local_bytes: 0,
            sink: HashMap::new(),
            read: super::usage::reads(body),
            carry: None,
        };
        for (slot, register) in cx.registers.iter_mut().zip(&body.registers) {
            if register.ty == ScalarType::Pred {
                *slot = cx.frame_bytes;
                cx.frame_bytes += 4;
            }
        }
        for (at, register) in body.registers.iter().enumerate() {
            if register.ty != ScalarType::Pred {
                cx.registers[at] = cx.lanes(register.ty.bytes());
            }
        }
        cx
    }

    /// Bytes of the frame.
    pub(super) fn frame_bytes(&self) -> u32 {
        self.frame_bytes.next_multiple_of(64)
    }

    /// The slot of each register.
    pub(super) fn registers(&self) -> Vec<u32> {
        self.registers.clone()
    }

    /// The frame's constants: slot, width, value.
    pub(super) fn constants(&self) -> Vec<(u32, u32, Constant)> {
        let mut all: Vec<_> = self.constants.iter().map(|((c, width), &slot)| (slot, *width, c.clone())).collect();
        all.sort_by_key(|&(slot, ..)| slot);
        all
    }

    /// The frame's special registers: which, width, slot.
    pub(super) fn specials(&self) -> Vec<(Special, u32, u32)> {
        let mut all: Vec<_> = self.specials.iter().map(|(&s, &(width, slot))| (s, width, slot)).collect();
        all.sort_by_key(|&(.., slot)| slot);
        all
    }

    /// A new slot of 32 lanes.
    pub(super) fn lanes(&mut self, width: u32) -> u32 {
        let slot = self.frame_bytes.next_multiple_of(64);
        self.frame_bytes = slot.saturating_add(width * 32);
        slot
    }

    /// The slot of the carry flag, as a 32-bit register.
    pub(super) fn carry(&mut self) -> u32 {
        if let Some(slot) = self.carry {
            return slot;
        }
        let slot = self.lanes(4);
        self.carry = Some(slot);
        slot
    }

    /// Whether this function is a kernel.
    pub(super) fn is_kernel(&self) -> bool {
        self.function.kind == FunctionKind::Entry
    }

    /// The type of a register.
    pub(super) fn register_type(&self, id: RegisterId) -> Option<ScalarType> {
        self.body.registers.get(id.0 as usize).map(|r| r.ty)
    }

    /// The slot of a register of any type.
    pub(super) fn register(&self, id: RegisterId) -> Option<u32> {
        self.registers.get(id.0 as usize).copied()
    }

    /// Whether any instruction reads what this operand's register holds.
    pub(super) fn is_read(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Register(id) => self.read.get(id.0 as usize) == Some(&true),
            Operand::Vector(list) => list.iter().any(|o| self.is_read(o)),
            _ => false,
        }
    }

    /// The slot of a constant.
    pub(super) fn constant(&mut self, constant: Constant, width: u32) -> u32 {
        if let Some(&slot) = self.constants.get(&(constant.clone(), width)) {
            return slot;
        }
        let slot = self.lanes(width);
        self.constants.insert((constant, width), slot);
        slot
    }

    /// The slot of a number.
    pub(super) fn number(&mut self, bits: u64, width: u32) -> u32 {
        let bits = if width < 8 { bits & ((1 << (width * 8)) - 1) } else { bits };
        self.constant(Constant::Bits(bits), width)
    }

    /// The slot of a special register that is constant while a block runs.
    pub(super) fn special(&mut self, name: &str) -> Option<(u32, u32)> {
        let (special, width) = Special::parse(name)?;
        if let Some(&(width, slot)) = self.specials.get(&special) {
            return Some((slot, width));
        }
        let slot = self.lanes(width);
        self.specials.insert(special, (width, slot));
        Some((slot, width))
    }

    /// The address of a symbol as a constant, and its state space (`None` for functions). Variables of the activation
    /// have no constant address: see [`Self::frame_offset`].
    pub(super) fn symbol(&self, symbol: &Symbol, addend: i64) -> Option<(Constant, Option<Space>)> {
        match symbol {
            Symbol::Local(at) => {
                let variable = self.body.variables.get(*at as usize)?;
                (variable.space == Space::Shared).then_some(())?;
                let key = format!("{}/{}/{at}", self.function.name, variable.name);
                Some((Constant::BodyShared(key.into(), addend), Some(Space::Shared)))
            }
            Symbol::Parameter(at) if self.is_kernel() => {
                let offset = param_offsets(self.function).get(*at as usize)?.0;
                let address = (crate::memory::PARAM + u64::from(offset)).wrapping_add_signed(addend);
                Some((Constant::Bits(address), Some(Space::Param)))
            }
            Symbol::Module(name) => {
                let space = self.lookup.space(name);
                if space.is_none() && self.lookup.function(name).is_none() {
                    return None;
                }
                Some((Constant::Symbol(name.clone(), addend), space))
            }
            _ => None,
        }
    }

    /// The slot of a source operand of that type.
    pub(super) fn src(&mut self, operand: &Operand, ty: ScalarType) -> Option<u32> {
        let width = ty.bytes();
        match operand {
            Operand::Register(id) => {
                let own = self.register_type(*id)?;
                (own != ScalarType::Pred && own.bytes() == width).then(|| self.register(*id))?
            }
            Operand::Integer(bits) => {
                let bits = match ty {
                    ScalarType::F32 => u64::from((*bits as i64 as f32).to_bits()),
                    ScalarType::F64 => (*bits as i64 as f64).to_bits(),
                    _ => *bits,
                };
                (width <= 8).then(|| self.number(bits, width))
            }
            // A single-precision constant stands for its bits, in wider operands too, as in the assembler.
            Operand::F32(bits) => Some(self.number(u64::from(*bits), width.min(8))),
            Operand::F64(bits) => {
                let value = f64::from_bits(*bits);
                Some(match ty {
                    ScalarType::F32 => self.number(u64::from((value as f32).to_bits()), 4),
                    ScalarType::F16 => self.number(u64::from(F16::from_f64(value)), 2),
                    ScalarType::Bf16 => self.number(u64::from(Bf16::from_f64(value)), 2),
                    _ => self.number(*bits, width.min(8)),
                })
            }
            Operand::Special(name) => {
                let (slot, own) = self.special(name)?;
                (own == width).then_some(slot)
            }
            Operand::Symbol(symbol, addend) => {
                let (constant, _) = self.symbol(symbol, *addend)?;
                (width == 8 || width == 4).then(|| self.constant(constant, width))
            }
            _ => None,
        }
    }

    /// The slot of a destination of that width; `_` gets a slot that is never read.
    pub(super) fn dst(&mut self, operand: &Operand, width: u32) -> Option<u32> {
        match operand {
            Operand::Register(id) => {
                let own = self.register_type(*id)?;
                (own != ScalarType::Pred && own.bytes() == width).then(|| self.register(*id))?
            }
            Operand::Sink => Some(match self.sink.get(&width) {
                Some(&slot) => slot,
                None => {
                    let slot = self.lanes(width);
                    self.sink.insert(width, slot);
                    slot
                }
            }),
            _ => None,
        }
    }

    /// The slot of a predicate and whether it is negated. Constants 0 and 1 are predicates too.
    pub(super) fn pred(&mut self, operand: &Operand) -> Option<(u32, bool)> {
        match operand {
            Operand::Register(id) | Operand::Not(id) => {
                let negated = matches!(operand, Operand::Not(_));
                (self.register_type(*id)? == ScalarType::Pred).then(|| Some((self.register(*id)?, negated)))?
            }
            Operand::Integer(value) => Some((0, *value == 0)),
            _ => None,
        }
    }

    /// The slot of a destination predicate.
    pub(super) fn pred_dst(&mut self, operand: &Operand) -> Option<u32> {
        match operand {
            Operand::Register(_) => self.pred(operand).map(|(slot, _)| slot),
            // A sink needs a predicate that is never read; a 32-bit slot has room for it.
            Operand::Sink => self.dst(operand, 4),
            _ => None,
        }
    }

    /// Where an address operand points.
    pub(super) fn address(&mut self, operand: &Operand) -> Option<Place> {
        let Operand::Address(address) = operand else { return None };
        match &address.base {
            AddressBase::Register(id) => {
                let ty = self.register_type(*id)?;
                let width = ty.bytes();
                let slot = self.register(*id)?;
                (ty != ScalarType::Pred && (width == 4 || width == 8)).then_some(Place::Register {
                    slot,
                    width,
                    offset: address.offset,
                    space: None,
                })
            }
            AddressBase::Symbol(symbol) => {
                if let Some(offset) = self.frame_offset(symbol) {
                    return Some(Place::Frame { offset: i64::from(offset) + address.offset });
                }
                let (constant, space) = self.symbol(symbol, address.offset)?;
                Some(Place::Register { slot: self.constant(constant, 8), width: 8, offset: 0, space })
            }
            AddressBase::Absolute => {
                let slot = self.number(address.offset as u64, 8);
                Some(Place::Register { slot, width: 8, offset: 0, space: None })
            }
        }
    }

    /// The offset of a variable that lives in the activation's part of local memory.
    pub(super) fn frame_offset(&self, symbol: &Symbol) -> Option<u32> {
        let home = match symbol {
            Symbol::Local(at) => self.variables.get(*at as usize).copied().flatten(),
            Symbol::Parameter(at) => self.params.get(*at as usize).copied(),
            Symbol::Return(at) => self.returns.get(*at as usize).copied(),
            _ => None,
        };
        match home {
            Some(Home::Local { offset, .. }) => Some(offset),
            _ => None,
        }
    }

    /// A list of slots in the program's table; returns where it starts.
    pub(super) fn slot_list(&mut self, slots: &[u32]) -> u32 {
        let start = self.parts.slots.len() as u32;
        self.parts.slots.extend_from_slice(slots);
        start
    }
}

/// Offset and size of each kernel parameter.
pub(crate) fn param_offsets(function: &Function) -> Vec<(u32, u32)> {
    let mut next: u64 = 0;
    function
        .params
        .iter()
        .map(|p| {
            let align = u64::from(p.variable.align.max(1));
            let offset = next.next_multiple_of(align);
            next = offset.saturating_add(p.variable.size);
            (offset.min(u64::from(u32::MAX)) as u32, p.variable.size.min(u64::from(u32::MAX)) as u32)
        })
        .collect()
}

/// Bytes of a kernel's parameter block.
pub(super) fn param_bytes(function: &Function) -> u64 {
    param_offsets(function).iter().map(|&(offset, size)| u64::from(offset) + u64::from(size)).max().unwrap_or(0)
}

/// An instruction with a destination and up to three sources.
pub(super) fn op(run: Handler, d: u32, sources: &[u32]) -> Op {
    let source = |n: usize| sources.get(n).copied().unwrap_or(0);
    Op { run, guard: 0, flip: 0, d, a: source(0), b: source(1), c: source(2), imm: 0, aux: 0, rpc: 0 }
}

/// The guard of an instruction as slot and flip.
pub(super) fn guard(cx: &Lowering<'_>, guard: Option<Guard>) -> Option<(u32, u32)> {
    match guard {
        None => Some((0, 0)),
        Some(guard) => {
            let is_pred = cx.register_type(guard.register)? == ScalarType::Pred;
            is_pred.then(|| Some((cx.register(guard.register)?, if guard.negated { u32::MAX } else { 0 })))?
        }
    }
}

/// An instruction that has no effect here.
pub(super) fn nothing() -> Op {
    unsafe fn run(_: &mut crate::warp::Warp<'_>, _: &Op, _: u32) -> Flow {
        Flow::Next
    }
    op(run, 0, &[])
}
