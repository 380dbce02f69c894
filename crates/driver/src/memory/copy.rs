//! Copies of any shape, and the calls for copies in one dimension.

use std::ffi::c_void;

use crate::edge::{api, list, put_if};
use crate::error::{Error, Outcome};
use crate::memory::access::Use;
use crate::state::{Locked, State, lock};
use crate::work::Work;
use crate::{per_thread, queue};
use warpwise_trace::Direction;

/// Where one side of a copy is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spot {
    /// An address of the host.
    Host(u64),
    /// An address of the device.
    Device(u64),
    /// An address of either.
    Any(u64),
    /// An array, by its handle.
    Array(u64),
}

/// One side of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Side {
    pub(crate) spot: Spot,
    /// Where the copy starts: bytes, rows, slices.
    pub(crate) at: [u64; 3],
    /// Bytes from one row to the next.
    pub(crate) pitch: u64,
    /// Rows of a slice.
    pub(crate) rows: u64,
}

impl Side {
    fn line(spot: Spot) -> Self {
        Self { spot, at: [0; 3], pitch: 0, rows: 0 }
    }
}

/// A copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Copy {
    pub(crate) from: Side,
    pub(crate) to: Side,
    /// Bytes of a row, rows, slices.
    pub(crate) size: [u64; 3],
}

/// One side with its address: the first byte, the distance of rows, the distance of slices.
struct Located {
    bytes: *mut u8,
    pitch: u64,
    slice: u64,
    is_device: bool,
}

/// Above this, others can use the driver while bytes are copied.
const LONG: u64 = 256 << 10;

/// Pointers of the caller's that a copy works on.
struct Pieces(Located, Located);
// SAFETY: plain addresses; whoever asked for the copy owns what they point to.
unsafe impl Send for Pieces {}

impl Copy {
    /// A copy of so many bytes in a row.
    pub(crate) fn line(from: Spot, to: Spot, bytes: usize) -> Self {
        Self { from: Side::line(from), to: Side::line(to), size: [bytes as u64, 1, 1] }
    }

    /// Does it.
    pub(crate) fn perform(&self, state: &mut Locked) -> Outcome {
        let [width, rows, slices] = self.size;
        let bytes = width.checked_mul(rows).and_then(|n| n.checked_mul(slices)).ok_or(Error::INVALID_VALUE)?;
        if bytes == 0 {
            return Ok(());
        }
        let from = locate(state, &self.from, self.size, Use::Read)?;
        let to = locate(state, &self.to, self.size, Use::Write)?;
        let direction = match (from.is_device, to.is_device) {
            (false, false) => Direction::OnHost,
            (false, true) => Direction::ToDevice,
            (true, false) => Direction::ToHost,
            (true, true) => Direction::OnDevice,
        };
        state.trace.copied(direction, bytes);
        state.time_moved(direction, bytes);
        state.copy_touches(from.bytes as u64, to.bytes as u64, self.size, [from.pitch, from.slice, to.pitch, to.slice]);
        let pieces = Pieces(from, to);
        if bytes > LONG {
            state.unlocked(move || move_bytes(&pieces, [width, rows, slices]));
        } else {
            move_bytes(&pieces, [width, rows, slices]);
        }
        Ok(())
    }
}

fn move_bytes(Pieces(from, to): &Pieces, [width, rows, slices]: [u64; 3]) {
    // Rows that follow each other without a gap are one.
    let whole = (rows == 1 || from.pitch == width && to.pitch == width)
        && (slices == 1 || from.slice == rows * width && to.slice == rows * width);
    let (width, rows, slices) = if whole { (width * rows * slices, 1, 1) } else { (width, rows, slices) };
    for slice in 0..slices {
        for row in 0..rows {
            let from_at = (slice * from.slice + row * from.pitch) as usize;
            let to_at = (slice * to.slice + row * to.pitch) as usize;
            // SAFETY: `locate` has checked the device's side against its allocation; the host's is the caller's word.
            unsafe { std::ptr::copy(from.bytes.add(from_at), to.bytes.add(to_at), width as usize) };
        }
    }
}

