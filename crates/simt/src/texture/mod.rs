//! Textures and surfaces: images in device memory, and how a GPU's texture units read them.
//!
//! An [`ImageShape`] says how texels lie in memory, a [`Sampler`] how coordinates become texels ([`address`]) and
//! texels a value ([`sample`]). Kernels name both by the handle of a texture object; a surface object is an image alone.

mod address;
mod sample;

pub(crate) use sample::{Coordinate, Texels};
pub(crate) use warpwise_arch::{Channel, ImageKind, ImageShape, Sampler};

/// Where the handles of objects start: a range of values that no address has.
const HANDLES: u64 = 0x0600_0000_0000;
/// Between two handles.
const STEP: u64 = 16;

/// What a handle stands for.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) shape: ImageShape,
    /// Address of the first texel.
    pub(crate) base: u64,
    /// How it is read; none for a surface.
    pub(crate) sampler: Option<Sampler>,
}

/// The handle of the object of that number.
pub(crate) fn handle(number: usize) -> u64 {
    HANDLES + STEP * number as u64
}

/// The object of a handle.
pub(crate) fn object(objects: &[Object], handle: u64) -> Option<&Object> {
    let offset = handle.checked_sub(HANDLES).filter(|offset| offset.is_multiple_of(STEP))?;
    objects.get(usize::try_from(offset / STEP).ok()?)
}
