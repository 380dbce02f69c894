//! Values that a stream writes to memory or waits for.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crate::edge::{api, list};
use crate::error::{Error, Outcome};
use crate::queue;
use crate::state::{Locked, State, lock};
use crate::work::Work;

/// Something done with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    address: u64,
    value: u64,
    is_wide: bool,
    action: Action,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Write,
    /// At least, in cyclic order.
    WaitAtLeast,
    WaitEqual,
    /// Some bit of the value is set.
    WaitAnd,
    /// Some bit of the value is clear in both.
    WaitNor,
}

/// `CUstreamBatchMemOpParams`: the operation in the low half of the first word, then address, value, flags, alias.
pub type BatchOperation = [u64; 6];

impl Value {
    /// Whether it waits.
    pub(crate) fn waits(&self) -> bool {
        self.action != Action::Write
    }

    fn new(state: &State, address: u64, value: u64, is_wide: bool, wait: bool, flags: u32) -> Outcome<Self> {
        let bytes = if is_wide { 8 } else { 4 };
        let known = state.memory.find(address).is_some_and(|(base, a)| address - base + bytes <= a.extent);
        if !address.is_multiple_of(bytes) || !known && !state.is_device_address(address) {
            return Err(Error::INVALID_VALUE);
        }
        let action = match (wait, flags & !(1 << 30)) {
            (false, 0 | 1) => Action::Write,
            (true, 0) => Action::WaitAtLeast,
            (true, 1) => Action::WaitEqual,
            (true, 2) => Action::WaitAnd,
            (true, 3) => Action::WaitNor,
            _ => return Err(Error::INVALID_VALUE),
        };
        Ok(Self { address, value, is_wide, action })
    }

    fn of_batch(state: &State, operation: &BatchOperation) -> Outcome<Option<Self>> {
        let &[kind, address, value, flags, ..] = operation;
        let (wide, wait) = match kind as u32 {
            1 => (false, true),
            2 => (false, false),
            4 => (true, true),
            5 => (true, false),
            // Barriers and flushes: everything is in order as it is.
            3 | 6 => return Ok(None),
            _ => return Err(Error::INVALID_VALUE),
        };
        let value = if wide { value } else { value & 0xffff_ffff };
        Self::new(state, address, value, wide, wait, flags as u32).map(Some)
    }

    /// What lies there now.
    fn read(&self) -> u64 {
        if self.is_wide {
            // SAFETY: an aligned address in memory of the device's that others may write at the same time.
            unsafe { AtomicU64::from_ptr(self.address as *mut u64) }.load(Ordering::Acquire)
        } else {
            // SAFETY: as above.
            unsafe { AtomicU32::from_ptr(self.address as *mut u32) }.load(Ordering::Acquire).into()
        }
    }

    fn is_there(&self) -> bool {
        let now = self.read();
        match self.action {
            Action::Write => true,
            Action::WaitAtLeast if self.is_wide => now.wrapping_sub(self.value) as i64 >= 0,
            Action::WaitAtLeast => (now as u32).wrapping_sub(self.value as u32) as i32 >= 0,
            Action::WaitEqual => now == self.value,
            Action::WaitAnd => now & self.value != 0,
            Action::WaitNor if self.is_wide => !(now | self.value) != 0,
            Action::WaitNor => !(now as u32 | self.value as u32) != 0,
        }
    }

    /// Does it; a wait lets others use the driver.
    pub(crate) fn perform(&self, state: &mut Locked) -> Outcome {
        if self.action == Action::Write {
            let bytes = if self.is_wide { 8 } else { 4 };
            state.device_bytes(self.address, bytes, crate::memory::Use::Write)?;
            if self.is_wide {
                // SAFETY: an aligned address in memory of the device's that others may read at the same time.
                unsafe { AtomicU64::from_ptr(self.address as *mut u64) }.store(self.value, Ordering::Release);
            } else {
                // SAFETY: as above.
                unsafe { AtomicU32::from_ptr(self.address as *mut u32) }.store(self.value as u32, Ordering::Release);
            }
            return Ok(());
        }
        while !self.is_there() {
            state.unlocked(|| std::thread::sleep(Duration::from_micros(50)));
        }
        Ok(())
    }
}

fn submit(stream: u64, address: u64, value: u64, is_wide: bool, wait: bool, flags: u32) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    let stream = state.stream_or_own(stream)?;
    let value = Value::new(&state, address, value, is_wide, wait, flags)?;
    queue::submit(state, stream, Work::Values(vec![value]))
}

/// The operations of a batch.
pub(crate) fn batch(state: &State, operations: *const BatchOperation, count: u32) -> Outcome<Vec<Value>> {
    let operations = list(operations, count as usize)?;
    let values = operations.iter().map(|operation| Value::of_batch(state, operation));
    Ok(values.collect::<Outcome<Vec<_>>>()?.into_iter().flatten().collect())
}

fn submit_batch(stream: u64, count: u32, operations: *const BatchOperation, flags: u32) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    if count > 256 || flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let stream = state.stream_or_own(stream)?;
    let values = batch(&state, operations, count)?;
    queue::submit(state, stream, Work::Values(values))
}

api! {
    fn cuStreamWriteValue32(stream: u64, address: u64, value: u32, flags: u32) {
        submit(stream, address, value.into(), false, false, flags)
    }

    fn cuStreamWriteValue32_v2(stream: u64, address: u64, value: u32, flags: u32) {
        submit(stream, address, value.into(), false, false, flags)
    }

    fn cuStreamWriteValue64(stream: u64, address: u64, value: u64, flags: u32) {
        submit(stream, address, value, true, false, flags)
    }

    fn cuStreamWriteValue64_v2(stream: u64, address: u64, value: u64, flags: u32) {
        submit(stream, address, value, true, false, flags)
    }

    fn cuStreamWaitValue32(stream: u64, address: u64, value: u32, flags: u32) {
        submit(stream, address, value.into(), false, true, flags)
    }

    fn cuStreamWaitValue32_v2(stream: u64, address: u64, value: u32, flags: u32) {
        submit(stream, address, value.into(), false, true, flags)
    }

    fn cuStreamWaitValue64(stream: u64, address: u64, value: u64, flags: u32) {
        submit(stream, address, value, true, true, flags)
    }

    fn cuStreamWaitValue64_v2(stream: u64, address: u64, value: u64, flags: u32) {
        submit(stream, address, value, true, true, flags)
    }

    fn cuStreamBatchMemOp(stream: u64, count: u32, operations: *const BatchOperation, flags: u32) {
        submit_batch(stream, count, operations, flags)
    }

    fn cuStreamBatchMemOp_v2(stream: u64, count: u32, operations: *const BatchOperation, flags: u32) {
        submit_batch(stream, count, operations, flags)
    }
}
