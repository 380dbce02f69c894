//! Copies in two and three dimensions.

use crate::edge::{api, get};
use crate::error::{Error, Outcome};
use crate::memory::copy::{Copy, Side, Spot, copy_in, copy_now};

/// `CUDA_MEMCPY2D`: one side of it, twice, and the size.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Memcpy2d {
    from: Side2d,
    to: Side2d,
    width: usize,
    height: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Side2d {
    x: usize,
    y: usize,
    kind: u32,
    host: u64,
    device: u64,
    array: u64,
    pitch: usize,
}

/// `CUDA_MEMCPY3D`, and `CUDA_MEMCPY3D_PEER`, which has contexts where the first has reserved fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Memcpy3d {
    from: Side3d,
    to: Side3d,
    width: usize,
    height: usize,
    depth: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Side3d {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    kind: u32,
    host: u64,
    device: u64,
    array: u64,
    context: u64,
    pitch: usize,
    height: usize,
}

/// The side that a `CUmemorytype` says.
fn spot(kind: u32, host: u64, device: u64, array: u64) -> Outcome<Spot> {
    match kind {
        1 => Ok(Spot::Host(host)),
        2 => Ok(Spot::Device(device)),
        3 => Ok(Spot::Array(array)),
        4 => Ok(Spot::Any(device)),
        _ => Err(Error::INVALID_VALUE),
    }
}

impl Side2d {
    fn side(&self, width: usize) -> Outcome<Side> {
        let spot = spot(self.kind, self.host, self.device, self.array)?;
        if self.pitch != 0 && self.kind != 3 && self.pitch < width {
            return Err(Error::INVALID_VALUE);
        }
        Ok(Side { spot, at: [self.x as u64, self.y as u64, 0], pitch: self.pitch as u64, rows: 0 })
    }
}

impl Side3d {
    fn side(&self, width: usize) -> Outcome<Side> {
        let spot = spot(self.kind, self.host, self.device, self.array)?;
        if self.level != 0 || self.pitch != 0 && self.kind != 3 && self.pitch < width {
            return Err(Error::INVALID_VALUE);
        }
        let at = [self.x as u64, self.y as u64, self.z as u64];
        Ok(Side { spot, at, pitch: self.pitch as u64, rows: self.height as u64 })
    }

    fn of(side: &Side) -> Self {
        let (kind, host, device, array) = match side.spot {
            Spot::Host(at) => (1, at, 0, 0),
            Spot::Device(at) => (2, 0, at, 0),
            Spot::Array(at) => (3, 0, 0, at),
            Spot::Any(at) => (4, 0, at, 0),
        };
        let [x, y, z] = side.at.map(|n| n as usize);
        let (pitch, height) = (side.pitch as usize, side.rows as usize);
        Self { x, y, z, level: 0, kind, host, device, array, context: 0, pitch, height }
    }
}

impl Memcpy2d {
    fn copy(&self) -> Outcome<Copy> {
        let size = [self.width as u64, self.height as u64, 1];
        Ok(Copy { from: self.from.side(self.width)?, to: self.to.side(self.width)?, size })
    }
}

impl Memcpy3d {
    /// What it asks for.
    pub(crate) fn copy(&self) -> Outcome<Copy> {
        let size = [self.width as u64, self.height as u64, self.depth as u64];
        Ok(Copy { from: self.from.side(self.width)?, to: self.to.side(self.width)?, size })
    }

    /// A copy as the API describes it.
    pub(crate) fn of(copy: &Copy) -> Self {
        let [width, height, depth] = copy.size.map(|n| n as usize);
        Self { from: Side3d::of(&copy.from), to: Side3d::of(&copy.to), width, height, depth }
    }
}

api! {
    fn cuMemcpy2D_v2(copy: *const Memcpy2d) {
        copy_now(&get(copy)?.copy()?)
    }

    fn cuMemcpy2DUnaligned_v2(copy: *const Memcpy2d) {
        copy_now(&get(copy)?.copy()?)
    }

    fn cuMemcpy2DAsync_v2(copy: *const Memcpy2d, stream: u64) {
        copy_in(stream, get(copy)?.copy()?)
    }

    fn cuMemcpy3D_v2(copy: *const Memcpy3d) {
        copy_now(&get(copy)?.copy()?)
    }

    fn cuMemcpy3DAsync_v2(copy: *const Memcpy3d, stream: u64) {
        copy_in(stream, get(copy)?.copy()?)
    }

    fn cuMemcpy3DPeer(copy: *const Memcpy3d) {
        copy_now(&get(copy)?.copy()?)
    }

    fn cuMemcpy3DPeerAsync(copy: *const Memcpy3d, stream: u64) {
        copy_in(stream, get(copy)?.copy()?)
    }

    fn cuMemcpyHtoA_v2(to: u64, offset: usize, from: *const u8, bytes: usize) {
        copy_now(&array_line(Spot::Host(from as u64), 0, Spot::Array(to), offset, bytes))
    }

    fn cuMemcpyHtoAAsync_v2(to: u64, offset: usize, from: *const u8, bytes: usize, stream: u64) {
        copy_in(stream, array_line(Spot::Host(from as u64), 0, Spot::Array(to), offset, bytes))
    }

    fn cuMemcpyAtoH_v2(to: *mut u8, from: u64, offset: usize, bytes: usize) {
        copy_now(&array_line(Spot::Array(from), offset, Spot::Host(to as u64), 0, bytes))
    }

    fn cuMemcpyAtoHAsync_v2(to: *mut u8, from: u64, offset: usize, bytes: usize, stream: u64) {
        copy_in(stream, array_line(Spot::Array(from), offset, Spot::Host(to as u64), 0, bytes))
    }

    fn cuMemcpyAtoD_v2(to: u64, from: u64, offset: usize, bytes: usize) {
        copy_now(&array_line(Spot::Array(from), offset, Spot::Device(to), 0, bytes))
    }

    fn cuMemcpyDtoA_v2(to: u64, offset: usize, from: u64, bytes: usize) {
        copy_now(&array_line(Spot::Device(from), 0, Spot::Array(to), offset, bytes))
    }

    fn cuMemcpyAtoA_v2(to: u64, to_offset: usize, from: u64, from_offset: usize, bytes: usize) {
        copy_now(&array_line(Spot::Array(from), from_offset, Spot::Array(to), to_offset, bytes))
    }
}

/// A copy inside one row, at offsets in bytes.
fn array_line(from: Spot, from_at: usize, to: Spot, to_at: usize, bytes: usize) -> Copy {
    let side = |spot, at: usize| Side { spot, at: [at as u64, 0, 0], pitch: 0, rows: 0 };
    Copy { from: side(from, from_at), to: side(to, to_at), size: [bytes as u64, 1, 1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_of_the_header() {
        assert_eq!(size_of::<Memcpy2d>(), 128);
        assert_eq!(size_of::<Memcpy3d>(), 200);
    }
}
