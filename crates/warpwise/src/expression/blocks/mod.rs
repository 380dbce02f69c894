//! Expressions on the CPU: every operation goes over a part of a block that stays in the first-level cache, so that
//! memory is read once and written once, and the time to choose the operation is shared by many elements.

mod block;
mod loops;
mod plan;

use std::ops::Range;

use super::kind::Kind;
use super::program::Program;
use crate::memory::LINE;
use crate::simd::ahead::Ahead;
use crate::simd::{Level, stream};
use block::{Block, To};
use loops::CHUNK;
use plan::Plan;

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
    /// Elements of a part of a block.
    part: usize,
}

/// The memory that one thread needs.
pub(crate) struct Scratch {
    blocks: Vec<Memory>,
    /// For an incomplete block of each input.
    padded: Vec<Memory>,
    /// Those of one block.
    actions: Vec<loops::Action>,
    coming: Vec<block::Coming>,
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
        // A few lines of the caches, and enough elements that choosing the operation takes little of the time.
        let is_narrow = program.steps.iter().all(|step| step.kind.bytes() == 1);
        let part = if is_narrow { 4 * CHUNK } else { CHUNK };
        Self { plan: Plan::new(program), inputs, results, part }
    }

    /// About how long that many elements take on one thread.
    pub(crate) fn nanoseconds(&self, count: usize) -> usize {
        let bytes: usize = self.inputs.iter().chain(&self.results).sum();
        count.saturating_mul(bytes * 30 + self.plan.actions.len() * 60) / 1000
    }

    pub(crate) fn scratch(&self) -> Scratch {
        let mut blocks = vec![Memory([0; BLOCK]); self.plan.blocks];
        for (block, (bytes, bits)) in blocks.iter_mut().zip(&self.plan.constants) {
            // The same bits over and over fill the block, whatever the size of an element.
            block.0.fill(match bytes {
                1 => *bits * 0x0101_0101_0101_0101,
                4 => *bits | *bits << 32,
                _ => *bits,
            });
        }
        let padded = vec![Memory([0; BLOCK]); self.inputs.len()];
        Scratch { blocks, padded, actions: Vec::new(), coming: Vec::new() }
    }

    /// Evaluates the elements of a range, up to [`BLOCK`] of them at a time.
    pub(crate) fn evaluate(
        &self,
        level: Level,
        scratch: &mut Scratch,
        inputs: &[Bytes<'_>],
        range: Range<usize>,
        mut out: Out<'_>,
    ) {
        let (mut first, mut length) = (range.start, out.first_block(self.only()));
        while first < range.end {
            length = length.min(range.end - first);
            self.block(level, scratch, inputs, first..first + length, first - range.start, &mut out);
            (first, length) = (first + length, BLOCK);
        }
        if let Out::Streamed(_) = out {
            stream::finish();
        }
    }

    /// Bytes of an element of the only result.
    fn only(&self) -> usize {
        self.results.first().copied().unwrap_or(1)
    }

    /// Evaluates up to [`BLOCK`] elements, before which so many of the range are done.
    fn block(
        &self,
        level: Level,
        scratch: &mut Scratch,
        inputs: &[Bytes<'_>],
        range: Range<usize>,
        done: usize,
        out: &mut Out<'_>,
    ) {
        let is_whole = range.len() == BLOCK;
        if !is_whole {
            for ((input, bytes), padded) in inputs.iter().zip(&self.inputs).zip(&mut scratch.padded) {
                let from = &input.all[range.start * bytes..range.end * bytes];
                bytemuck::cast_slice_mut(&mut padded.0)[..from.len()].copy_from_slice(from);
            }
        }
        let block = Block { all: self, inputs, range };
        let written = done * self.only()..(done + block.range.len()) * self.only();
        match out {
            Out::Into(all) if is_whole && self.plan.is_direct => {
                block.run(level, scratch, To::Result(&mut all[written]));
            }
            Out::Streamed(all) if is_whole => block.run(level, scratch, To::Streamed(&mut all[written])),
            Out::Into(all) | Out::Streamed(all) => {
                block.run(level, scratch, To::Blocks);
                let result = block.at(scratch, self.plan.results[0]);
                all[written.clone()].copy_from_slice(&result[..written.len()]);
            }
            Out::Take(take) => {
                block.run(level, scratch, To::Blocks);
                for (number, (&place, bytes)) in self.plan.results.iter().zip(&self.results).enumerate() {
                    take(done, number, &block.at(scratch, place)[..block.range.len() * bytes]);
                }
            }
        }
    }
}

/// Where results go.
pub(crate) enum Out<'a> {
    /// The only result, into memory for all of the range.
    Into(&'a mut [u8]),
    /// The same, past the caches.
    Streamed(&'a mut [u8]),
    /// To a function, which is called with the place of a block's first element in the range, the number of the result,
    /// and its bytes.
    Take(&'a mut dyn FnMut(usize, usize, &[u8])),
}

impl Out<'_> {
    /// Elements, of so many bytes, of the first block: what is streamed begins a line of the caches in all others.
    fn first_block(&self, bytes: usize) -> usize {
        match self {
            Self::Streamed(all) => match all.as_ptr().align_offset(LINE) / bytes {
                0 => BLOCK,
                some => some,
            },
            _ => BLOCK,
        }
    }
}
