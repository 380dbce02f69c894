//! Passes what the interpreter reports on to an [`Observer`].

use super::access::{Access, Space};
use super::barrier::Barrier;
use super::block::Block;
use super::copy::Copy;
use super::instruction::Instruction;
use super::observer::Observer;
use crate::exec::Watcher;
use crate::image::event::{self, BlockBarrier, CopyLanes, Declared};
use crate::lanes::lanes_of;
use crate::memory::{self, Window};
use crate::program::Program;
use crate::warp::{BlockState, BulkCopy, Warp};

/// An observer and the program that it watches.
pub(crate) struct Own<'p, O> {
    pub(crate) observer: O,
    program: &'p Program,
}

impl<'p, O: Observer> Own<'p, O> {
    pub(crate) fn new(program: &'p Program, observer: O) -> Self {
        Self { observer, program }
    }
}

impl<O: Observer> Watcher for Own<'_, O> {
    fn block_starts(&mut self, block: &BlockState) {
        self.observer.block_starts(&Block(block));
    }

    fn block_ends(&mut self, block: &BlockState) {
        self.observer.block_ends(&Block(block));
    }

    #[inline(always)]
    fn executes(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        self.observer.executes(&Instruction { program: self.program, warp, pc, mask });
    }

    fn access(
        &mut self,
        warp: &Warp<'_>,
        pc: u32,
        access: &event::Access,
        bytes: u32,
        mask: u32,
        addresses: &[u64; 32],
    ) {
        let Self { observer, program } = self;
        let mut tell = |space: Space, mask: u32, addresses: &[u64; 32]| {
            let at = Instruction { program, warp, pc, mask };
            observer.access(&Access { at, kind: access.direction.into(), space, bytes, addresses });
        };
        match access.space {
            Declared::Global => tell(Space::Global, mask, addresses),
            Declared::Shared => tell(Space::Shared, mask, addresses),
            Declared::Local => tell(Space::Local, mask, addresses),
            Declared::Const => tell(Space::Constant, mask, addresses),
            Declared::Param => tell(Space::Parameter, mask, addresses),
            Declared::Generic => {
                let spaces = [
                    (Window::Shared, Space::Shared, memory::SHARED),
                    (Window::Local, Space::Local, memory::LOCAL),
                    (Window::Const, Space::Constant, 0),
                    (Window::Param, Space::Parameter, 0),
                    (Window::Other, Space::Global, 0),
                ];
                for (window, space, base) in spaces {
                    let there = |&lane: &usize| memory::window(addresses[lane]) == window;
                    let lanes = lanes_of(mask).filter(there).fold(0, |lanes, lane| lanes | 1 << lane);
                    if lanes != 0 {
                        tell(space, lanes, &addresses.map(|a| a.wrapping_sub(base)));
                    }
                }
            }
        }
    }

    fn copy(&mut self, warp: &Warp<'_>, pc: u32, bytes: u32, mask: u32, copies: &CopyLanes) {
        let at = Instruction { program: self.program, warp, pc, mask };
        for lane in lanes_of(mask) {
            let (from, to, read) = (copies.from[lane], copies.to[lane], copies.valid[lane]);
            self.observer.copy(&at, &Copy { lane: lane as u32, from, to, bytes, read });
        }
    }

    fn bulk_copy(&mut self, warp: &Warp<'_>, pc: u32, lane: u32, copy: &BulkCopy, _: &event::Access) {
        let at = Instruction { program: self.program, warp, pc, mask: 1 << lane };
        let bytes = copy.bytes as u32;
        self.observer.copy(&at, &Copy { lane, from: copy.from, to: copy.to, bytes, read: bytes });
    }

    fn branches(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        self.observer.branches(&Instruction { program: self.program, warp, pc, mask });
    }

    fn branched(&mut self, _: u32, divergent: bool) {
        if divergent {
            self.observer.diverges();
        }
    }

    fn arrives(&mut self, warp: &Warp<'_>, pc: u32, barrier: BlockBarrier, id: u32, count: Option<u32>, mask: u32) {
        let at = Instruction { program: self.program, warp, pc, mask };
        let asked = Barrier { id, threads: count, waits: !barrier.arrive, reduces: barrier.reduction };
        self.observer.arrives(&at, &asked);
    }

    fn barrier_completes(&mut self, block: &BlockState, id: u32) {
        self.observer.barrier_completes(&Block(block), id);
    }

    fn exits(&mut self, warp: &Warp<'_>, pc: u32, mask: u32) {
        self.observer.exits(&Instruction { program: self.program, warp, pc, mask });
    }
}
