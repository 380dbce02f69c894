//! Arrays, and textures and surfaces over them and over plain memory.

mod array;
mod object;

use warpwise_simt::Channel;

use crate::error::{Error, Outcome};
use crate::state::State;

pub(crate) use array::{Array, Mipmaps};
pub(crate) use object::TextureObject;

/// The functions of the API.
pub(crate) mod api {
    pub use super::array::*;
    pub use super::object::*;
}

/// The type of channels, by `CUarray_format`.
pub(crate) fn channel(format: u32) -> Outcome<Channel> {
    Ok(match format {
        0x01 => Channel::U8,
        0x02 => Channel::U16,
        0x03 => Channel::U32,
        0x08 => Channel::I8,
        0x09 => Channel::I16,
        0x0a => Channel::I32,
        0x10 => Channel::F16,
        0x20 => Channel::F32,
        _ => return Err(Error::INVALID_VALUE),
    })
}

/// Bytes of a texel.
pub(crate) fn texel_bytes(format: u32, channels: u32) -> Outcome<u32> {
    if !matches!(channels, 1 | 2 | 4) {
        return Err(Error::INVALID_VALUE);
    }
    Ok(channel(format)?.bytes() * channels)
}

impl State {
    /// Ends the textures and arrays of a context.
    pub(crate) fn drop_textures_of(&mut self, context: u64) {
        for object in self.textures.handles(|object| object.context == context) {
            let _ = self.textures.remove(object);
            self.machine.drop_object(object);
        }
        for mipmaps in self.mipmaps.handles(|mipmaps| mipmaps.context == context) {
            let _ = self.mipmaps.remove(mipmaps);
        }
        for array in self.arrays.handles(|array| array.context == context) {
            let _ = self.arrays.remove(array);
        }
    }
}
