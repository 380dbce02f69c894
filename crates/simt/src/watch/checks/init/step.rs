//! An instruction that a warp is about to execute, as far as doubt is concerned: what it takes, gives and counts on.

use warpwise_ptx::ast::{AddressBase, Body, Instruction, Operand, RegisterId, ScalarType};

use super::bytes::Source;
use super::doubts::{Doubts, Register};
use crate::image::FunctionCode;
use crate::program::Program;
use crate::warp::Warp;

/// What becomes of the values that an instruction takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Its results are made from them.
    Computes,
    /// A load: its address counts.
    Loads,
    /// A store: its address counts; its values are judged by where they go.
    Stores,
    /// A call: what it is given in registers counts.
    Calls,
    /// Lanes exchange values: judged when all of them have arrived.
    Exchanges,
    /// All of them count: atomics, barriers, products of matrices, textures.
    Uses,
}

/// An instruction of a running activation.
#[derive(Clone, Copy)]
pub(super) struct Step<'p> {
    pub(super) instruction: &'p Instruction,
    body: &'p Body,
    function: &'p FunctionCode,
    frame: u32,
}

impl<'p> Step<'p> {
    /// The instruction that a warp is at; `None` for the return that ends every function.
    pub(super) fn of(program: &'p Program, frame: u32, pc: u32) -> Option<Self> {
        let number = program.image.origins[pc as usize].function as usize;
        let function = &program.image.functions[number];
        let body = program.module().functions.get(number)?.body.as_ref()?;
        let instruction = body.instructions.get((pc - function.start?) as usize)?;
        Some(Self { instruction, body, function, frame })
    }

    pub(super) fn role(&self) -> Role {
        match &*self.instruction.opcode {
            "ld" | "ldu" => Role::Loads,
            "st" => Role::Stores,
            "call" => Role::Calls,
            "shfl" | "vote" | "match" | "redux" | "elect" => Role::Exchanges,
            "atom" | "red" | "cp" | "mbarrier" | "bar" | "barrier" | "brx" | "mma" | "wmma" | "wgmma" | "ldmatrix"
            | "stmatrix" | "movmatrix" | "tex" | "tld4" | "txq" | "suld" | "sust" | "sured" | "suq" | "prefetch"
            | "prefetchu" | "discard" | "applypriority" | "nanosleep" => Role::Uses,
            _ => Role::Computes,
        }
    }

    /// The operands that it gives values to, and the others.
    pub(super) fn split(&self) -> (&'p [Operand], &'p [Operand]) {
        let i = self.instruction;
        let has = |word: &str| i.modifiers.iter().any(|modifier| &**modifier == word);
        let gives = match &*i.opcode {
            "st" | "red" | "cp" | "brx" | "bra" | "ret" | "exit" | "stmatrix" | "sust" | "sured" | "prefetch"
            | "prefetchu" | "discard" | "applypriority" | "nanosleep" => false,
            "bar" | "barrier" => has("red"),
            "wmma" => !has("store"),
            "call" => i.operands.len() > 1 && matches!(i.operands.first(), Some(Operand::List(_))),
            "mbarrier" => !matches!(i.operands.first(), Some(Operand::Address(_))),
            _ => true,
        };
        i.operands.split_at(usize::from(gives).min(i.operands.len()))
    }

    /// The activation's register of that number.
    pub(super) fn register(&self, id: RegisterId) -> Register {
        (self.frame, id.0)
    }

    /// The register that guards it.
    pub(super) fn guard(&self) -> Option<Register> {
        self.instruction.guard.map(|guard| self.register(guard.register))
    }

    /// Bytes of a register; 0 for a predicate.
    pub(super) fn width(&self, id: RegisterId) -> u32 {
        match self.body.registers.get(id.0 as usize).map(|register| register.ty) {
            None | Some(ScalarType::Pred) => 0,
            Some(ty) => ty.bytes(),
        }
    }

    /// What a lane's operand holds, and what of it is in doubt.
    pub(super) fn source(&self, warp: &Warp<'_>, doubts: &Doubts, operand: &Operand, lane: usize) -> Source {
        let number = |value: u64| Source { value: Some(value), bytes: 0 };
        match operand {
            Operand::Register(id) | Operand::Not(id) | Operand::Part(id, _) => {
                let value = self.value(warp, *id, lane);
                let bytes = doubts.get(self.register(*id), lane).map_or(0, |doubt| doubt.bytes);
                let value = if matches!(operand, Operand::Not(_)) { value.map(|value| value ^ 1) } else { value };
                Source { value, bytes }
            }
            Operand::Minus(inner) => Source { value: None, ..self.source(warp, doubts, inner, lane) },
            Operand::Integer(value) => number(*value),
            Operand::F32(bits) => number(u64::from(*bits)),
            _ => Source::default(),
        }
    }

    fn value(&self, warp: &Warp<'_>, id: RegisterId, lane: usize) -> Option<u64> {
        let slot = *self.function.registers.get(id.0 as usize)?;
        // SAFETY: the warp is in the activation that the register is of, and its slot has that width.
        unsafe {
            Some(match self.width(id) {
                0 => u64::from(warp.pred(slot) >> lane & 1),
                1 => u64::from(*warp.slot::<u8>(slot).add(lane)),
                2 => u64::from(*warp.slot::<u16>(slot).add(lane)),
                4 => u64::from(*warp.slot::<u32>(slot).add(lane)),
                8 => *warp.slot::<u64>(slot).add(lane),
                _ => return None,
            })
        }
    }
}

/// The registers of operands, those of addresses and lists included.
pub(super) fn registers(operands: &[Operand], found: &mut Vec<RegisterId>) {
    for operand in operands {
        match operand {
            Operand::Register(id) | Operand::Not(id) | Operand::Part(id, _) => found.push(*id),
            Operand::Minus(inner) => registers(std::slice::from_ref(inner), found),
            Operand::Vector(list) | Operand::List(list) | Operand::Bracket(list) => registers(list, found),
            Operand::Pair(a, b) => {
                registers(std::slice::from_ref(a), found);
                registers(std::slice::from_ref(b), found);
            }
            Operand::Address(address) => {
                if let AddressBase::Register(id) = &address.base {
                    found.push(*id);
                }
            }
            _ => {}
        }
    }
}

/// The elements of an operand: those of a vector, or itself.
pub(super) fn elements(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(list) => list,
        other => std::slice::from_ref(other),
    }
}
