//! Expressions over all cores of the CPU.

use std::ops::Range;

use super::blocks::{Blocks, Out, Scratch};
use super::mapped::{HostBytes, Mapped, Parts};
use crate::simd::Level;
use crate::simd::stream::Stores;
use crate::{Element, Error, memory, threads};

/// Elements that one task evaluates.
const TASK: usize = 1 << 16;

/// A prepared expression with its inputs in the host's memory.
struct Work<'a> {
    level: Level,
    blocks: Blocks,
    inputs: Vec<&'a [u8]>,
}

impl Work<'_> {
    /// Evaluates a range into memory for it.
    fn fill(&self, scratch: &mut Scratch, range: Range<usize>, stores: Stores, out: &mut [u8]) {
        let out = match stores {
            Stores::Cached => Out::Into(out),
            Stores::Streamed => Out::Streamed(out),
        };
        self.blocks.evaluate(self.level, scratch, &self.inputs, range, out);
    }
}

/// Calls a function with the expression prepared for the CPU.
fn with_work(parts: &Parts<'_>, level: Level, call: &mut dyn FnMut(&Work<'_>)) -> Result<(), Error> {
    let inputs: Vec<HostBytes<'_>> = parts.inputs.iter().map(|input| input.on_host()).collect::<Result<_, _>>()?;
    let inputs: Vec<&[u8]> = inputs.iter().map(HostBytes::bytes).collect();
    call(&Work { level, blocks: Blocks::new(&parts.program, &parts.kinds()), inputs });
    Ok(())
}

/// All elements.
pub(crate) fn collect<T: Element>(mapped: &Mapped<'_, T>) -> Result<Vec<T>, Error> {
    let mut out = memory::zeros(mapped.parts.length);
    fill(&mapped.parts, Level::current(), None, size_of::<T>(), bytemuck::cast_slice_mut(&mut out))?;
    Ok(out)
}

/// All elements, into memory that was used before.
pub(crate) fn collect_into<T: Element>(mapped: &Mapped<'_, T>, out: &mut [T]) -> Result<(), Error> {
    collect_into_at(mapped, Level::current(), Stores::of(out), out)
}

pub(crate) fn collect_into_at<T: Element>(
    mapped: &Mapped<'_, T>,
    level: Level,
    stores: Stores,
    out: &mut [T],
) -> Result<(), Error> {
    fill(&mapped.parts, level, Some(stores), size_of::<T>(), bytemuck::cast_slice_mut(out))
}

/// Evaluates into bytes of elements of that size; without stores to use, they are fresh from the system.
fn fill(parts: &Parts<'_>, level: Level, stores: Option<Stores>, size: usize, out: &mut [u8]) -> Result<(), Error> {
    let fresh = if stores.is_none() { memory::pages(out, size) } else { None };
    let tasks = fresh.unwrap_or_else(|| threads::in_chunks(out.len(), TASK * size));
    let stores = stores.unwrap_or(Stores::Cached);
    with_work(parts, level, &mut |work| {
        let nanoseconds = work.blocks.nanoseconds(parts.length);
        threads::for_each_part(out, &tasks, nanoseconds, |range, out| {
            let range = range.start / size..range.end / size;
            work.fill(&mut work.blocks.scratch(), range, stores, out);
        });
    })
}

/// What a function makes of every chunk of elements, in order; the last chunk may be shorter. Chunks stay in the
/// caches.
pub(crate) fn chunks<T: Element, R: Send + Sync>(
    mapped: &Mapped<'_, T>,
    level: Level,
    chunk: usize,
    make: &(dyn Fn(usize, &[T]) -> R + Sync),
) -> Result<Vec<R>, Error> {
    let n = mapped.parts.length;
    let chunks = threads::in_chunks(n, chunk);
    let per_task = (TASK / chunk).max(1);
    let mut made = Vec::new();
    with_work(&mapped.parts, level, &mut |work| {
        made = threads::map(chunks.len().div_ceil(per_task), work.blocks.nanoseconds(n), |task| {
            let mut scratch = work.blocks.scratch();
            let mut values = vec![T::ZERO; chunk.min(n)];
            let own = &chunks[task * per_task..chunks.len().min((task + 1) * per_task)];
            let one = |range: &Range<usize>| {
                let values = &mut values[..range.len()];
                work.fill(&mut scratch, range.clone(), Stores::Cached, bytemuck::cast_slice_mut(values));
                make(range.start, values)
            };
            own.iter().map(one).collect::<Vec<R>>()
        });
    })?;
    Ok(made.into_iter().flatten().collect())
}
