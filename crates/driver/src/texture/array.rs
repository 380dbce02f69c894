//! Arrays: memory for texels.

use warpwise_simt::{ImageKind, ImageShape};

use crate::edge::{api, get, put};
use crate::error::{Error, Outcome};
use crate::memory::Kind;
use crate::queue;
use crate::state::{State, lock};
use crate::texture::{channel, texel_bytes};

/// `CUDA_ARRAY3D_LAYERED`, `CUDA_ARRAY3D_CUBEMAP`.
const LAYERED: u32 = 1;
const CUBEMAP: u32 = 4;
/// Flags that there are.
const FLAGS: u32 = 0xff;

/// `CUDA_ARRAY_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ArrayDescriptor {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) format: u32,
    pub(crate) channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ArrayDescriptor3d {
    width: usize,
    height: usize,
    depth: usize,
    format: u32,
    channels: u32,
    flags: u32,
}

/// An array.
#[derive(Debug)]
pub(crate) struct Array {
    descriptor: ArrayDescriptor3d,
    pub(crate) context: u64,
    /// Where its texels are.
    pub(crate) base: u64,
    /// Bytes from one row to the next.
    pub(crate) pitch: u64,
    /// Whether it is a level of mipmaps, which it is destroyed with.
    is_level: bool,
}

/// Arrays of the same picture, each half as large as the one before.
pub(crate) struct Mipmaps {
    pub(crate) context: u64,
    pub(crate) levels: Vec<u64>,
}

impl Array {
    /// Bytes of a row.
    pub(crate) fn row_bytes(&self) -> u64 {
        let texel = texel_bytes(self.descriptor.format, self.descriptor.channels).unwrap_or(0);
        self.descriptor.width as u64 * u64::from(texel)
    }

    /// Rows of a slice.
    pub(crate) fn rows(&self) -> u64 {
        self.descriptor.height.max(1) as u64
    }

    /// Slices or layers.
    pub(crate) fn slices(&self) -> u64 {
        self.descriptor.depth.max(1) as u64
    }

    /// Its shape, as textures have it.
    pub(crate) fn shape(&self) -> Outcome<ImageShape> {
        let d = &self.descriptor;
        let kind = match (d.flags & LAYERED != 0, d.height, d.depth) {
            (layered, ..) if d.flags & CUBEMAP != 0 => {
                if layered {
                    ImageKind::Cubes
                } else {
                    ImageKind::Cube
                }
            }
            (true, 0, _) => ImageKind::Lines,
            (true, ..) => ImageKind::Planes,
            (_, 0, 0) => ImageKind::Line,
            (_, _, 0) => ImageKind::Plane,
            _ => ImageKind::Volume,
        };
        let size = |n: usize| u32::try_from(n.max(1)).map_err(|_| Error::INVALID_VALUE);
        Ok(ImageShape {
            kind,
            width: size(d.width)?,
            height: size(d.height)?,
            depth: size(d.depth)?,
            channels: d.channels,
            channel: channel(d.format)?,
        })
    }
}

impl State {
    fn create_array(&mut self, descriptor: ArrayDescriptor3d, is_level: bool) -> Outcome<u64> {
        let context = self.context()?;
        let d = &descriptor;
        let texel = u64::from(texel_bytes(d.format, d.channels)?);
        let largest = 1 << 17;
        let too_large = d.width > largest || d.height > largest || d.depth > largest;
        let flat = d.height == 0 && d.depth > 0 && d.flags & LAYERED == 0;
        // The faces of a cube are squares, and six.
        let faces = d.depth == 6 || d.depth.is_multiple_of(6) && d.flags & LAYERED != 0;
        let no_cube = d.flags & CUBEMAP != 0 && (d.width != d.height || d.depth == 0 || !faces);
        if d.width == 0 || too_large || flat || no_cube || d.flags & !FLAGS != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let pitch = (d.width as u64 * texel).next_multiple_of(32);
        let bytes = pitch * d.height.max(1) as u64 * d.depth.max(1) as u64;
        let base = self.allocate(bytes, Kind::Array, context, 0)?;
        Ok(self.arrays.add(Array { descriptor, context, base, pitch, is_level }))
    }

