//! Expressions on the CPU: every operation goes over a block of elements that stays in the first-level cache, so that
//! memory is read once and written once, and the time to choose the operation is shared by a thousand elements.

mod loops;
mod plan;

use std::ops::Range;

use super::kind::Kind;
use super::program::{Op, Program};
use crate::simd::Level;
use crate::simd::ahead::Ahead;
use plan::{Action, Place, Plan};

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
            // The same bits over and over fill the block, whatever the size of an element.
            block.0.fill(match bytes {
                1 => *bits * 0x0101_0101_0101_0101,
                4 => *bits | *bits << 32,
                _ => *bits,
            });
        }
        Scratch {
            blocks: blocks.into_iter().map(Some).collect(),
            padded: self.inputs.iter().map(|_| memory()).collect(),
        }
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
        let only = self.results.first().copied().unwrap_or(1);
        for first in range.clone().step_by(BLOCK) {
            let (length, done) = (BLOCK.min(range.end - first), first - range.start);
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
            let mut actions = &self.plan.actions[..];
            // The last action may write where the result belongs.
            let direct = match (&mut out, actions.split_last(), &self.plan.results[..]) {
                (Out::Into(all), Some((last, before)), [Place::Block(block)])
                    if length == BLOCK && last.to == *block =>
                {
                    actions = before;
                    Some((last, &mut all[done * only..(done + BLOCK) * only]))
                }
                _ => None,
            };
            for action in actions {
                let Some(mut to) = scratch.blocks[action.to].take() else { continue };
                self.act(level, action, scratch, &input, bytemuck::cast_slice_mut(&mut to.0));
                scratch.blocks[action.to] = Some(to);
            }
            if let Some((action, to)) = direct {
                self.act(level, action, scratch, &input, to);
                scratch.padded = padded;
                continue;
            }
            for (number, (place, bytes)) in self.plan.results.iter().zip(&self.results).enumerate() {
                let result = match *place {
                    Place::Input(number) => input(number),
                    Place::Block(number) => scratch.bytes(number),
                };
                let result = &result[..length * bytes];
                match &mut out {
                    Out::Into(all) => all[done * only..][..result.len()].copy_from_slice(result),
                    Out::Take(take) => take(done, number, result),
                }
            }
            scratch.padded = padded;
        }
    }

    fn act<'a>(
        &self,
        level: Level,
        action: &Action,
        scratch: &Scratch,
        input: &dyn Fn(usize) -> &'a [u8],
        to: &mut [u8],
    ) {
        let from: [&[u8]; 3] = action.from.map(|place| match place {
            Place::Input(number) => input(number),
            Place::Block(number) => scratch.bytes(number),
        });
        let work = loops::Action { op: action.op, kinds: action.kinds, to, from };
        match action.op {
            Op::FloorDivide | Op::Remainder => work.divide_integers(),
            _ => level.run(work),
        }
    }
}

/// Where results go.
pub(crate) enum Out<'a> {
    /// The only result, into memory for all of the range.
    Into(&'a mut [u8]),
    /// To a function, which is called with the place of a block's first element in the range, the number of the result,
    /// and its bytes.
    Take(&'a mut dyn FnMut(usize, usize, &[u8])),
}
