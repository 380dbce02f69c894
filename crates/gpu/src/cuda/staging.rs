//! Fast copies between ordinary host memory and the GPU.
//!
//! The GPU reads host memory at full speed only where it is pinned. Ordinary memory is copied through pinned slots:
//! several host threads, each with a stream and two slots, fill one slot while the other is on its way. One thread
//! alone cannot feed the bus.

use super::context::{Context, new_event, new_stream};
use super::error::{DriverError, driver};
use cudarc::driver::sys::{CUevent, CUstream};
use std::ptr::null_mut;

/// Bytes of a slot.
const SLOT: usize = 4 << 20;
/// Copies from here on are staged; shorter ones are left to the driver.
pub(super) const STAGED_FROM: usize = 2 << 20;
/// Most host threads.
const MOST_LANES: usize = 6;

/// Pinned slots and the streams they are copied on; made when first needed.
#[derive(Debug, Default)]
pub(super) struct Staging {
    lanes: Vec<Lane>,
}

/// One host thread's share.
#[derive(Debug)]
struct Lane {
    stream: CUstream,
    slots: [*mut u8; 2],
    done: [CUevent; 2],
}

// SAFETY: streams and events may be used from any thread, and a slot is touched only by the thread that has the lane.
unsafe impl Send for Lane {}

impl Lane {
    fn new() -> Result<Self, DriverError> {
        let slot = || {
            let mut slot = null_mut();
            driver!(cuMemAllocHost_v2(&raw mut slot, SLOT))?;
            Ok::<*mut u8, DriverError>(slot.cast())
        };
        Ok(Self { stream: new_stream()?, slots: [slot()?, slot()?], done: [new_event(false)?, new_event(false)?] })
    }

    /// Copies every `stride`-th chunk to the GPU.
    fn send(
        &mut self,
        context: &Context,
        to: u64,
        from: &[u8],
        first: usize,
        stride: usize,
    ) -> Result<(), DriverError> {
        context.enter()?;
        for (turn, (index, chunk)) in from.chunks(SLOT).enumerate().skip(first).step_by(stride).enumerate() {
            let (slot, done) = (self.slots[turn % 2], self.done[turn % 2]);
            if turn >= 2 {
                driver!(cuEventSynchronize(done))?;
            }
            // SAFETY: a slot has room for a chunk, and the copy from it that was under way is over.
            unsafe { std::ptr::copy_nonoverlapping(chunk.as_ptr(), slot, chunk.len()) };
            let at = to + (index * SLOT) as u64;
            driver!(cuMemcpyHtoDAsync_v2(at, slot.cast(), chunk.len(), self.stream))?;
            driver!(cuEventRecord(done, self.stream))?;
        }
        driver!(cuStreamSynchronize(self.stream))
    }

    /// Copies chunks from the GPU, one ahead of the one that is taken out of its slot.
    fn receive(&mut self, context: &Context, mut share: Vec<(u64, &mut [u8])>) -> Result<(), DriverError> {
        context.enter()?;
        let ask = |turn: usize, share: &[(u64, &mut [u8])]| {
            let Some((at, chunk)) = share.get(turn) else { return Ok(()) };
            driver!(cuMemcpyDtoHAsync_v2(self.slots[turn % 2].cast(), *at, chunk.len(), self.stream))?;
            driver!(cuEventRecord(self.done[turn % 2], self.stream))
        };
        ask(0, &share)?;
        for turn in 0..share.len() {
            ask(turn + 1, &share)?;
            driver!(cuEventSynchronize(self.done[turn % 2]))?;
            let chunk = &mut share[turn].1;
            // SAFETY: the slot holds the chunk that was asked for, and the event says that it has arrived.
            unsafe { std::ptr::copy_nonoverlapping(self.slots[turn % 2], chunk.as_mut_ptr(), chunk.len()) };
        }
        Ok(())
    }
}

impl Staging {
    fn prepare(&mut self, context: &Context) -> Result<(), DriverError> {
        if self.lanes.is_empty() {
            let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            for _ in 0..cores.div_ceil(2).clamp(1, MOST_LANES) {
                self.lanes.push(Lane::new()?);
            }
        }
        // What is on the main stream comes first.
        let ready = new_event(false)?;
        driver!(cuEventRecord(ready, context.stream))?;
        for lane in &self.lanes {
            driver!(cuStreamWaitEvent(lane.stream, ready, 0))?;
        }
        driver!(cuEventDestroy_v2(ready))
    }

    /// Copies to the GPU; done when it returns.
    pub(super) fn upload(&mut self, context: &Context, to: u64, from: &[u8]) -> Result<(), DriverError> {
        self.prepare(context)?;
        let stride = self.lanes.len();
        std::thread::scope(|scope| {
            let lanes = self.lanes.iter_mut().enumerate();
            lanes
                .map(|(first, lane)| scope.spawn(move || lane.send(context, to, from, first, stride)))
                .collect::<Vec<_>>()
                .into_iter()
                .try_for_each(|thread| thread.join().expect("copying does not panic"))
        })
    }

    /// Copies from the GPU; done when it returns.
    pub(super) fn download(&mut self, context: &Context, from: u64, to: &mut [u8]) -> Result<(), DriverError> {
        self.prepare(context)?;
        let stride = self.lanes.len();
        let mut shares: Vec<Vec<(u64, &mut [u8])>> = (0..stride).map(|_| Vec::new()).collect();
        for (index, chunk) in to.chunks_mut(SLOT).enumerate() {
            shares[index % stride].push((from + (index * SLOT) as u64, chunk));
        }
        std::thread::scope(|scope| {
            let lanes = self.lanes.iter_mut().zip(shares);
            lanes
                .map(|(lane, share)| scope.spawn(move || lane.receive(context, share)))
                .collect::<Vec<_>>()
                .into_iter()
                .try_for_each(|thread| thread.join().expect("copying does not panic"))
        })
    }
}
