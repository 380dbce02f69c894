//! Instructions, as observers see them.

use warpwise_ptx::ast::{self, Body, Operand, Register, RegisterId, ScalarType};

use super::block::Block;
use crate::lanes::lanes_of;
use crate::program::{FunctionCode, Program};
use crate::report::Place;
use crate::warp::{Wait, Warp};

/// An instruction that lanes of a warp have reached.
#[derive(Clone, Copy)]
pub struct Instruction<'a> {
    pub(super) program: &'a Program,
    pub(super) warp: &'a Warp<'a>,
    pub(super) pc: u32,
    pub(super) mask: u32,
}

impl<'a> Instruction<'a> {
    /// Its number in the program: a cheap key for data kept by instruction.
    pub fn pc(&self) -> u32 {
        self.pc
    }

    /// The lanes that execute it, a bit each.
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// The lanes that execute it, lowest first.
    pub fn lanes(&self) -> impl Iterator<Item = u32> + use<> {
        lanes_of(self.mask).map(|lane| lane as u32)
    }

    /// The lanes that are at it, a bit each: those that execute it and those whose guard is off.
    pub fn running(&self) -> u32 {
        self.warp.mask
    }

    /// The lanes of the warp that have not exited, a bit each.
    pub fn live(&self) -> u32 {
        self.warp.live()
    }

    /// The lanes that wait at a barrier, or for others of their warp at a warp-wide operation, a bit each.
    pub fn waiting(&self) -> u32 {
        self.warp.splits.iter().filter(|split| split.wait != Wait::Nothing).fold(0, |lanes, split| lanes | split.mask)
    }

    /// The lanes that have taken their way from a branch to where the ways meet, and wait there, a bit each. Those that
    /// are neither there, nor running, nor waiting for something else, take another way.
    pub fn met(&self) -> u32 {
        self.warp.at_joins()
    }

    /// The instruction as it was read; `None` for the return that ends every function.
    pub fn ptx(&self) -> Option<&'a ast::Instruction> {
        let (code, body) = self.function()?;
        body.instructions.get(self.pc.checked_sub(code.start?)? as usize)
    }

    /// The registers that it writes.
    pub fn results(&self) -> Vec<&'a Register> {
        let body = self.function().map(|(_, body)| body);
        let mut found = Vec::new();
        if let (Some(body), Some(ptx)) = (body, self.ptx())
            && !has_only_sources(ptx)
            && let Some(first) = ptx.operands.first()
        {
            registers(first, &mut |id| found.extend(body.registers.get(id.0 as usize)));
        }
        found
    }

    /// What a register of the running function holds in each lane, by its name in PTX, such as `%r1`: a predicate is 0
    /// or 1, anything narrower than 64 bits is extended with zeros. `None` if the code uses no such register, or it has
    /// 128 bits. Entries of lanes that have not reached the running function are meaningless.
    pub fn register(&self, name: &str) -> Option<[u64; 32]> {
        let (code, body) = self.function()?;
        let at = body.registers.iter().position(|register| &*register.name == name)?;
        let (slot, ty) = (*code.registers.get(at)?, body.registers[at].ty);
        // SAFETY: the warp runs the function that the register is of, whose frame has a slot of 32 lanes for each
        // register, or of a bit for each lane for a predicate.
        unsafe {
            Some(match (ty, ty.bytes()) {
                (ScalarType::Pred, _) => {
                    let bits = self.warp.pred(slot);
                    std::array::from_fn(|lane| u64::from(bits >> lane & 1))
                }
                (_, 1) => (*self.warp.slot::<[u8; 32]>(slot)).map(u64::from),
                (_, 2) => (*self.warp.slot::<[u16; 32]>(slot)).map(u64::from),
                (_, 4) => (*self.warp.slot::<[u32; 32]>(slot)).map(u64::from),
                (_, 8) => *self.warp.slot::<[u64; 32]>(slot),
                _ => return None,
            })
        }
    }

    /// Which activation of a function is running: a number that no other has at the same time in this warp.
    pub fn activation(&self) -> u32 {
        self.warp.frame
    }

    /// The function that it is in.
    fn function(&self) -> Option<(&'a FunctionCode, &'a Body)> {
        let number = self.program.image.origins.get(self.pc as usize)?.function as usize;
        Some((self.program.image.functions.get(number)?, self.program.module().functions.get(number)?.body.as_ref()?))
    }

    /// The number of the warp in its block.
    pub fn warp(&self) -> u32 {
        self.warp.index
    }

    /// The block.
    pub fn block(&self) -> Block<'a> {
        Block(self.warp.block())
    }

    /// The number, within its block, of the thread in a lane of the warp.
    pub fn thread(&self, lane: u32) -> u32 {
        self.warp.index * 32 + lane
    }

    /// Where it is: function, line of the PTX text, and line of the source if the module says; with the block and the
    /// first thread that executes it.
    pub fn place(&self) -> Place {
        let lane = self.mask.trailing_zeros() as usize & 31;
        let at = self.program.image.place(self.pc).expect("an instruction that is executed is in the program");
        Place { block: self.warp.block_index(), thread: self.warp.thread_index(lane), ..at }
    }
}

impl std::fmt::Debug for Instruction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instruction").field("pc", &self.pc).field("mask", &self.mask).finish_non_exhaustive()
    }
}

/// Whether the first operand of an instruction is one that it reads.
fn has_only_sources(ptx: &ast::Instruction) -> bool {
    match &*ptx.opcode {
        "bar" | "barrier" => !ptx.modifiers.iter().any(|word| &**word == "red"),
        "brx" | "call" | "nanosleep" | "ret" | "stackrestore" => true,
        _ => false,
    }
}

/// Calls `visit` with the registers of a destination.
fn registers(operand: &Operand, visit: &mut impl FnMut(RegisterId)) {
    match operand {
        Operand::Register(id) | Operand::Part(id, _) => visit(*id),
        Operand::Vector(list) => list.iter().for_each(|part| registers(part, visit)),
        Operand::Pair(a, b) => [a, b].into_iter().for_each(|part| registers(part, visit)),
        _ => {}
    }
}
