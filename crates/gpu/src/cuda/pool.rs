//! Device memory kept for reuse: a warm loop allocates nothing.
//!
//! Freed memory goes to a list by size, which belongs to a stream: memory may be reused while the GPU still uses it,
//! because its next user comes later on the same stream. When the driver has no more, all kept memory is returned to it
//! and it is asked again.

use super::error::{DriverError, driver};
use std::collections::{BTreeMap, HashMap};

/// Sizes are multiples of this.
const GRAIN: u64 = 512;

/// The pool.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Sizes of the allocations in use.
    live: HashMap<u64, u64>,
    /// Kept memory, by the number of its stream and by size.
    kept: BTreeMap<(u32, u64), Vec<u64>>,
    /// Whether memory is returned to the driver at once.
    thrifty: bool,
    /// Streams so far.
    streams: u32,
}

/// How an allocation can fail.
pub(super) enum PoolError {
    /// Not enough memory; this much is free.
    OutOfMemory { free: u64 },
    /// The driver fails.
    Driver(DriverError),
}

impl From<DriverError> for PoolError {
    fn from(error: DriverError) -> Self {
        Self::Driver(error)
    }
}

impl Pool {
    /// An empty pool; a thrifty one returns memory to the driver at once.
    pub(super) fn new(thrifty: bool) -> Self {
        Self { thrifty, ..Self::default() }
    }

    /// The number of a new stream.
    pub(super) fn number(&mut self) -> u32 {
        self.streams += 1;
        self.streams
    }

    /// Memory of at least that size, for a stream.
    pub(super) fn allocate(&mut self, stream: u32, bytes: u64) -> Result<u64, PoolError> {
        let size = if self.thrifty { bytes.max(1) } else { bytes.max(1).div_ceil(GRAIN).saturating_mul(GRAIN) };
        if let Some((size, at)) = self.reuse(stream, size) {
            self.live.insert(at, size);
            return Ok(at);
        }
        let at = match allocate(size) {
            Err(error) if error.is_out_of_memory() => {
                self.release()?;
                match allocate(size) {
                    Err(error) if error.is_out_of_memory() => return Err(PoolError::OutOfMemory { free: free()?.0 }),
                    other => other?,
                }
            }
            other => other?,
        };
        self.live.insert(at, size);
        Ok(at)
    }

    /// Kept memory that fits without wasting more than a quarter.
    fn reuse(&mut self, stream: u32, size: u64) -> Option<(u64, u64)> {
        let fitting = (stream, size)..=(stream, size.saturating_add(size / 4));
        let (&found, list) = self.kept.range_mut(fitting).next()?;
        let at = list.pop()?;
        if list.is_empty() {
            self.kept.remove(&found);
        }
        Some((found.1, at))
    }

    /// Takes memory back from a stream; false if it is not from this pool.
    pub(super) fn free(&mut self, stream: u32, at: u64) -> Result<bool, DriverError> {
        let Some(size) = self.live.remove(&at) else { return Ok(false) };
        if self.thrifty {
            driver!(cuMemFree_v2(at))?;
        } else {
            self.kept.entry((stream, size)).or_default().push(at);
        }
        Ok(true)
    }

    /// Returns all kept memory to the driver.
    pub(super) fn release(&mut self) -> Result<(), DriverError> {
        for at in std::mem::take(&mut self.kept).into_values().flatten() {
            driver!(cuMemFree_v2(at))?;
        }
        Ok(())
    }

    /// Returns what is kept for a stream that is done.
    pub(super) fn forget(&mut self, stream: u32) -> Result<(), DriverError> {
        let of_stream = self.kept.range((stream, 0)..=(stream, u64::MAX)).map(|(&key, _)| key).collect::<Vec<_>>();
        for at in of_stream.into_iter().filter_map(|key| self.kept.remove(&key)).flatten() {
            driver!(cuMemFree_v2(at))?;
        }
        Ok(())
    }

    /// Bytes in use or kept.
    pub(super) fn held(&self) -> u64 {
        let kept: u64 = self.kept.iter().map(|((_, size), list)| size * list.len() as u64).sum();
        self.live.values().sum::<u64>() + kept
    }
}

fn allocate(size: u64) -> Result<u64, DriverError> {
    let mut at = 0;
    driver!(cuMemAlloc_v2(&raw mut at, usize::try_from(size).unwrap_or(usize::MAX)))?;
    Ok(at)
}

/// Free and total memory of the GPU.
pub(super) fn free() -> Result<(u64, u64), DriverError> {
    let (mut free, mut total) = (0, 0);
    driver!(cuMemGetInfo_v2(&raw mut free, &raw mut total))?;
    Ok((free as u64, total as u64))
}
