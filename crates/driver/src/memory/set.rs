//! Filling memory with a value of one, two or four bytes.

use crate::edge::api;
use crate::error::{Error, Outcome};
use crate::memory::access::Use;
use crate::queue;
use crate::state::{Locked, lock};
use crate::work::Work;
use warpwise_trace::Direction;

/// A fill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Set {
    pub(crate) to: u64,
    /// Bytes from one row to the next.
    pub(crate) pitch: u64,
    pub(crate) value: u32,
    /// Bytes of the value.
    pub(crate) element: u32,
    /// Values of a row.
    pub(crate) width: u64,
    pub(crate) height: u64,
}

impl Set {
    fn line(to: u64, value: u32, element: u32, count: usize) -> Self {
        Self { to, pitch: 0, value, element, width: count as u64, height: 1 }
    }

    /// Whether it can be asked for at all.
    pub(crate) fn check(&self) -> Outcome {
        let element = u64::from(self.element);
        let sound = matches!(element, 1 | 2 | 4)
            && self.to.is_multiple_of(element)
            && (self.height <= 1
                || self.pitch >= self.width.saturating_mul(element) && self.pitch.is_multiple_of(element));
        if sound { Ok(()) } else { Err(Error::INVALID_VALUE) }
    }

    /// Does it.
    pub(crate) fn perform(&self, state: &mut Locked) -> Outcome {
        self.check()?;
        let row = self.width.checked_mul(self.element.into()).ok_or(Error::INVALID_VALUE)?;
        if row == 0 || self.height == 0 {
            return Ok(());
        }
        let pitch = if self.pitch == 0 { row } else { self.pitch };
        let span = (self.height - 1).checked_mul(pitch).and_then(|n| n.checked_add(row)).ok_or(Error::INVALID_VALUE)?;
        let bytes = state.device_bytes(self.to, span, Use::Write)?;
        for at in 0..self.height {
            // SAFETY: the whole span lies in one allocation.
            let row = unsafe { std::slice::from_raw_parts_mut(bytes.add((at * pitch) as usize), row as usize) };
            match self.element {
                1 => row.fill(self.value as u8),
                2 => fill(row, &(self.value as u16).to_ne_bytes()),
                _ => fill(row, &self.value.to_ne_bytes()),
            }
        }
        state.trace.filled(row * self.height);
        state.time_moved(Direction::Set, row * self.height);
        state.set_touches(self.to, pitch, row, self.height);
        Ok(())
    }
}

fn fill<const N: usize>(row: &mut [u8], value: &[u8; N]) {
    for place in row.chunks_exact_mut(N) {
        place.copy_from_slice(value);
    }
}

fn set_now(set: &Set) -> Outcome {
    queue::finish_before(0)?;
    let mut state = lock()?;
    state.context()?;
    state.forbidden_while_capturing()?;
    let stream = state.stream_or_own(0)?;
    state.work_begins(stream);
    let outcome = set.perform(&mut state);
    state.work_ends();
    outcome
}

fn set_in(stream: u64, set: Set) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    set.check()?;
    let stream = state.stream_or_own(stream)?;
    queue::submit(state, stream, Work::Set(set))
}

fn plane(to: u64, pitch: usize, value: u32, element: u32, width: usize, height: usize) -> Set {
    Set { to, pitch: pitch as u64, value, element, width: width as u64, height: height as u64 }
}

api! {
    fn cuMemsetD8_v2(to: u64, value: u8, count: usize) {
        set_now(&Set::line(to, value.into(), 1, count))
    }

    fn cuMemsetD16_v2(to: u64, value: u16, count: usize) {
        set_now(&Set::line(to, value.into(), 2, count))
    }

    fn cuMemsetD32_v2(to: u64, value: u32, count: usize) {
        set_now(&Set::line(to, value, 4, count))
    }

    fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: u64) {
        set_in(stream, Set::line(to, value.into(), 1, count))
    }

    fn cuMemsetD16Async(to: u64, value: u16, count: usize, stream: u64) {
        set_in(stream, Set::line(to, value.into(), 2, count))
    }

    fn cuMemsetD32Async(to: u64, value: u32, count: usize, stream: u64) {
        set_in(stream, Set::line(to, value, 4, count))
    }

    fn cuMemsetD2D8_v2(to: u64, pitch: usize, value: u8, width: usize, height: usize) {
        set_now(&plane(to, pitch, value.into(), 1, width, height))
    }

    fn cuMemsetD2D16_v2(to: u64, pitch: usize, value: u16, width: usize, height: usize) {
        set_now(&plane(to, pitch, value.into(), 2, width, height))
    }

    fn cuMemsetD2D32_v2(to: u64, pitch: usize, value: u32, width: usize, height: usize) {
        set_now(&plane(to, pitch, value, 4, width, height))
    }

    fn cuMemsetD2D8Async(to: u64, pitch: usize, value: u8, width: usize, height: usize, stream: u64) {
        set_in(stream, plane(to, pitch, value.into(), 1, width, height))
    }

    fn cuMemsetD2D16Async(to: u64, pitch: usize, value: u16, width: usize, height: usize, stream: u64) {
        set_in(stream, plane(to, pitch, value.into(), 2, width, height))
    }

    fn cuMemsetD2D32Async(to: u64, pitch: usize, value: u32, width: usize, height: usize, stream: u64) {
        set_in(stream, plane(to, pitch, value, 4, width, height))
    }
}
