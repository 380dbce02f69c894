//! Device memory.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use warpwise_gpu::{Device as Gpu, DeviceError, DevicePtr};

use super::Argument;
use super::lane::Uses;
use super::session::Session;
use super::trace::Stage;
use crate::Error;

/// Device memory, freed on drop.
#[derive(Debug)]
pub(crate) struct Allocation {
    session: Session,
    at: DevicePtr,
    generation: u32,
    /// What it waits for.
    uses: Mutex<Uses>,
    /// What keeps memory that is not the device's own: it is not freed, but let go.
    owner: Option<Owner>,
}

/// What keeps memory that other code has allocated.
pub(super) struct Owner(
    #[expect(dead_code, reason = "it is only dropped")] pub(super) Box<dyn std::any::Any + Send + Sync>,
);

impl std::fmt::Debug for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Owner")
    }
}

impl Allocation {
    /// Where it starts.
    pub(crate) fn ptr(&self) -> DevicePtr {
        self.at
    }

    /// As an argument of a kernel.
    pub(crate) fn argument(&self) -> Argument {
        Argument::Pointer(self.at)
    }

    /// Whether it still exists: a kernel that fails on a real GPU takes all memory with it. The session that asks is the one
    /// that will use it, whose lock nobody else holds for long.
    fn check(&self, session: &Session) -> Result<(), Error> {
        if session.lock().gpu.generation() == self.generation { Ok(()) } else { Err(Error::Lost) }
    }

    /// Says that a session is about to read it. What others have written is there by then.
    pub(crate) fn before_read(&self, session: &Session) -> Result<(), Error> {
        self.check(session)?;
        self.uses().read(session)
    }

    /// Says that a session is about to write it. Nobody else uses it by then.
    pub(crate) fn before_write(&self, session: &Session) -> Result<(), Error> {
        self.check(session)?;
        self.uses().write(session)
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session it belongs to.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // Memory that the device no longer knows is already gone, and errors have nowhere to go. The next user comes after
        // all that use it now.
        let _ = self.uses().follow_all(&self.session);
        let mut state = self.session.lock();
        if state.gpu.generation() != self.generation {
            return;
        }
        let _ = state.leave();
        if self.owner.is_some() {
            // Its owner may free it next: nothing here may still use it.
            let _ = state.gpu.synchronize();
            return;
        }
        let since = Instant::now();
        let _ = state.gpu.free(self.at);
        if let Some(recorder) = &mut state.recorder {
            recorder.freed(since);
        }
    }
}

impl Session {
    /// That many bytes of memory, with undefined contents.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<Allocation, Error> {
        // GPUs have no empty buffers.
        self.allocate_by(|gpu| gpu.allocate(bytes.max(1)))
    }

    /// Memory for a few bytes that a kernel writes and the host reads next.
    pub(crate) fn allocate_result(&self, bytes: u64) -> Result<Allocation, Error> {
        self.allocate_by(|gpu| gpu.allocate_result(bytes))
    }

    fn allocate_by(
        &self,
        allocate: impl FnOnce(&mut dyn Gpu) -> Result<DevicePtr, DeviceError>,
    ) -> Result<Allocation, Error> {
        let mut state = self.lock();
        state.leave()?;
        let since = Instant::now();
        let at = allocate(&mut *state.gpu)?;
        let generation = state.gpu.generation();
        if let Some(recorder) = &mut state.recorder {
            recorder.allocated(since);
        }
        drop(state);
        let uses = Mutex::new(Uses::of(self.lane()));
        Ok(Allocation { session: self.clone(), at, generation, uses, owner: None })
    }

    /// Memory of other code, as if it were the device's own.
    pub(super) fn borrow(&self, at: DevicePtr, owner: Owner) -> Allocation {
        let generation = self.lock().gpu.generation();
        let uses = Mutex::new(Uses::of(self.lane()));
        Allocation { session: self.clone(), at, generation, uses, owner: Some(owner) }
    }

    /// Waits for the work of a stream of other code.
    pub(super) fn wait_for_stream(&self, stream: u64) -> Result<(), Error> {
        Ok(self.lock().gpu.wait_for_stream(stream)?)
    }

    /// Lets other code add work to this order of work.
    pub(super) fn with_stream(&self, work: &mut dyn FnMut(u64)) -> Result<(), Error> {
        self.lock().gpu.with_stream(work)?;
        Ok(())
    }

    /// Begins no later work before all of another order is done.
    pub(super) fn follow_order(&self, other: &Self) -> Result<(), Error> {
        let point = other.lock().gpu.point()?;
        Ok(self.follow(&point)?)
    }

    /// Memory that holds a copy of a slice.
    pub(crate) fn allocate_copy<T: bytemuck::Pod>(&self, values: &[T]) -> Result<Allocation, Error> {
        let allocation = self.allocate(size_of_val(values) as u64)?;
        self.upload(allocation.at, values)?;
        Ok(allocation)
    }

    /// Memory for `len` elements, all zero.
    pub(crate) fn allocate_zeroed<T: bytemuck::Pod>(&self, len: usize) -> Result<Allocation, Error> {
        let bytes = (len * size_of::<T>()) as u64;
        let allocation = self.allocate(bytes)?;
        let mut state = self.lock();
        state.enter(Stage::Upload)?;
        state.gpu.fill(allocation.at, 0, bytes)?;
        drop(state);
        Ok(allocation)
    }
}
