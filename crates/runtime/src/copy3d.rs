//! Copies in two and three dimensions, between memory and arrays. All become one kind of copy of the driver.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

use crate::array;
use crate::context::ready;
use crate::copy::{DEFAULT, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, HOST_TO_HOST};
use crate::driver;
use crate::exports;
use crate::status::{Code, INVALID_DIRECTION, INVALID_PITCH, INVALID_VALUE, Status};
use crate::types::{Address, Copy3D, DriverCopy, DriverOperand, Extent, Handle, PeerCopy3D, PitchedPointer, Position};

const HOST: u32 = 1;
const DEVICE: u32 = 2;
const ARRAY: u32 = 3;
const UNIFIED: u32 = 4;

/// The kinds of memory of source and target.
fn memories(kind: c_int) -> Result<(u32, u32), Code> {
    match kind {
        HOST_TO_HOST => Ok((HOST, HOST)),
        HOST_TO_DEVICE => Ok((HOST, DEVICE)),
        DEVICE_TO_HOST => Ok((DEVICE, HOST)),
        DEVICE_TO_DEVICE => Ok((DEVICE, DEVICE)),
        DEFAULT => Ok((UNIFIED, UNIFIED)),
        _ => Err(INVALID_DIRECTION),
    }
}

/// One side of a copy in plain memory.
fn pitched(memory: u32, pointer: *const c_void, pitch: usize, height: usize, position: Position) -> DriverOperand {
    DriverOperand {
        x_bytes: position.x,
        y: position.y,
        z: position.z,
        level: 0,
        memory,
        host: if memory == HOST { pointer } else { null() },
        device: if memory == HOST { 0 } else { pointer as Address },
        array: null_mut(),
        reserved: null(),
        pitch,
        height,
    }
}

/// One side of a copy in an array.
fn in_array(array: Handle, position: Position) -> DriverOperand {
    DriverOperand { array, ..pitched(ARRAY, null(), 0, 0, position) }
}

/// A copy between plain memories.
pub(crate) fn plain(
    (target, target_pitch): (*mut c_void, usize),
    (source, source_pitch): (*const c_void, usize),
    (width, height): (usize, usize),
    kind: c_int,
) -> Result<DriverCopy, Code> {
    let (from, to) = memories(kind)?;
    if height > 1 && (target_pitch < width || source_pitch < width) {
        return Err(INVALID_PITCH);
    }
    let start = Position::default();
    Ok(DriverCopy {
        source: pitched(from, source, source_pitch, height, start),
        target: pitched(to, target, target_pitch, height, start),
        width_bytes: width,
        height,
        depth: 1,
    })
}

/// The driver's form of a copy in three dimensions. Extents and positions in arrays count elements.
pub(crate) fn general(copy: &Copy3D) -> Result<DriverCopy, Code> {
    let (from, to) = memories(copy.kind)?;
    let mut element = 1;
    let mut side = |array: Handle, memory: u32, plain: PitchedPointer, position: Position| {
        if array.is_null() {
            if plain.pointer.is_null() {
                return Err(INVALID_VALUE);
            }
            return Ok(pitched(memory, plain.pointer, plain.pitch, plain.height, position));
        }
        if !plain.pointer.is_null() {
            return Err(INVALID_VALUE);
        }
        let bytes = array::element_bytes(&array::description(array)?);
        element = bytes;
        Ok(in_array(array, Position { x: position.x * bytes, ..position }))
    };
    let source = side(copy.source_array, from, copy.source, copy.source_position)?;
    let target = side(copy.target_array, to, copy.target, copy.target_position)?;
    let Extent { width, height, depth } = copy.extent;
    Ok(DriverCopy { source, target, width_bytes: width * element, height, depth })
}

/// Runs a copy, of which there may be nothing.
pub(crate) fn run(copy: &DriverCopy, stream: Option<Handle>) -> Status {
    if copy.width_bytes == 0 || copy.height == 0 || copy.depth == 0 {
        return Ok(());
    }
    // SAFETY: the copy is well formed; that its memory is there is the program's promise.
    unsafe {
        match stream {
            None => driver::cuMemcpy3D_v2(copy),
            Some(stream) => driver::cuMemcpy3DAsync_v2(copy, stream),
        }
    }
}

/// A copy between plain memory and rows of an array, whose offsets and widths count bytes.
fn rows_of_array(
    array: (Handle, usize, usize),
    (pointer, pitch): (*const c_void, usize),
    (width, height): (usize, usize),
    kind: c_int,
    into: bool,
) -> Result<DriverCopy, Code> {
    let (from, to) = memories(kind)?;
    if height > 1 && pitch < width {
        return Err(INVALID_PITCH);
    }
    let (handle, x, y) = array;
    let there = in_array(handle, Position { x, y, z: 0 });
    let here = pitched(if into { from } else { to }, pointer, pitch, height, Position::default());
    let (source, target) = if into { (here, there) } else { (there, here) };
    Ok(DriverCopy { source, target, width_bytes: width, height, depth: 1 })
}

