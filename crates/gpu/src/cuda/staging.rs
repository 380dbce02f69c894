//! Fast copies between ordinary host memory and the GPU.
//!
//! The GPU reads host memory at full speed only if it is pinned. Ordinary memory is copied through pinned slots:
//! several host threads, each with a stream and two slots, fill one slot while the other is in flight. One thread alone
//! cannot feed the bus. Each direction has its own slots, so copies can go both ways at once.

use super::api::{CUevent, CUstream};
use super::context::{Context, Reached, Stream, new_event, new_stream};
use super::error::{DriverError, driver};
use super::streaming;
use crate::{Copier, DeviceError, DevicePtr, Fence};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a slot.
const SLOT: usize = 2 << 20;
/// Copies from this size on are staged; shorter ones are left to the driver.
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

// SAFETY: streams and events may be used from any thread, and a slot is touched only by the thread that holds the lane.
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

    /// Copies chunks to the GPU; calls `arrived` with the piece of each chunk when it has arrived.
    fn send(
        &mut self,
        context: &Context,
        share: &[(usize, u64, &[u8])],
        arrived: &(dyn Fn(usize) + Sync),
    ) -> Result<(), DriverError> {
        context.enter()?;
        for turn in 0..share.len() + 2 {
            let (slot, done) = (self.slots[turn % 2], self.done[turn % 2]);
            if let Some(&(piece, ..)) = turn.checked_sub(2).and_then(|before| share.get(before)) {
                driver!(cuEventSynchronize(done))?;
                arrived(piece);
            }
            let Some(&(_, at, chunk)) = share.get(turn) else { continue };
            // SAFETY: a slot has room for a chunk, and the earlier copy from it has finished.
            unsafe { std::ptr::copy_nonoverlapping(chunk.as_ptr(), slot, chunk.len()) };
            driver!(cuMemcpyHtoDAsync_v2(at, slot.cast(), chunk.len(), self.stream))?;
            driver!(cuEventRecord(done, self.stream))?;
        }
        Ok(())
    }

    /// Copies chunks from the GPU, one ahead of the one being taken out of its slot if it is computed by then.
    fn receive(
        &mut self,
        context: &Context,
        share: &mut [(usize, u64, &mut [u8])],
        computed: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<(), DriverError> {
        context.enter()?;
        let ask = |turn: usize, share: &[(usize, u64, &mut [u8])]| {
            let (_, at, chunk) = &share[turn];
            driver!(cuMemcpyDtoHAsync_v2(self.slots[turn % 2].cast(), *at, chunk.len(), self.stream))?;
            driver!(cuEventRecord(self.done[turn % 2], self.stream))
        };
        let mut asked = 0;
        for turn in 0..share.len() {
            if asked == turn {
                if !computed(share[turn].0) {
                    return Ok(());
                }
                ask(turn, share)?;
                asked += 1;
            }
            // The next chunk of the same piece can be copied too.
            if share.get(turn + 1).is_some_and(|next| next.0 == share[turn].0) {
                ask(turn + 1, share)?;
                asked += 1;
            }
            driver!(cuEventSynchronize(self.done[turn % 2]))?;
            let chunk = &mut share[turn].2;
            // SAFETY: the slot holds the chunk that was asked for, and the event says that it has arrived.
            let arrived = unsafe { std::slice::from_raw_parts(self.slots[turn % 2], chunk.len()) };
            streaming::copy(arrived, chunk);
        }
        Ok(())
    }
}

/// Cuts pieces into chunks of a slot's size, and deals them out to that many lanes.
fn deal<C>(pieces: impl IntoIterator<Item = (u64, Vec<C>)>, lanes: usize) -> Vec<Vec<(usize, u64, C)>> {
    let mut shares: Vec<Vec<_>> = (0..lanes).map(|_| Vec::new()).collect();
    let mut dealt = 0;
    for (piece, (at, chunks)) in pieces.into_iter().enumerate() {
        for (index, chunk) in chunks.into_iter().enumerate() {
            shares[dealt % lanes].push((piece, at + (index * SLOT) as u64, chunk));
            dealt += 1;
        }
    }
    shares
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

    /// Copies to the GPU at once, regardless of its stream; done when it returns.
    pub(super) fn upload(&self, to: u64, from: &[u8]) -> Result<(), DriverError> {
        self.send(&[(DevicePtr(to), from)], &|_| ())
    }

    /// Copies from the GPU at once, regardless of its stream; done when it returns.
    pub(super) fn download(&self, from: u64, to: &mut [u8]) -> Result<(), DriverError> {
        self.receive(vec![(DevicePtr(from), to)], &|_| true)
    }

    fn send(&self, pieces: &[(DevicePtr, &[u8])], arrived: &(dyn Fn(usize) + Sync)) -> Result<(), DriverError> {
        self.context.enter()?;
        let mut lanes = ready(&self.up)?;
        let chunks = pieces.iter().map(|(to, bytes)| (to.0, bytes.chunks(SLOT).collect::<Vec<_>>()));
        let shares = deal(chunks, lanes.len());
        // A piece has arrived when all its chunks have.
        let left: Vec<_> = pieces.iter().map(|(_, bytes)| AtomicUsize::new(bytes.len().div_ceil(SLOT))).collect();
        let count = |piece: usize| {
            if left[piece].fetch_sub(1, Ordering::AcqRel) == 1 {
                arrived(piece);
            }
        };
        pieces.iter().enumerate().filter(|(_, (_, bytes))| bytes.is_empty()).for_each(|(piece, _)| arrived(piece));
        share_out(&mut lanes, shares, |lane, share| lane.send(&self.context, &share, &count))
    }

    fn receive(
        &self,
        pieces: Vec<(DevicePtr, &mut [u8])>,
        computed: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<(), DriverError> {
        self.context.enter()?;
        let mut lanes = ready(&self.down)?;
        let chunks = pieces.into_iter().map(|(from, bytes)| (from.0, bytes.chunks_mut(SLOT).collect::<Vec<_>>()));
        let shares = deal(chunks, lanes.len());
        share_out(&mut lanes, shares, |lane, mut share| lane.receive(&self.context, &mut share, computed))
    }
}

/// The copies, beside the work of one stream.
pub(super) struct BesideStream {
    pub(super) staging: Arc<Staging>,
    pub(super) stream: Arc<Stream>,
}

impl Copier for BesideStream {
    fn upload(&self, pieces: &[(DevicePtr, &[u8])], arrived: &(dyn Fn(usize) + Sync)) -> Result<(), DeviceError> {
        Ok(self.staging.send(pieces, arrived)?)
    }

    fn download(
        &self,
        pieces: Vec<(DevicePtr, &mut [u8])>,
        computed: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<(), DeviceError> {
        Ok(self.staging.receive(pieces, computed)?)
    }

    fn fence(&self) -> Result<Box<dyn Fence>, DeviceError> {
        self.stream.context.enter()?;
        Ok(Box::new(self.stream.reached()?))
    }
}

impl Fence for Reached {
    fn wait(&self) -> Result<(), DeviceError> {
        self.context.enter()?;
        Ok(driver!(cuEventSynchronize(self.event))?)
    }
}