    fn destroy_array(&mut self, array: u64) -> Outcome {
        let array = self.arrays.remove(array)?;
        self.free_allocation(array.base).map(|_| ())
    }
}

fn create(place: *mut u64, descriptor: ArrayDescriptor3d) -> Outcome {
    let mut state = lock()?;
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let array = state.create_array(descriptor, false)?;
    put(place, array)
}

api! {
    fn cuArrayCreate_v2(array: *mut u64, descriptor: *const ArrayDescriptor) {
        let ArrayDescriptor { width, height, format, channels } = get(descriptor)?;
        create(array, ArrayDescriptor3d { width, height, depth: 0, format, channels, flags: 0 })
    }

    fn cuArray3DCreate_v2(array: *mut u64, descriptor: *const ArrayDescriptor3d) {
        create(array, get(descriptor)?)
    }

    fn cuArrayDestroy(array: u64) {
        queue::finish();
        let mut state = lock()?;
        state.context()?;
        if state.arrays.get(array)?.is_level {
            return Err(Error::INVALID_HANDLE);
        }
        state.destroy_array(array)
    }

    fn cuArrayGetDescriptor_v2(descriptor: *mut ArrayDescriptor, array: u64) {
        let state = lock()?;
        let ArrayDescriptor3d { width, height, format, channels, .. } = state.arrays.get(array)?.descriptor;
        put(descriptor, ArrayDescriptor { width, height, format, channels })
    }

    fn cuArray3DGetDescriptor_v2(descriptor: *mut ArrayDescriptor3d, array: u64) {
        let state = lock()?;
        put(descriptor, state.arrays.get(array)?.descriptor)
    }

    fn cuArrayGetMemoryRequirements(requirements: *mut [usize; 4], array: u64, device: i32) {
        let state = lock()?;
        let array = state.arrays.get(array)?;
        if device != 0 {
            return Err(Error::INVALID_DEVICE);
        }
        put(requirements, [(array.pitch * array.rows() * array.slices()) as usize, 512, 0, 0])
    }

    fn cuMipmappedArrayCreate(place: *mut u64, descriptor: *const ArrayDescriptor3d, levels: u32) {
        let mut state = lock()?;
        let context = state.context()?;
        let first = get(descriptor)?;
        let is_volume = first.flags & (LAYERED | CUBEMAP) == 0;
        let most = first.width.max(first.height).max(if is_volume { first.depth } else { 0 });
        let levels = levels.min(most.checked_ilog2().ok_or(Error::INVALID_VALUE)? + 1);
        if place.is_null() || levels == 0 {
            return Err(Error::INVALID_VALUE);
        }
        let mut made = Vec::new();
        for level in 0..levels {
            let half = |n: usize| if n == 0 { 0 } else { (n >> level).max(1) };
            let depth = if is_volume { half(first.depth) } else { first.depth };
            let descriptor = ArrayDescriptor3d { width: half(first.width), height: half(first.height), depth, ..first };
            made.push(state.create_array(descriptor, true)?);
        }
        let mipmaps = state.mipmaps.add(Mipmaps { context, levels: made });
        put(place, mipmaps)
    }

    fn cuMipmappedArrayGetLevel(place: *mut u64, mipmaps: u64, level: u32) {
        let state = lock()?;
        put(place, *state.mipmaps.get(mipmaps)?.levels.get(level as usize).ok_or(Error::INVALID_VALUE)?)
    }

    fn cuMipmappedArrayDestroy(mipmaps: u64) {
        queue::finish();
        let mut state = lock()?;
        let mipmaps = state.mipmaps.remove(mipmaps)?;
        mipmaps.levels.into_iter().try_for_each(|level| state.destroy_array(level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_of_the_header() {
        assert_eq!((size_of::<ArrayDescriptor>(), size_of::<ArrayDescriptor3d>()), (24, 40));
    }
}
