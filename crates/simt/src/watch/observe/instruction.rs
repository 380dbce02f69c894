//! Instructions, as observers see them.

use super::block::Block;
use crate::lanes::lanes_of;
use crate::program::Program;
use crate::report::Place;
use crate::warp::Warp;

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