/// A run of bytes in an array, as at most three copies of whole or partial rows.
fn run_of_array(
    (array, x, y): (Handle, usize, usize),
    pointer: *const c_void,
    bytes: usize,
    kind: c_int,
    into: bool,
    stream: Option<Handle>,
) -> Status {
    let description = array::description(array)?;
    let row = description.width * array::element_bytes(&description);
    for (at, column, line, width, height) in parts(row, x, y, bytes) {
        let from = pointer.wrapping_byte_add(at);
        run(&rows_of_array((array, column, line), (from, row), (width, height), kind, into)?, stream)?;
    }
    Ok(())
}

/// Splits bytes that begin in a row: the rest of that row, whole rows, the beginning of the last. Each part says where
/// it begins in plain memory, its column and row, and its width and height.
fn parts(row: usize, x: usize, y: usize, bytes: usize) -> Vec<(usize, usize, usize, usize, usize)> {
    let mut parts = Vec::new();
    let (mut at, mut line) = (0, y);
    if x > 0 {
        at = bytes.min(row.saturating_sub(x));
        parts.push((0, x, line, at, 1));
        line += 1;
    }
    let whole = (bytes - at).checked_div(row).unwrap_or(0);
    if whole > 0 {
        parts.push((at, 0, line, row, whole));
        at += whole * row;
        line += whole;
    }
    if at < bytes {
        parts.push((at, 0, line, bytes - at, 1));
    }
    parts
}

/// A copy of rows from array to array.
fn between_arrays(
    (target, target_x, target_y): (Handle, usize, usize),
    (source, source_x, source_y): (Handle, usize, usize),
    (width, height): (usize, usize),
) -> DriverCopy {
    DriverCopy {
        source: in_array(source, Position { x: source_x, y: source_y, z: 0 }),
        target: in_array(target, Position { x: target_x, y: target_y, z: 0 }),
        width_bytes: width,
        height,
        depth: 1,
    }
}

/// # Safety
/// `copy` is null or a description of a copy.
unsafe fn read(copy: *const Copy3D) -> Result<DriverCopy, Code> {
    // SAFETY: the caller's promise.
    general(unsafe { copy.as_ref() }.ok_or(INVALID_VALUE)?)
}

/// # Safety
/// `copy` is null or a description of a copy.
unsafe fn read_peer(copy: *const PeerCopy3D) -> Result<DriverCopy, Code> {
    // SAFETY: the caller's promise.
    let copy = unsafe { copy.as_ref() }.ok_or(INVALID_VALUE)?;
    crate::context::exists(copy.source_device)?;
    crate::context::exists(copy.target_device)?;
    general(&Copy3D {
        source_array: copy.source_array,
        source_position: copy.source_position,
        source: copy.source,
        target_array: copy.target_array,
        target_position: copy.target_position,
        target: copy.target,
        extent: copy.extent,
        kind: DEVICE_TO_DEVICE,
    })
}

