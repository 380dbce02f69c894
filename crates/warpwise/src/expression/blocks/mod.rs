//! Expressions on the CPU: every operation goes over a block of elements that stays in the first-level cache, so that
//! memory is read once and written once, and the time to choose the operation is shared by a thousand elements.

mod loops;
mod plan;

use std::ops::Range;

use super::kind::Kind;
use super::program::{Op, Program};
use crate::simd::Level;
use crate::simd::ahead::Ahead;
use plan::{Place, Plan};

/// Elements of a block.
pub(crate) const BLOCK: usize = 1024;

/// Memory for a block of any type, from the beginning of a cache line on.
#[derive(Clone)]
#[repr(C, align(64))]
struct Memory([u64; BLOCK]);

/// A program ready to be evaluated.
#[derive(Debug)]
pub(crate) struct Blocks {
    plan: Plan,
    /// Bytes of an element of each input and result.
    inputs: Vec<usize>,
    results: Vec<usize>,
}

/// The memory that one thread needs.
pub(crate) struct Scratch {
    /// Taken out while they are written.
    blocks: Vec<Option<Box<Memory>>>,
    /// For the last, incomplete block of each input.
    padded: Vec<Box<Memory>>,
}

impl Scratch {
    fn bytes(&self, block: usize) -> &[u8] {
        self.blocks[block].as_ref().map_or(&[], |memory| bytemuck::cast_slice(&memory.0))
    }
}

/// An input: all its elements as bytes, and how far to prefetch.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    pub(crate) all: &'a [u8],
    pub(crate) ahead: Ahead,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(all: &'a [u8]) -> Self {
        Self { all, ahead: Ahead::within(all) }
    }
}

impl Blocks {
    /// Prepares a program of inputs of these types.
    pub(crate) fn new(program: &Program, inputs: &[Kind]) -> Self {
        let bytes = |kinds: &mut dyn Iterator<Item = Kind>| kinds.map(Kind::bytes).collect();
        let (inputs, results) = (bytes(&mut inputs.iter().copied()), bytes(&mut program.kinds()));
        Self { plan: Plan::new(program), inputs, results }
    }

    /// About how long that many elements take on one thread.
    pub(crate) fn nanoseconds(&self, count: usize) -> usize {
        let bytes: usize = self.inputs.iter().chain(&self.results).sum();
        count.saturating_mul(bytes * 30 + self.plan.actions.len() * 60) / 1000
    }

    pub(crate) fn scratch(&self) -> Scratch {
        let memory = || Box::new(Memory([0; BLOCK]));
        let mut blocks: Vec<Box<Memory>> = (0..self.plan.blocks).map(|_| memory()).collect();
        for (block, (bytes, bits)) in blocks.iter_mut().zip(&self.plan.constants) {
            let block: &mut [u8] = bytemuck::cast_slice_mut(&mut block.0);
            block.chunks_exact_mut(*bytes).for_each(|place| place.copy_from_slice(&bits.to_le_bytes()[..*bytes]));
        }
        Scratch {
            blocks: blocks.into_iter().map(Some).collect(),
            padded: self.inputs.iter().map(|_| memory()).collect(),
        }
    }

    /// Evaluates the elements of a range, up to [`BLOCK`] of them at a time, and calls `take` with the place of the
    /// first of these in the range, the number of the result, and its bytes.
    pub(crate) fn evaluate(
        &self,
        level: Level,
        scratch: &mut Scratch,
        inputs: &[Bytes<'_>],
        range: Range<usize>,
        take: &mut dyn FnMut(usize, usize, &[u8]),
    ) {
        for first in range.clone().step_by(BLOCK) {
            let length = BLOCK.min(range.end - first);
            let mut padded = std::mem::take(&mut scratch.padded);
            if length < BLOCK {
                for ((input, bytes), padded) in inputs.iter().zip(&self.inputs).zip(&mut padded) {
                    let padded: &mut [u8] = bytemuck::cast_slice_mut(&mut padded.0);
                    padded[..length * bytes].copy_from_slice(&input.all[first * bytes..(first + length) * bytes]);
                }
            }
            let input = |number: usize| -> &[u8] {
                let bytes = self.inputs[number];
                if length < BLOCK {
                    &bytemuck::cast_slice(&padded[number].0)[..BLOCK * bytes]
                } else {
                    &inputs[number].all[first * bytes..(first + BLOCK) * bytes]
                }
            };
            if length == BLOCK {
                inputs.iter().enumerate().for_each(|(number, bytes)| bytes.ahead.of(input(number)));
            }
            for action in &self.plan.actions {
                let Some(mut to) = scratch.blocks[action.to].take() else { continue };
                let from = action.from.map(|place| match place {
                    Place::Input(number) => input(number),
                    Place::Block(number) => scratch.bytes(number),
                });
                let work = loops::Action { op: action.op, kinds: action.kinds, to: &mut to.0, from };
                match action.op {
                    Op::FloorDivide | Op::Remainder => work.divide_integers(),
                    _ => level.run(work),
                }
                scratch.blocks[action.to] = Some(to);
            }
            for (number, (place, bytes)) in self.plan.results.iter().zip(&self.results).enumerate() {
                let result = match *place {
                    Place::Input(number) => input(number),
                    Place::Block(number) => scratch.bytes(number),
                };
                take(first - range.start, number, &result[..length * bytes]);
            }
            scratch.padded = padded;
        }
    }
}
