//! Texture and surface objects.

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use crate::array;
use crate::context::ready;
use crate::driver;
use crate::exports;
use crate::status::{Code, INVALID_VALUE};
use crate::types::Channels;

const ARRAY: c_int = 0;
const MIPMAPPED: c_int = 1;
const LINEAR: c_int = 2;
const PITCHED: c_int = 3;

/// `cudaResourceDesc`, as far as all versions have it: a kind, and seven words that depend on it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Resource {
    kind: c_int,
    words: [u64; 7],
}

/// `cudaTextureDesc`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Texture {
    address: [c_int; 3],
    filter: c_int,
    read_mode: c_int,
    srgb: c_int,
    border: [f32; 4],
    normalized: c_int,
    anisotropy: u32,
    level_filter: c_int,
    level_bias: f32,
    level_min: f32,
    level_max: f32,
    no_trilinear_optimization: c_int,
    seamless_cubemap: c_int,
}

/// `cudaResourceViewDesc`, as far as all versions have it. The driver's begins in the same way.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    format: c_int,
    size: [usize; 3],
    ranges: [u32; 4],
}

/// `CUDA_RESOURCE_DESC`
#[repr(C)]
struct DriverResource {
    kind: c_int,
    words: [u64; 16],
    flags: u32,
}

/// `CUDA_TEXTURE_DESC`
#[repr(C)]
#[derive(Default)]
struct DriverTexture {
    address: [c_int; 3],
    filter: c_int,
    flags: u32,
    anisotropy: u32,
    level_filter: c_int,
    level_bias: f32,
    level_min: f32,
    level_max: f32,
    border: [f32; 4],
    reserved: [c_int; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`
#[repr(C)]
struct DriverView {
    view: View,
    reserved: [u32; 16],
}

const READ_AS_INTEGER: u32 = 0x01;
const NORMALIZED_COORDINATES: u32 = 0x02;
const SRGB: u32 = 0x10;
const NO_TRILINEAR_OPTIMIZATION: u32 = 0x20;
const SEAMLESS_CUBEMAP: u32 = 0x40;

/// What objects were made of, for programs that ask.
static OBJECTS: Mutex<Option<HashMap<u64, Made>>> = Mutex::new(None);

#[derive(Clone, Copy)]
struct Made {
    resource: Resource,
    texture: Option<Texture>,
    view: Option<View>,
}

fn with_objects<T>(work: impl FnOnce(&mut HashMap<u64, Made>) -> T) -> T {
    work(OBJECTS.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

fn made(object: u64) -> Result<Made, Code> {
    with_objects(|objects| objects.get(&object).copied()).ok_or(INVALID_VALUE)
}

/// Linear and pitched memory say their format in the three words after the address: four sizes and a kind, and what
/// pads them.
fn channels(resource: &Resource) -> Channels {
    let [_, xy, zw, kind, ..] = resource.words;
    let halves = |word: u64| [word as i32, (word >> 32) as i32];
    let ([x, y], [z, w]) = (halves(xy), halves(zw));
    Channels { bits: [x, y, z, w], kind: kind as i32 }
}

/// The driver's form of a resource.
fn driver_resource(resource: &Resource) -> Result<DriverResource, Code> {
    let mut words = [0; 16];
    words[0] = resource.words[0];
    match resource.kind {
        ARRAY | MIPMAPPED => {}
        LINEAR | PITCHED => {
            let (format, count) = array::format(&channels(resource))?;
            words[1] = u64::from(format) | u64::from(count) << 32;
            let sizes = if resource.kind == LINEAR { 1 } else { 3 };
            words[2..2 + sizes].copy_from_slice(&resource.words[4..4 + sizes]);
        }
        _ => return Err(INVALID_VALUE),
    }
    Ok(DriverResource { kind: resource.kind, words, flags: 0 })
}

/// The driver's form of a texture. Elements are read as they are, or as fractions of their range.
fn driver_texture(texture: &Texture) -> DriverTexture {
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    DriverTexture {
        address: texture.address,
        filter: texture.filter,
        flags: flag(texture.read_mode == 0, READ_AS_INTEGER)
            | flag(texture.normalized != 0, NORMALIZED_COORDINATES)
            | flag(texture.srgb != 0, SRGB)
            | flag(texture.no_trilinear_optimization != 0, NO_TRILINEAR_OPTIMIZATION)
            | flag(texture.seamless_cubemap != 0, SEAMLESS_CUBEMAP),
        anisotropy: texture.anisotropy,
        level_filter: texture.level_filter,
        level_bias: texture.level_bias,
        level_min: texture.level_min,
        level_max: texture.level_max,
        border: texture.border,
        ..DriverTexture::default()
    }
}

exports! {
    fn cudaCreateTextureObject(
        object: *mut u64, resource: *const Resource, texture: *const Texture, view: *const View,
    ) {
        ready()?;
        let object = object.as_mut().ok_or(INVALID_VALUE)?;
        let resource = *resource.as_ref().ok_or(INVALID_VALUE)?;
        let texture = *texture.as_ref().ok_or(INVALID_VALUE)?;
        let view = view.as_ref().copied();
        let driver_view = view.map(|view| DriverView { view, reserved: [0; 16] });
        let view_pointer = driver_view.as_ref().map_or(std::ptr::null(), |view| (&raw const *view).cast());
        let (driver_resource, driver_texture) = (driver_resource(&resource)?, driver_texture(&texture));
        driver::cuTexObjectCreate(
            object, (&raw const driver_resource).cast(), (&raw const driver_texture).cast(), view_pointer,
        )?;
        with_objects(|objects| objects.insert(*object, Made { resource, texture: Some(texture), view }));
        Ok(())
    }
    fn cudaDestroyTextureObject(object: u64) {
        ready()?;
        with_objects(|objects| objects.remove(&object));
        if object == 0 { Ok(()) } else { driver::cuTexObjectDestroy(object) }
    }
    fn cudaGetTextureObjectResourceDesc(resource: *mut Resource, object: u64) {
        *resource.as_mut().ok_or(INVALID_VALUE)? = made(object)?.resource;
        Ok(())
    }
    fn cudaGetTextureObjectTextureDesc(texture: *mut Texture, object: u64) {
        *texture.as_mut().ok_or(INVALID_VALUE)? = made(object)?.texture.ok_or(INVALID_VALUE)?;
        Ok(())
    }
    fn cudaGetTextureObjectResourceViewDesc(view: *mut View, object: u64) {
        *view.as_mut().ok_or(INVALID_VALUE)? = made(object)?.view.ok_or(INVALID_VALUE)?;
        Ok(())
    }
    fn cudaCreateSurfaceObject(object: *mut u64, resource: *const Resource) {
        ready()?;
        let object = object.as_mut().ok_or(INVALID_VALUE)?;
        let resource = *resource.as_ref().ok_or(INVALID_VALUE)?;
        let driver_resource = driver_resource(&resource)?;
        driver::cuSurfObjectCreate(object, (&raw const driver_resource).cast())?;
        with_objects(|objects| objects.insert(*object, Made { resource, texture: None, view: None }));
        Ok(())
    }
    fn cudaDestroySurfaceObject(object: u64) {
        ready()?;
        with_objects(|objects| objects.remove(&object));
        if object == 0 { Ok(()) } else { driver::cuSurfObjectDestroy(object) }
    }
    fn cudaGetSurfaceObjectResourceDesc(resource: *mut Resource, object: u64) {
        *resource.as_mut().ok_or(INVALID_VALUE)? = made(object)?.resource;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_of_the_headers() {
        assert_eq!(size_of::<Resource>(), 64);
        assert_eq!(size_of::<Texture>(), 72);
        assert_eq!(size_of::<DriverResource>(), 144);
        assert_eq!(size_of::<DriverTexture>(), 104);
        assert_eq!(size_of::<DriverView>(), 112);
    }

    #[test]
    fn pitched_memory_keeps_its_format_and_size() {
        // 8-bit unsigned, 4 channels, 64 by 32, rows of 256 bytes.
        let eight = 8 | 8 << 32;
        let resource = Resource { kind: PITCHED, words: [0x1000, eight, eight, 1, 64, 32, 256] };
        let made = driver_resource(&resource).unwrap();
        assert_eq!(made.words[..5], [0x1000, 0x01 | 4 << 32, 64, 32, 256]);
    }

    #[test]
    fn odd_resources_are_refused() {
        let resource = Resource { kind: 9, words: [0; 7] };
        assert_eq!(driver_resource(&resource).map(drop), Err(INVALID_VALUE));
    }
}