exports! {
    ptds cudaMemcpy2D_ptds
    fn cudaMemcpy2D(
        target: *mut c_void, target_pitch: usize, source: *const c_void, source_pitch: usize, width: usize,
        height: usize, kind: c_int,
    ) {
        ready()?;
        run(&plain((target, target_pitch), (source, source_pitch), (width, height), kind)?, None)
    }
    ptsz(stream) cudaMemcpy2DAsync_ptsz
    fn cudaMemcpy2DAsync(
        target: *mut c_void, target_pitch: usize, source: *const c_void, source_pitch: usize, width: usize,
        height: usize, kind: c_int, stream: Handle,
    ) {
        ready()?;
        run(&plain((target, target_pitch), (source, source_pitch), (width, height), kind)?, Some(stream))
    }
    ptds cudaMemcpy3D_ptds
    fn cudaMemcpy3D(copy: *const Copy3D) {
        ready()?;
        run(&read(copy)?, None)
    }
    ptsz(stream) cudaMemcpy3DAsync_ptsz
    fn cudaMemcpy3DAsync(copy: *const Copy3D, stream: Handle) {
        ready()?;
        run(&read(copy)?, Some(stream))
    }
    ptds cudaMemcpy3DPeer_ptds
    fn cudaMemcpy3DPeer(copy: *const PeerCopy3D) {
        ready()?;
        run(&read_peer(copy)?, None)
    }
    ptsz(stream) cudaMemcpy3DPeerAsync_ptsz
    fn cudaMemcpy3DPeerAsync(copy: *const PeerCopy3D, stream: Handle) {
        ready()?;
        run(&read_peer(copy)?, Some(stream))
    }
    ptds cudaMemcpy2DToArray_ptds
    fn cudaMemcpy2DToArray(
        array: Handle, x: usize, y: usize, source: *const c_void, pitch: usize, width: usize, height: usize,
        kind: c_int,
    ) {
        ready()?;
        run(&rows_of_array((array, x, y), (source, pitch), (width, height), kind, true)?, None)
    }
    ptsz(stream) cudaMemcpy2DToArrayAsync_ptsz
    fn cudaMemcpy2DToArrayAsync(
        array: Handle, x: usize, y: usize, source: *const c_void, pitch: usize, width: usize, height: usize,
        kind: c_int, stream: Handle,
    ) {
        ready()?;
        run(&rows_of_array((array, x, y), (source, pitch), (width, height), kind, true)?, Some(stream))
    }
    ptds cudaMemcpy2DFromArray_ptds
    fn cudaMemcpy2DFromArray(
        target: *mut c_void, pitch: usize, array: Handle, x: usize, y: usize, width: usize, height: usize,
        kind: c_int,
    ) {
        ready()?;
        run(&rows_of_array((array, x, y), (target, pitch), (width, height), kind, false)?, None)
    }
    ptsz(stream) cudaMemcpy2DFromArrayAsync_ptsz
    fn cudaMemcpy2DFromArrayAsync(
        target: *mut c_void, pitch: usize, array: Handle, x: usize, y: usize, width: usize, height: usize,
        kind: c_int, stream: Handle,
    ) {
        ready()?;
        run(&rows_of_array((array, x, y), (target, pitch), (width, height), kind, false)?, Some(stream))
    }
    ptds cudaMemcpyToArray_ptds
    fn cudaMemcpyToArray(array: Handle, x: usize, y: usize, source: *const c_void, bytes: usize, kind: c_int) {
        ready()?;
        run_of_array((array, x, y), source, bytes, kind, true, None)
    }
    ptsz(stream) cudaMemcpyToArrayAsync_ptsz
    fn cudaMemcpyToArrayAsync(
        array: Handle, x: usize, y: usize, source: *const c_void, bytes: usize, kind: c_int, stream: Handle,
    ) {
        ready()?;
        run_of_array((array, x, y), source, bytes, kind, true, Some(stream))
    }
    ptds cudaMemcpyFromArray_ptds
    fn cudaMemcpyFromArray(target: *mut c_void, array: Handle, x: usize, y: usize, bytes: usize, kind: c_int) {
        ready()?;
        run_of_array((array, x, y), target, bytes, kind, false, None)
    }
    ptsz(stream) cudaMemcpyFromArrayAsync_ptsz
    fn cudaMemcpyFromArrayAsync(
        target: *mut c_void, array: Handle, x: usize, y: usize, bytes: usize, kind: c_int, stream: Handle,
    ) {
        ready()?;
        run_of_array((array, x, y), target, bytes, kind, false, Some(stream))
    }
    ptds cudaMemcpy2DArrayToArray_ptds
    fn cudaMemcpy2DArrayToArray(
        target: Handle, target_x: usize, target_y: usize, source: Handle, source_x: usize, source_y: usize,
        width: usize, height: usize, kind: c_int,
    ) {
        ready()?;
        memories(kind)?;
        run(&between_arrays((target, target_x, target_y), (source, source_x, source_y), (width, height)), None)
    }
    ptds cudaMemcpyArrayToArray_ptds
    fn cudaMemcpyArrayToArray(
        target: Handle, target_x: usize, target_y: usize, source: Handle, source_x: usize, source_y: usize,
        bytes: usize, kind: c_int,
    ) {
        ready()?;
        memories(kind)?;
        run(&between_arrays((target, target_x, target_y), (source, source_x, source_y), (bytes, 1)), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_an_array_are_split_into_rows() {
        assert_eq!(parts(16, 0, 0, 48), [(0, 0, 0, 16, 3)]);
        assert_eq!(parts(16, 4, 2, 40), [(0, 4, 2, 12, 1), (12, 0, 3, 16, 1), (28, 0, 4, 12, 1)]);
        assert_eq!(parts(16, 4, 0, 8), [(0, 4, 0, 8, 1)]);
        assert_eq!(parts(16, 0, 1, 10), [(0, 0, 1, 10, 1)]);
    }

    #[test]
    fn rows_must_fit_their_pitch() {
        let copy = plain((null_mut(), 8), (null(), 64), (16, 2), HOST_TO_DEVICE);
        assert_eq!(copy.map(drop), Err(INVALID_PITCH));
        assert_eq!(plain((null_mut(), 64), (null(), 64), (16, 2), 7).map(drop), Err(INVALID_DIRECTION));
    }

    #[test]
    fn sides_name_their_memory() {
        let place: *mut c_void = std::ptr::without_provenance_mut(4096);
        let copy = plain((place, 64), (place, 32), (16, 2), DEVICE_TO_HOST).unwrap();
        assert_eq!((copy.source.memory, copy.source.device, copy.source.pitch), (DEVICE, 4096, 32));
        assert_eq!((copy.target.memory, copy.target.host.addr(), copy.target.pitch), (HOST, 4096, 64));
        assert_eq!((copy.width_bytes, copy.height, copy.depth), (16, 2, 1));
    }
}
