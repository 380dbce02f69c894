//! Textures and surfaces: images in device memory, and how a GPU's texture units read them.
//!
//! An [`ImageShape`] says how texels lie in memory, a [`Sampler`] how coordinates become texels ([`address`]) and
//! texels a value ([`sample`], [`filter`]). A direction chooses a face of a cube ([`cube`]), a level one or two of an
//! image's sizes ([`level`]). Kernels name both by the handle of a texture object; a surface object is an
//! image alone.

mod address;
mod cube;
mod filter;
mod level;
mod object;
mod sample;

pub(crate) use level::{asked_by_slopes, choose};
pub(crate) use object::{Mipmaps, Object, Objects};
pub(crate) use sample::{Coordinate, Texels};
pub(crate) use warpwise_arch::{Channel, ImageKind, ImageShape, LevelSampler, Sampler};