/// Finds the bytes of one side.
fn locate(state: &mut State, side: &Side, [width, rows, slices]: [u64; 3], usage: Use) -> Outcome<Located> {
    let mut side = *side;
    if let Spot::Array(array) = side.spot {
        let array = state.arrays.get(array)?;
        (side.pitch, side.rows) = (array.pitch, array.rows());
        let ends = [0, 1, 2].map(|d| side.at[d].saturating_add([width, rows, slices][d]));
        let sizes = [array.row_bytes(), array.rows(), array.slices()];
        if ends.iter().zip(sizes).any(|(&end, size)| end > size) {
            return Err(Error::INVALID_VALUE);
        }
        side.spot = Spot::Device(array.base);
    }
    let pitch = if side.pitch == 0 { width } else { side.pitch };
    let slice = pitch.checked_mul(if side.rows == 0 { rows } else { side.rows }).ok_or(Error::INVALID_VALUE)?;
    let [x, y, z] = side.at;
    let start = z.checked_mul(slice).and_then(|n| n.checked_add(y.checked_mul(pitch)?)).and_then(|n| n.checked_add(x));
    let span = (slices - 1).checked_mul(slice).and_then(|n| n.checked_add((rows - 1).checked_mul(pitch)?));
    let (start, span) = start.zip(span.and_then(|n| n.checked_add(width))).ok_or(Error::INVALID_VALUE)?;
    let shifted = |address: u64| address.checked_add(start).ok_or(Error::INVALID_VALUE);
    let (bytes, is_device) = match side.spot {
        Spot::Host(0) => return Err(Error::INVALID_VALUE),
        Spot::Host(address) => {
            let address = shifted(address)?;
            state.check_host_side(address);
            (address as *mut u8, false)
        }
        Spot::Device(address) => (state.device_bytes(shifted(address)?, span, usage)?, true),
        Spot::Any(address) => {
            let address = shifted(address)?;
            let host = state.memory.find(address).map(|(_, allocation)| allocation.kind.is_host());
            let is_device = !host.unwrap_or_else(|| !state.is_device_address(address));
            (state.any_bytes(address, span, usage)?, is_device)
        }
        Spot::Array(_) => return Err(Error::INVALID_HANDLE),
    };
    Ok(Located { bytes, pitch, slice, is_device })
}

/// Copies before the call returns.
pub(crate) fn copy_now(copy: &Copy) -> Outcome {
    queue::finish_before(0)?;
    let mut state = lock()?;
    state.context()?;
    state.forbidden_while_capturing()?;
    state.output.flush();
    let stream = state.stream_or_own(0)?;
    state.work_begins(stream);
    let outcome = copy.perform(&mut state);
    state.work_ends();
    state.host_waits_for_stream(stream);
    outcome
}

/// Copies in the order of a stream.
pub(crate) fn copy_in(stream: u64, copy: Copy) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    let stream = state.stream_or_own(stream)?;
    for side in [&copy.from, &copy.to] {
        if let Spot::Host(address) | Spot::Any(address) = side.spot {
            state.check_pinned(address, copy.size.iter().product());
        }
    }
    queue::submit(state, stream, Work::Copy(copy))
}

fn host(pointer: *const c_void) -> Spot {
    Spot::Host(pointer as u64)
}

api! {
    fn cuMemcpy(to: u64, from: u64, bytes: usize) {
        copy_now(&Copy::line(Spot::Any(from), Spot::Any(to), bytes))
    }

    fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: u64) {
        copy_in(stream, Copy::line(Spot::Any(from), Spot::Any(to), bytes))
    }

    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) {
        copy_now(&Copy::line(host(from), Spot::Device(to), bytes))
    }

    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: u64) {
        copy_in(stream, Copy::line(host(from), Spot::Device(to), bytes))
    }

    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) {
        copy_now(&Copy::line(Spot::Device(from), host(to), bytes))
    }

    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: u64) {
        copy_in(stream, Copy::line(Spot::Device(from), host(to), bytes))
    }

    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        copy_now(&Copy::line(Spot::Device(from), Spot::Device(to), bytes))
    }

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: u64) {
        copy_in(stream, Copy::line(Spot::Device(from), Spot::Device(to), bytes))
    }

    fn cuMemcpyPeer(to: u64, _to_context: u64, from: u64, _from_context: u64, bytes: usize) {
        copy_now(&Copy::line(Spot::Device(from), Spot::Device(to), bytes))
    }

    fn cuMemcpyPeerAsync(to: u64, _to_context: u64, from: u64, _from_context: u64, bytes: usize, stream: u64) {
        copy_in(stream, Copy::line(Spot::Device(from), Spot::Device(to), bytes))
    }

    fn cuMemcpyBatchAsync_v2(
        to: *const u64,
        from: *const u64,
        sizes: *const usize,
        count: usize,
        _attributes: *const c_void,
        _indices: *const usize,
        _attribute_count: usize,
        stream: u64,
    ) {
        batch(to, from, sizes, count, stream).map_err(|(_, error)| error)
    }

    fn cuMemcpyBatchAsync(
        to: *const u64,
        from: *const u64,
        sizes: *const usize,
        count: usize,
        _attributes: *const c_void,
        _indices: *const usize,
        _attribute_count: usize,
        failed: *mut usize,
        stream: u64,
    ) {
        batch(to, from, sizes, count, stream).map_err(|(at, error)| {
            put_if(failed, at);
            error
        })
    }
}

/// Several copies; an error tells at which it stopped.
fn batch(
    to: *const u64,
    from: *const u64,
    sizes: *const usize,
    count: usize,
    stream: u64,
) -> Result<(), (usize, Error)> {
    let all = |error| (usize::MAX, error);
    if count == 0 || per_thread::named(stream) == 0 {
        return Err(all(Error::INVALID_VALUE));
    }
    let (to, from) = (list(to, count).map_err(all)?, list(from, count).map_err(all)?);
    let sizes = list(sizes, count).map_err(all)?;
    for (at, ((to, from), bytes)) in to.into_iter().zip(from).zip(sizes).enumerate() {
        copy_in(stream, Copy::line(Spot::Any(from), Spot::Any(to), bytes)).map_err(|error| (at, error))?;
    }
    Ok(())
}
