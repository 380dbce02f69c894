//! One block of elements, part by part.

use std::ops::Range;
use std::slice;

use super::plan::Place;
use super::{BLOCK, Blocks, Bytes, Scratch, loops};
use crate::memory::LINE;
use crate::simd::stream::{self, Stores};
use crate::simd::{Level, prefetch_line};

/// Up to [`BLOCK`] elements.
pub(super) struct Block<'a, 'b> {
    pub(super) all: &'a Blocks,
    pub(super) inputs: &'a [Bytes<'b>],
    pub(super) range: Range<usize>,
}

/// Where the result of a whole block goes.
pub(super) enum To<'a> {
    /// It stays in its block.
    Blocks,
    /// The only one, where it belongs.
    Result(&'a mut [u8]),
    /// The same, past the caches.
    Streamed(&'a mut [u8]),
}

impl Block<'_, '_> {
    fn is_whole(&self) -> bool {
        self.range.len() == BLOCK
    }

    /// The bytes of an input.
    fn input<'a>(&'a self, scratch: &'a Scratch, number: usize) -> &'a [u8] {
        if self.is_whole() {
            let bytes = self.all.inputs[number];
            let input = &self.inputs[number].all[self.range.start * bytes..self.range.end * bytes];
            assert!(input.as_ptr().addr().is_multiple_of(bytes), "elements are aligned");
            input
        } else {
            bytemuck::cast_slice(&scratch.padded[number].0)
        }
    }

    /// The bytes of an input or a result.
    pub(super) fn at<'a>(&'a self, scratch: &'a Scratch, place: Place) -> &'a [u8] {
        match place {
            Place::Input(number) => self.input(scratch, number),
            Place::Block(number) => bytemuck::cast_slice(&scratch.blocks[number].0),
        }
    }

    /// Evaluates all elements.
    pub(super) fn run(&self, level: Level, scratch: &mut Scratch, to: To<'_>) {
        let plan = &self.all.plan;
        let mut actions = std::mem::take(&mut scratch.actions);
        let blocks = scratch.blocks.as_mut_ptr();
        let at = |place| match place {
            Place::Input(number) => self.input(scratch, number).as_ptr(),
            Place::Block(number) => blocks.wrapping_add(number).cast_const().cast(),
        };
        actions.clear();
        actions.extend(plan.actions.iter().map(|action| loops::Action {
            op: action.op,
            kinds: action.kinds,
            to: blocks.wrapping_add(action.to).cast(),
            from: [at(action.from[0]), at(action.from[1]), at(action.from[2])],
        }));
        let mut streamed = None;
        match to {
            To::Blocks => {}
            To::Result(result) => {
                let bytes = self.all.only();
                assert!(plan.is_direct && result.len() == BLOCK * bytes, "room for a block");
                assert!(result.as_ptr().addr().is_multiple_of(bytes), "elements are aligned");
                actions.last_mut().expect("the one that writes the result").to = result.as_mut_ptr();
            }
            To::Streamed(result) => {
                assert!(result.len() == BLOCK * self.all.only(), "room for a block");
                streamed = Some((at(plan.results[0]), result));
            }
        }
        let coming = |(bytes, input): (&usize, &Bytes<'_>)| Coming {
            at: input.ahead.at(&input.all[self.range.start * bytes..self.range.end * bytes]),
            lines: self.all.part * bytes / LINE,
        };
        scratch.coming.clear();
        if self.is_whole() {
            scratch.coming.extend(self.all.inputs.iter().zip(self.inputs).map(coming));
        }
        let (coming, bytes) = (&mut scratch.coming, self.all.only());
        let (length, part) = (self.range.len(), self.all.part);
        Parts { level, length, part, coming, actions: &actions, bytes, streamed }.run();
        scratch.actions = actions;
    }
}

/// All actions of a block. All of them take a part before any takes the next: there are a few lines of memory to ask for
/// at every part, which come while it is computed. The lines of a whole block at once would come while nothing else is
/// done, and memory would then have to wait for the block.
struct Parts<'a> {
    level: Level,
    /// Elements of the block, and of a part.
    length: usize,
    part: usize,
    coming: &'a mut [Coming],
    actions: &'a [loops::Action],
    /// Bytes of an element of the only result.
    bytes: usize,
    /// The result, and where it belongs.
    streamed: Option<(*const u8, &'a mut [u8])>,
}

/// What to prefetch of an input.
pub(super) struct Coming {
    /// Where it begins.
    at: *const u8,
    /// Lines of a part.
    lines: usize,
}

impl Parts<'_> {
    fn run(self) {
        let Self { level, length, part, coming, actions, bytes, mut streamed } = self;
        for start in (0..length).step_by(part) {
            for coming in &mut *coming {
                for _ in 0..coming.lines {
                    prefetch_line(coming.at);
                    coming.at = coming.at.wrapping_add(LINE);
                }
            }
            for action in actions {
                // SAFETY: all blocks have room for whole parts; an action's result is none of its arguments.
                level.run(unsafe { action.part(start..start + part) });
            }
            if let Some((result, to)) = &mut streamed {
                let (first, length) = (start * bytes, part * bytes);
                // SAFETY: the result has all elements of the block.
                let from = unsafe { slice::from_raw_parts(result.add(first), length) };
                stream::write(level, Stores::Streamed, from, &mut to[first..first + length]);
            }
        }
    }
}
