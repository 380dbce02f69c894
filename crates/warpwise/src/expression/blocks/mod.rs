//! Expressions on the CPU: every operation goes over a part of a block that stays in the first-level cache, so that
//! memory is read once and written once, and the time to choose the operation is shared by many elements.

mod block;
mod coming;
mod loops;
mod plan;

use std::ops::Range;

use super::kind::Kind;
use super::program::Program;
use crate::memory::LINE;
use crate::simd::{Level, stream};
use block::{Block, To};
use plan::{Place, Plan};

/// Elements of a block.
pub(crate) const BLOCK: usize = 1024;

/// Elements of a part of a block: enough that choosing the operation takes little of the time, and few enough that all
/// that operations give each other stays in the first-level cache.
const PART: usize = 128;

/// Memory for so many elements of any type, from the beginning of a cache line on.
#[derive(Clone)]
#[repr(C, align(64))]
struct Memory<const N: usize>([u64; N]);

impl<const N: usize> Memory<N> {
    const ZERO: Self = Self([0; N]);

    /// Fills it with an element of so many bytes, over and over.
    fn fill(&mut self, bytes: usize, bits: u64) {
        self.0.fill(match bytes {
            1 => bits * 0x0101_0101_0101_0101,
            4 => bits | bits << 32,
            _ => bits,
        });
    }
}

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
    results: Vec<Memory<BLOCK>>,
    parts: Vec<Memory<PART>>,
    /// For an incomplete block of each input.
    padded: Vec<Memory<BLOCK>>,
    /// Those of one block.
    actions: Vec<loops::Action>,
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
        let mut results = vec![Memory::ZERO; self.plan.blocks];
        let mut parts = vec![Memory::ZERO; self.plan.parts];
        for &(place, bytes, bits) in &self.plan.constants {
            match place {
                Place::Result(number) => results[number].fill(bytes, bits),
                Place::Part(number) => parts[number].fill(bytes, bits),
                Place::Input(_) => {}
            }
        }
        let padded = vec![Memory::ZERO; self.inputs.len()];
        Scratch { results, parts, padded, actions: Vec::new() }
    }

    /// Evaluates the elements of a range of the inputs, which are given as bytes.
    pub(crate) fn evaluate(
        &self,
        level: Level,
        scratch: &mut Scratch,
        inputs: &[&[u8]],
        range: Range<usize>,
        mut out: Out<'_>,
    ) {
        for (input, bytes) in inputs.iter().zip(&self.inputs) {
            assert!(input.as_ptr().addr() & (bytes - 1) == 0, "elements are aligned");
        }
        // What goes straight to its place need not stop after every block.
        let whole = |count: usize| count / BLOCK * BLOCK;
        let (mut first, mut length) = (range.start, out.first_block(self.only()));
        while first < range.end {
            length = length.min(range.end - first);
            self.block(level, scratch, inputs, first..first + length, first - range.start, &mut out);
            first += length;
            length = match out {
                Out::Into(_) | Out::Streamed(_) if self.plan.is_direct => whole(range.end - first).max(BLOCK),
                _ => BLOCK,
            };
        }
        if let Out::Streamed(_) = out {
            stream::finish();
        }
    }

    /// Bytes of an element of the only result.
    fn only(&self) -> usize {
        self.results.first().copied().unwrap_or(1)
    }

    /// Evaluates up to [`BLOCK`] elements, or whole blocks, before which so many of the range are done.
    fn block(
        &self,
        level: Level,
        scratch: &mut Scratch,
        inputs: &[&[u8]],
        range: Range<usize>,
        done: usize,
        out: &mut Out<'_>,
    ) {
        let is_whole = range.len().is_multiple_of(BLOCK);
        if !is_whole {
            for ((input, bytes), padded) in inputs.iter().zip(&self.inputs).zip(&mut scratch.padded) {
                let from = &input[range.start * bytes..range.end * bytes];
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
    /// Elements, of so many bytes, of the first block: large results begin a line of the caches in all others, so that
    /// every store writes one line only.
    fn first_block(&self, bytes: usize) -> usize {
        const LARGE: usize = 1 << 16;
        match self {
            Self::Into(all) if all.len() < LARGE => BLOCK,
            Self::Into(all) | Self::Streamed(all) => match all.as_ptr().align_offset(LINE) / bytes {
                0 => BLOCK,
                some => some,
            },
            Self::Take(_) => BLOCK,
        }
    }
}
