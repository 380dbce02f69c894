//! Segments on all cores of the CPU.

use std::ops::Range;

use crate::by_key::combined;
use crate::sort::{self, Key, Value};
use crate::{Device, Element, Error, Operator, threads};

/// Segments of a task.
const SEGMENTS: usize = 1 << 8;
/// Elements from which on a segment is sorted by all cores.
const LONG: usize = 1 << 15;

fn segment(offsets: &[u64], s: usize) -> Range<usize> {
    offsets[s] as usize..offsets[s + 1] as usize
}

/// Every segment combined.
pub(super) fn reduce<T: Element>(operator: Operator, xs: &[T], offsets: &[u64]) -> Vec<T> {
    let segments = offsets.len().saturating_sub(1);
    let tasks = threads::map(segments.div_ceil(SEGMENTS), xs.len() / 2, |task| {
        let own = task * SEGMENTS..segments.min((task + 1) * SEGMENTS);
        let one = |s: usize| match &xs[segment(offsets, s)] {
            [] => operator.identity(),
            some => combined(operator, some),
        };
        own.map(one).collect::<Vec<T>>()
    });
    tasks.concat()
}

/// Every segment sorted.
pub(super) fn sort<K: Key + Value>(xs: &[K], offsets: &[u64]) -> Result<Vec<K>, Error> {
    let mut out = xs.to_vec();
    // Parts cover everything: short segments, which are sorted, and all that is between them.
    let (mut parts, mut is_short, mut end) = (Vec::new(), Vec::new(), 0);
    let segments = (0..offsets.len().saturating_sub(1)).map(|s| segment(offsets, s)).filter(|part| !part.is_empty());
    for part in segments {
        if part.len() >= LONG {
            sort::sort_into(&Device::cpu(), &xs[part.clone()], &mut out[part])?;
            continue;
        }
        if end < part.start {
            parts.push(end..part.start);
            is_short.push(false);
        }
        end = part.end;
        parts.push(part);
        is_short.push(true);
    }
    threads::for_each_part(&mut out, &parts, 20 * xs.len(), |range, part| {
        if is_short[parts.partition_point(|before| before.start < range.start)] {
            part.sort_by_key(|key| key.ordered());
        }
    });
    Ok(out)
}
