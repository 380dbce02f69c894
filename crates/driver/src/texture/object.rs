//! Texture and surface objects.

use warpwise_simt::{Addressing, DevicePtr, Filter, ImageKind, ImageShape, LevelSampler, Sampler};

use crate::edge::{api, get, put};
use crate::error::{Error, Outcome};
use crate::queue;
use crate::state::{State, lock};
use crate::texture::{channel, texel_bytes};

/// `CUDA_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ResourceDescription {
    kind: u32,
    /// An array's handle; or an address, then format and channels in one word, then size or width, height and pitch.
    resource: [u64; 16],
    flags: u32,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TextureDescription {
    addressing: [u32; 3],
    filter: u32,
    flags: u32,
    anisotropy: u32,
    mipmap_filter: u32,
    mipmap_bias: f32,
    mipmap_clamp: [f32; 2],
    border: [f32; 4],
    reserved: [u32; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ResourceView {
    format: u32,
    size: [usize; 3],
    mipmap_levels: [u32; 2],
    layers: [u32; 2],
    reserved: [u32; 16],
}

/// A texture or surface.
pub(crate) struct TextureObject {
    pub(crate) context: u64,
    resource: ResourceDescription,
    /// How it is read; surfaces are not described.
    texture: Option<TextureDescription>,
    view: Option<ResourceView>,
}

/// `CU_TRSF_READ_AS_INTEGER`, `CU_TRSF_NORMALIZED_COORDINATES`, `CU_TRSF_SEAMLESS_CUBEMAP`.
const READ_AS_INTEGER: u32 = 1;
const NORMALIZED: u32 = 2;
const SEAMLESS_CUBEMAP: u32 = 0x40;

/// Where texels are, and how.
struct Texels {
    shape: ImageShape,
    base: u64,
    pitch: u64,
}

impl ResourceDescription {
    fn texels(&self, state: &State) -> Outcome<Texels> {
        let [address, format, width, height, pitch, ..] = self.resource;
        let (format, channels) = (format as u32, (format >> 32) as u32);
        let size = |n: u64| u32::try_from(n).ok().filter(|&n| n > 0).ok_or(Error::INVALID_VALUE);
        match self.kind {
            0 => Texels::of_array(state, address),
            1 => Texels::of_array(state, *self.levels(state)?.first().ok_or(Error::INVALID_VALUE)?),
            2 => {
                let texel = u64::from(texel_bytes(format, channels)?);
                let (kind, channel) = (ImageKind::Line, channel(format)?);
                let width_texels = size(width / texel)?;
                let shape = ImageShape { kind, width: width_texels, height: 1, depth: 1, channels, channel };
                Ok(Texels { shape, base: address, pitch: u64::from(width_texels) * texel })
            }
            3 => {
                let texel = u64::from(texel_bytes(format, channels)?);
                let (kind, channel) = (ImageKind::Plane, channel(format)?);
                let shape =
                    ImageShape { kind, width: size(width)?, height: size(height)?, depth: 1, channels, channel };
                if pitch < width * texel || !pitch.is_multiple_of(32) {
                    return Err(Error::INVALID_VALUE);
                }
                Ok(Texels { shape, base: address, pitch })
            }
            _ => Err(Error::INVALID_VALUE),
        }
    }

    /// The arrays of an image in several sizes.
    fn levels<'a>(&self, state: &'a State) -> Outcome<&'a [u64]> {
        let mipmaps = state.mipmaps.get(self.resource[0]).map_err(|_| Error::INVALID_VALUE)?;
        Ok(&mipmaps.levels)
    }
}

impl Texels {
    fn of_array(state: &State, array: u64) -> Outcome<Self> {
        let array = state.arrays.get(array).map_err(|_| Error::INVALID_VALUE)?;
        Ok(Self { shape: array.shape()?, base: array.base, pitch: array.pitch })
    }
}

impl TextureDescription {
    /// How a level is chosen.
    fn level_sampler(&self) -> Outcome<LevelSampler> {
        let filter = match self.mipmap_filter {
            0 => Filter::Point,
            1 => Filter::Linear,
            _ => return Err(Error::INVALID_VALUE),
        };
        Ok(LevelSampler { filter, bias: self.mipmap_bias, clamp: self.mipmap_clamp })
    }

