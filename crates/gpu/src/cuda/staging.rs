//! Fast copies between ordinary host memory and the GPU.
//!
//! The GPU reads host memory at full speed only where it is pinned. Ordinary memory is copied through pinned slots:
//! several host threads, each with a stream and two slots, fill one slot while the other is on its way. One thread
//! alone cannot feed the bus. The two directions have slots of their own, so that copies can go both ways at once.

use super::context::{Context, new_event, new_stream};
use super::error::{DriverError, driver};
use crate::device::{Copier, DeviceError, Fence};
use cudarc::driver::sys::{CUevent, CUstream};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpwise_simt::DevicePtr;

/// Bytes of a slot.
const SLOT: usize = 2 << 20;
/// Copies from here on are staged; shorter ones are left to the driver.
pub(super) const STAGED_FROM: usize = 2 << 20;
/// Most host threads.
const MOST_LANES: usize = 8;

/// Pinned slots and the streams they are copied on, for each direction; made when first needed.
#[derive(Debug)]
pub(super) struct Staging {
    context: Arc<Context>,
    up: Mutex<Vec<Lane>>,
    down: Mutex<Vec<Lane>>,
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

/// A direction's lanes, made at the first use.
fn ready(lanes: &Mutex<Vec<Lane>>) -> Result<MutexGuard<'_, Vec<Lane>>, DriverError> {
    let mut lanes = lanes.lock().unwrap_or_else(PoisonError::into_inner);
    if lanes.is_empty() {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        for _ in 0..cores.div_ceil(2).clamp(1, MOST_LANES) {
            lanes.push(Lane::new()?);
        }
    }
    Ok(lanes)
}

/// Gives every lane a thread and an item of work.
fn share_out<W: Send>(
    lanes: &mut [Lane],
    work: impl IntoIterator<Item = W>,
    task: impl Fn(&mut Lane, W) -> Result<(), DriverError> + Sync,
) -> Result<(), DriverError> {
    let task = &task;
    std::thread::scope(|scope| {
        let lanes = lanes.iter_mut().zip(work);
        lanes
            .map(|(lane, work)| scope.spawn(move || task(lane, work)))
            .collect::<Vec<_>>()
            .into_iter()
            .try_for_each(|thread| thread.join().expect("copying does not panic"))
    })
}

impl Staging {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self { context, up: Mutex::default(), down: Mutex::default() }
    }

    /// Copies to the GPU at once, whatever its stream is at; done when it returns.
    pub(super) fn upload(&self, to: u64, from: &[u8]) -> Result<(), DriverError> {
        self.context.enter()?;
        let mut lanes = ready(&self.up)?;
        let stride = lanes.len();
        share_out(&mut lanes, 0..stride, |lane, first| lane.send(&self.context, to, from, first, stride))
    }

    /// Copies from the GPU at once, whatever its stream is at; done when it returns.
    pub(super) fn download(&self, from: u64, to: &mut [u8]) -> Result<(), DriverError> {
        self.context.enter()?;
        let mut lanes = ready(&self.down)?;
        let stride = lanes.len();
        let mut shares: Vec<Vec<(u64, &mut [u8])>> = (0..stride).map(|_| Vec::new()).collect();
        for (index, chunk) in to.chunks_mut(SLOT).enumerate() {
            shares[index % stride].push((from + (index * SLOT) as u64, chunk));
        }
        share_out(&mut lanes, shares, |lane, share| lane.receive(&self.context, share))
    }
}

impl Copier for Staging {
    fn upload(&self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        Ok(self.upload(to.0, bytes)?)
    }

    fn download(&self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        Ok(self.download(from.0, bytes)?)
    }

    fn fence(&self) -> Result<Box<dyn Fence>, DeviceError> {
        self.context.enter()?;
        let reached = Reached { context: Arc::clone(&self.context), event: new_event(false)? };
        driver!(cuEventRecord(reached.event, self.context.stream))?;
        Ok(Box::new(reached))
    }
}

/// A place in the stream of work.
struct Reached {
    context: Arc<Context>,
    event: CUevent,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Reached {}

impl Fence for Reached {
    fn wait(&self) -> Result<(), DeviceError> {
        self.context.enter()?;
        Ok(driver!(cuEventSynchronize(self.event))?)
    }
}

impl Drop for Reached {
    fn drop(&mut self) {
        // There is nobody to tell of an event that cannot be given back.
        let _ = self.context.enter().and_then(|()| driver!(cuEventDestroy_v2(self.event)));
    }
}
