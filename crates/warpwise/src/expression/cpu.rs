//! Expressions over all cores of the CPU.

use std::ops::Range;

use super::blocks::{Blocks, Bytes, Scratch};
use super::mapped::{HostBytes, Mapped};
use crate::simd::Level;
use crate::simd::stream::{self, Stores};
use crate::{Element, Error, Input, memory, threads};

/// Elements that one task evaluates.
const TASK: usize = 1 << 16;

/// A prepared expression with its inputs in the host's memory.
struct Work<'a> {
    level: Level,
    blocks: Blocks,
    inputs: Vec<Bytes<'a>>,
}

impl Work<'_> {
    /// Evaluates a range into memory for it.
    fn fill(&self, scratch: &mut Scratch, range: Range<usize>, stores: Stores, out: &mut [u8]) {
        let size = out.len() / range.len().max(1);
        self.blocks.evaluate(self.level, scratch, &self.inputs, range, &mut |first, _, bytes| {
            stream::write(self.level, stores, bytes, &mut out[first * size..][..bytes.len()]);
        });
        if stores == Stores::Streamed {
            stream::finish();
        }
    }
}

/// Calls a function with the expression prepared for the CPU.
fn with_work<T: Element, R>(
    mapped: &Mapped<'_, T>,
    level: Level,
    call: impl FnOnce(&Work<'_>) -> R,
) -> Result<R, Error> {
    let inputs: Vec<HostBytes<'_>> = mapped.inputs.iter().map(|input| input.on_host()).collect::<Result<_, _>>()?;
    let inputs: Vec<Bytes<'_>> = inputs.iter().map(|input| Bytes::new(input.bytes())).collect();
    Ok(call(&Work { level, blocks: Blocks::new(&mapped.program, &mapped.kinds()), inputs }))
}

/// All elements.
pub(crate) fn collect<T: Element>(mapped: &Mapped<'_, T>) -> Result<Vec<T>, Error> {
    let mut out = memory::zeros(mapped.length());
    let parts = memory::pages(&out, 1);
    with_work(mapped, Level::current(), |work| match parts {
        Some(parts) => {
            let nanoseconds = work.blocks.nanoseconds(out.len());
            threads::for_each_part(&mut out, &parts, nanoseconds, |range, out| {
                work.fill(&mut work.blocks.scratch(), range, Stores::Cached, bytemuck::cast_slice_mut(out));
            });
        }
        None => in_tasks(work, Stores::Cached, &mut out),
    })?;
    Ok(out)
}

/// All elements, into memory that was used before.
pub(crate) fn collect_into<T: Element>(mapped: &Mapped<'_, T>, out: &mut [T]) -> Result<(), Error> {
    collect_into_at(mapped, Level::current(), out)
}

pub(crate) fn collect_into_at<T: Element>(mapped: &Mapped<'_, T>, level: Level, out: &mut [T]) -> Result<(), Error> {
    with_work(mapped, level, |work| in_tasks(work, Stores::of(out), out))
}

fn in_tasks<T: Element>(work: &Work<'_>, stores: Stores, out: &mut [T]) {
    let nanoseconds = work.blocks.nanoseconds(out.len());
    threads::for_each_chunk(out, TASK, nanoseconds, |i, out| {
        let range = i * TASK..i * TASK + out.len();
        work.fill(&mut work.blocks.scratch(), range, stores, bytemuck::cast_slice_mut(out));
    });
}

/// What a function makes of every chunk of elements, in order; the last chunk may be shorter. Chunks stay in the
/// caches.
pub(crate) fn chunks<T: Element, R: Send + Sync>(
    mapped: &Mapped<'_, T>,
    level: Level,
    chunk: usize,
    make: &(dyn Fn(usize, &[T]) -> R + Sync),
) -> Result<Vec<R>, Error> {
    let n = mapped.length();
    let chunks = threads::in_chunks(n, chunk);
    let per_task = (TASK / chunk).max(1);
    let lists = with_work(mapped, level, |work| {
        threads::map(chunks.len().div_ceil(per_task), work.blocks.nanoseconds(n), |task| {
            let mut scratch = work.blocks.scratch();
            let mut values = vec![T::ZERO; chunk.min(n)];
            let own = &chunks[task * per_task..chunks.len().min((task + 1) * per_task)];
            let one = |range: &Range<usize>| {
                let values = &mut values[..range.len()];
                work.fill(&mut scratch, range.clone(), Stores::Cached, bytemuck::cast_slice_mut(values));
                make(range.start, values)
            };
            own.iter().map(one).collect::<Vec<R>>()
        })
    })?;
    Ok(lists.into_iter().flatten().collect())
}