    fn sampler(&self, shape: &ImageShape) -> Outcome<Sampler> {
        let addressing = |mode: u32| {
            Ok(match mode {
                0 => Addressing::Wrap,
                1 => Addressing::Clamp,
                2 => Addressing::Mirror,
                3 => Addressing::Border,
                _ => return Err(Error::INVALID_VALUE),
            })
        };
        let [x, y, z] = self.addressing;
        let small = shape.channel.bytes() < 4 && !shape.channel.is_float();
        let reads_fractions = small && self.flags & READ_AS_INTEGER == 0;
        let filter = match self.filter {
            0 => Filter::Point,
            1 if shape.channel.is_float() || reads_fractions => Filter::Linear,
            _ => return Err(Error::INVALID_VALUE),
        };
        Ok(Sampler {
            filter,
            addressing: [addressing(x)?, addressing(y)?, addressing(z)?],
            normalized: self.flags & NORMALIZED != 0,
            reads_fractions,
            border: self.border,
            seamless: self.flags & SEAMLESS_CUBEMAP != 0,
        })
    }
}

fn create(
    place: *mut u64,
    resource: *const ResourceDescription,
    texture: Option<TextureDescription>,
    view: Option<ResourceView>,
) -> Outcome {
    let mut state = lock()?;
    let context = state.context()?;
    let resource = get(resource)?;
    if place.is_null() || resource.flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    // Surfaces are made of arrays only.
    if texture.is_none() && resource.kind != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let Texels { shape, base, pitch } = resource.texels(&state)?;
    let sampler = texture.map(|texture| texture.sampler(&shape)).transpose()?;
    let made = match (resource.kind, texture.zip(sampler)) {
        (1, Some((texture, sampler))) => {
            let texels = resource.levels(&state)?.iter().map(|&level| Texels::of_array(&state, level));
            let levels = texels
                .map(|texels| texels.map(|Texels { shape, base, pitch }| (shape, DevicePtr(base), pitch)))
                .collect::<Outcome<Vec<_>>>()?;
            state.machine.mipmapped_over(&levels, sampler, texture.level_sampler()?)
        }
        _ => state.machine.texture_over(shape, DevicePtr(base), pitch, sampler),
    };
    let object = made.map_err(|error| {
        crate::edge::tell(|| error.to_string());
        Error::INVALID_VALUE
    })?;
    state.textures.insert(object, TextureObject { context, resource, texture, view });
    put(place, object)
}

fn destroy(object: u64) -> Outcome {
    queue::finish();
    let mut state = lock()?;
    if object == 0 {
        return Ok(());
    }
    state.textures.remove(object).map_err(|_| Error::INVALID_VALUE)?;
    state.machine.drop_object(object);
    Ok(())
}

fn resource(place: *mut ResourceDescription, object: u64) -> Outcome {
    let state = lock()?;
    put(place, state.textures.get(object).map_err(|_| Error::INVALID_VALUE)?.resource)
}

api! {
    fn cuTexObjectCreate(
        object: *mut u64,
        resource: *const ResourceDescription,
        texture: *const TextureDescription,
        view: *const ResourceView,
    ) {
        let view = if view.is_null() { None } else { Some(get(view)?) };
        create(object, resource, Some(get(texture)?), view)
    }

    fn cuTexObjectDestroy(object: u64) {
        destroy(object)
    }

    fn cuTexObjectGetResourceDesc(place: *mut ResourceDescription, object: u64) {
        resource(place, object)
    }

    fn cuTexObjectGetTextureDesc(place: *mut TextureDescription, object: u64) {
        let state = lock()?;
        let found = state.textures.get(object).map_err(|_| Error::INVALID_VALUE)?.texture;
        put(place, found.ok_or(Error::INVALID_VALUE)?)
    }

    fn cuTexObjectGetResourceViewDesc(place: *mut ResourceView, object: u64) {
        let state = lock()?;
        let found = state.textures.get(object).map_err(|_| Error::INVALID_VALUE)?.view;
        put(place, found.ok_or(Error::INVALID_VALUE)?)
    }

    fn cuSurfObjectCreate(object: *mut u64, resource: *const ResourceDescription) {
        create(object, resource, None, None)
    }

    fn cuSurfObjectDestroy(object: u64) {
        destroy(object)
    }

    fn cuSurfObjectGetResourceDesc(place: *mut ResourceDescription, object: u64) {
        resource(place, object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_sizes_of_the_header() {
        assert_eq!(size_of::<ResourceDescription>(), 144);
        assert_eq!((size_of::<TextureDescription>(), size_of::<ResourceView>()), (104, 112));
    }
}
