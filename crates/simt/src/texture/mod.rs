//! Textures and surfaces: images in device memory, and how a GPU's texture units read them.
//!
//! An [`ImageShape`] says how texels lie in memory, a [`Sampler`] how coordinates become texels ([`address`]) and
//! texels a value ([`sample`]). Kernels name both by the handle of a texture object; a surface object is an image alone.

mod address;
mod object;
mod sample;

pub(crate) use object::{Object, Objects};
pub(crate) use sample::{Coordinate, Texels};
pub(crate) use warpwise_arch::{Channel, ImageKind, ImageShape, Sampler};
