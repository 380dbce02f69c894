//! One block of elements, part by part.

use std::ops::Range;
use std::slice;

use super::coming::Coming;
use super::loops::{self, Elements};
use super::plan::Place;
use super::{BLOCK, Blocks, PART, Scratch};
use crate::simd::Level;
use crate::simd::stream::{self, Stores};

/// Up to [`BLOCK`] elements, or whole blocks whose result goes straight to its place.
pub(super) struct Block<'a, 'b> {
    pub(super) all: &'a Blocks,
    pub(super) inputs: &'a [&'b [u8]],
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
        self.range.len().is_multiple_of(BLOCK)
    }

    /// The bytes of an input.
    fn input<'a>(&'a self, scratch: &'a Scratch, number: usize) -> &'a [u8] {
        if self.is_whole() {
            let bytes = self.all.inputs[number];
            &self.inputs[number][self.range.start * bytes..self.range.end * bytes]
        } else {
            bytemuck::cast_slice(&scratch.padded[number].0)
        }
    }

    /// The bytes of an input or a result.
    pub(super) fn at<'a>(&'a self, scratch: &'a Scratch, place: Place) -> &'a [u8] {
        match place {
            Place::Input(number) => self.input(scratch, number),
            Place::Result(number) => bytemuck::cast_slice(&scratch.results[number].0),
            Place::Part(number) => bytemuck::cast_slice(&scratch.parts[number].0),
        }
    }

    /// Evaluates all elements.
    pub(super) fn run(&self, level: Level, scratch: &mut Scratch, to: To<'_>) {
        let plan = &self.all.plan;
        let mut actions = std::mem::take(&mut scratch.actions);
        let (results, parts) = (scratch.results.as_mut_ptr(), scratch.parts.as_mut_ptr());
        let at = |place| match place {
            Place::Input(number) => Elements::of_block(self.input(scratch, number).as_ptr().cast_mut()),
            Place::Result(number) => Elements::of_block(results.wrapping_add(number).cast()),
            Place::Part(number) => Elements::of_part(parts.wrapping_add(number).cast()),
        };
        actions.clear();
        actions.extend(plan.actions.iter().map(|action| loops::Action {
            run: action.run,
            level,
            to: at(action.to),
            from: [at(action.from[0]), at(action.from[1]), at(action.from[2])],
            coming: [Coming::NOTHING; 2],
        }));
        let mut streamed = None;
        match to {
            To::Blocks => {}
            To::Result(result) => {
                let bytes = self.all.only();
                assert!(plan.is_direct && result.len() == self.range.len() * bytes, "room for all elements");
                assert!(result.as_ptr().addr().is_multiple_of(bytes), "elements are aligned");
                actions.last_mut().expect("the one that writes the result").to =
                    Elements::of_block(result.as_mut_ptr());
            }
            To::Streamed(result) => {
                assert!(result.len() == self.range.len() * self.all.only(), "room for all elements");
                if plan.is_direct {
                    // A part is written before the next one is computed.
                    let last = actions.last_mut().expect("the one that writes the result");
                    last.to = Elements::of_part(last.to.first);
                    streamed = Some((last.to, result));
                } else {
                    streamed = Some((at(plan.results[0]), result));
                }
            }
        }
        if self.is_whole() {
            let count = actions.len();
            for (number, &bytes) in self.all.inputs.iter().take(2).enumerate() {
                let input = self.input(scratch, number);
                for (i, action) in actions.iter_mut().enumerate() {
                    action.coming[number] = Coming::new(input.as_ptr(), bytes, i, count);
                }
            }
        }
        Parts { length: self.range.len(), actions: &actions, bytes: self.all.only(), streamed }.run(level);
        scratch.actions = actions;
    }
}

/// All actions. All of them take a part before any takes the next: there are a few lines of memory to ask for
/// at every part, which come while it is computed. The lines of a whole block at once would come while nothing else is
/// done, and memory would then have to wait for the block. And what actions give each other takes little of the
/// first-level cache, and leaves room there for those lines.
struct Parts<'a> {
    /// The number of elements.
    length: usize,
    actions: &'a [loops::Action],
    /// Bytes of an element of the only result.
    bytes: usize,
    /// The result, and where it belongs.
    streamed: Option<(Elements, &'a mut [u8])>,
}

impl Parts<'_> {
    fn run(self, level: Level) {
        let Self { length, actions, bytes, mut streamed } = self;
        for start in (0..length).step_by(PART) {
            for action in actions {
                // SAFETY: all blocks have room for whole parts; an action's result is none of its arguments.
                unsafe { action.run(start) };
            }
            if let Some((result, to)) = &mut streamed {
                let (first, length) = (start * bytes, PART * bytes);
                // SAFETY: the result has all elements, or those of the part.
                let from = unsafe { slice::from_raw_parts(result.part::<u8>(first), length) };
                stream::write(level, Stores::Streamed, from, &mut to[first..first + length]);
            }
        }
    }
}
