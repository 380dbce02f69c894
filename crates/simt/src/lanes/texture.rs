//! Reads of textures, and reads and writes of surfaces.

use super::region::{Global, Region};
use super::{Flow, Op, lanes_of};
use crate::float::{F16, Half16};
use crate::image::{LevelSlots, Outside, TextureOp, TextureVerb};
use crate::report::FaultKind;
use crate::texture::{Channel, Coordinate, ImageKind, ImageShape, Object, Texels, asked_by_slopes, choose};
use crate::warp::Warp;

/// An instruction on a texture or surface: `aux` is its number in the image.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn texture(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let launch = warp.launch;
    let what = &launch.image.textures[op.aux as usize];
    for lane in lanes_of(mask) {
        // SAFETY: the decoder chose a 64-bit slot.
        let handle = unsafe { *warp.slot::<u64>(what.handle).add(lane) };
        let sampled = matches!(what.verb, TextureVerb::Sample | TextureVerb::Gather(_));
        let asked = matches!(what.verb, TextureVerb::Query(_));
        let found = launch.objects.get(handle).filter(|found| asked || found.sampler.is_some() == sampled);
        let Some(found) = found else {
            let name = if sampled { "texture" } else { "surface" };
            let message = format!("{handle:#x} is not the handle of a {name} object");
            return warp.fault_at(FaultKind::OutOfBounds, lane, handle, message);
        };
        // To surfaces, the faces of cubes are layers.
        let unfolded = !sampled && found.shape.is_cubic();
        let is = if unfolded { ImageKind::Planes } else { found.shape.kind };
        if let Some(kind) = what.kind.filter(|kind| *kind != is) {
            let message = format!("the instruction is for {kind:?} images, the object is a {:?}", found.shape.kind);
            return warp.fault_at(FaultKind::OutOfBounds, lane, handle, message.to_lowercase());
        }
        let bytes = found.bytes().unwrap_or(0);
        let Some(texels) = Global::range(warp, found.base, bytes) else {
            let message = format!("the memory of the object {handle:#x} was freed");
            return warp.fault_at(FaultKind::OutOfBounds, lane, handle, message);
        };
        // SAFETY: the decoder chose slots of these widths; `range` vouches for the texels.
        let done = unsafe {
            match what.verb {
                TextureVerb::Sample | TextureVerb::Gather(_) => {
                    let bytes = std::slice::from_raw_parts(texels, bytes as usize);
                    read(warp, what, lane, found, bytes)
                }
                TextureVerb::Query(axis) => {
                    let ImageShape { width, height, depth, .. } = found.shape;
                    *warp.slot::<u32>(what.values[0].0).add(lane) = [width, height, depth][axis];
                    Ok(())
                }
                _ => surface(warp, what, lane, found, texels),
            }
        };
        if let Err(message) = done {
            return warp.fault_at(FaultKind::OutOfBounds, lane, handle, message);
        }
    }
    Flow::Next
}

/// The values of 32-bit slots in a lane.
///
/// # Safety
/// The slots must be 32 bits wide.
unsafe fn words(warp: &Warp<'_>, slots: &[u32], lane: usize) -> [u32; 3] {
    let mut words = [0; 3];
    for (word, &slot) in words.iter_mut().zip(slots) {
        // SAFETY: passed on to the caller.
        *word = unsafe { *warp.slot::<u32>(slot).add(lane) };
    }
    words
}

/// # Safety
/// As for [`texture`].
unsafe fn read(warp: &Warp<'_>, what: &TextureOp, lane: usize, found: &Object, bytes: &[u8]) -> Result<(), String> {
    // SAFETY: passed on to the caller.
    unsafe {
        let at = words(warp, &what.coordinates, lane).map(|bits| match what.whole {
            true => Coordinate::Integer(bits as i32),
            false => Coordinate::Float(f32::from_bits(bits)),
        });
        let layer = what.layer.map_or(0, |slot| *warp.slot::<u32>(slot).add(lane));
        let texels = Texels { shape: &found.shape, pitch: found.pitch, bytes };
        let sampler = found.sampler.unwrap_or_default();
        let one = if what.float { 1f32.to_bits() } else { 1 };
        let values = match (what.verb, &found.mipmaps) {
            (TextureVerb::Gather(channel), _) => texels.gather(&sampler, at, channel, one),
            (_, None) => texels.sample(&sampler, layer, at, one),
            (_, Some(mipmaps)) => {
                let asked = asked_level(warp, what, lane, &found.shape, sampler.normalized);
                let levels = choose(asked, &mipmaps.sampler, mipmaps.smaller.len() + 1);
                let level = |number: usize| match number.checked_sub(1) {
                    None => Ok(texels),
                    Some(smaller) => level_texels(warp, &mipmaps.smaller[smaller]),
                };
                let first = level(levels.first)?;
                match levels.weight {
                    0 => first.sample(&sampler, layer, at, one),
                    weight => first.sample_between(&level(levels.first + 1)?, weight, &sampler, layer, at, one),
                }
            }
        };
        for (&(slot, _), value) in what.values.iter().zip(values) {
            *warp.slot::<u32>(slot).add(lane) = value;
        }
    }
    Ok(())
}

/// The level that an instruction asks for.
///
/// # Safety
/// As for [`texture`].
unsafe fn asked_level(warp: &Warp<'_>, what: &TextureOp, lane: usize, shape: &ImageShape, normalized: bool) -> f32 {
    // SAFETY: the decoder chose 32-bit slots.
    unsafe {
        match &what.level {
            LevelSlots::Base => 0.0,
            LevelSlots::Number(slot) => {
                let bits = *warp.slot::<u32>(*slot).add(lane);
                if what.whole { bits as i32 as f32 } else { f32::from_bits(bits) }
            }
            LevelSlots::Slopes([x, y]) => {
                let slopes = [x, y].map(|slots| words(warp, slots, lane).map(f32::from_bits));
                asked_by_slopes(slopes, shape, normalized)
            }
        }
    }
}

/// One of the smaller images of a texture.
fn level_texels<'a>(warp: &Warp<'_>, level: &'a Object) -> Result<Texels<'a>, String> {
    let bytes = level.bytes().unwrap_or(0);
    let texels = Global::range(warp, level.base, bytes).ok_or("the memory of a level of the texture was freed")?;
    // SAFETY: `range` vouches for the texels.
    let bytes = unsafe { std::slice::from_raw_parts(texels, bytes as usize) };
    Ok(Texels { shape: &level.shape, pitch: level.pitch, bytes })
}

/// Where an access of that many bytes is in a surface: `None` for nowhere, if that is fine.
fn offset(
    Object { shape, pitch, .. }: &Object,
    what: &TextureOp,
    [x, y, z]: [u32; 3],
    layer: u32,
    bytes: u64,
) -> Result<Option<u64>, String> {
    let row = u64::from(shape.width) * u64::from(shape.texel_bytes());
    let step = if what.verb == TextureVerb::StoreFormatted { u64::from(shape.texel_bytes()) } else { 1 };
    let x = i64::from(x as i32) * step as i64;
    let last = row as i64 - bytes as i64;
    let plane = if what.layer.is_some() { layer } else { z };
    let limit = |value: u32, size: u32| i64::from(value as i32).clamp(0, i64::from(size) - 1) as u32;
    let inside = (0..=last).contains(&x) && y < shape.height && plane < shape.depth;
    let (x, y, plane) = match what.outside {
        _ if inside => (x, y, plane),
        _ if last < 0 => return Err(format!("a surface access of {bytes} bytes: a row has {row}")),
        Outside::Clamp => (x.clamp(0, last), limit(y, shape.height), limit(plane, shape.depth)),
        Outside::Zero => return Ok(None),
        Outside::Trap => {
            let size = format!("{row} bytes x {} rows x {} planes", shape.height, shape.depth);
            let place = format!("byte {x}, row {}, plane {}", y as i32, plane as i32);
            return Err(format!("surface access at {place} is out of bounds: the surface has {size}"));
        }
    };
    if what.verb != TextureVerb::StoreFormatted && x % i64::from(what.element.max(1)) != 0 {
        return Err(format!("surface access at byte {x} of a row, which is not a multiple of {}", what.element));
    }
    Ok(Some((u64::from(plane) * u64::from(shape.height) + u64::from(y)) * pitch + x as u64))
}

/// # Safety
/// As for [`texture`]; `texels` must point to as many bytes as the object has.
unsafe fn surface(
    warp: &Warp<'_>,
    what: &TextureOp,
    lane: usize,
    found: &Object,
    texels: *mut u8,
) -> Result<(), String> {
    let shape = &found.shape;
    let formatted = what.verb == TextureVerb::StoreFormatted;
    let element = if formatted { shape.channel.bytes() } else { what.element } as usize;
    let count = if formatted { shape.channels as usize } else { what.values.len() };
    // SAFETY: passed on to the caller; `offset` keeps the access inside the surface.
    unsafe {
        let at = words(warp, &what.coordinates, lane);
        let layer = what.layer.map_or(0, |slot| *warp.slot::<u32>(slot).add(lane));
        let place = offset(found, what, at, layer, (element * count) as u64)?;
        for k in 0..count {
            let memory = place.map(|place| texels.add(place as usize + k * element));
            match what.verb {
                TextureVerb::Load => {
                    let (slot, width) = what.values[k];
                    let register = warp.slot::<u8>(slot).add(lane * width as usize);
                    register.write_bytes(0, width as usize);
                    if let Some(memory) = memory {
                        std::ptr::copy_nonoverlapping(memory, register, element);
                    }
                }
                TextureVerb::StoreFormatted => {
                    let value = what.values.get(k).map_or(0, |&(slot, _)| *warp.slot::<u32>(slot).add(lane));
                    if let Some(memory) = memory {
                        let bytes = converted(value, what, shape.channel).to_le_bytes();
                        std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, element);
                    }
                }
                _ => {
                    let (slot, width) = what.values[k];
                    let register = warp.slot::<u8>(slot).add(lane * width as usize);
                    if let Some(memory) = memory {
                        std::ptr::copy_nonoverlapping(register, memory, element);
                    }
                }
            }
        }
    }
    Ok(())
}

/// A value of `sust.p` as a surface's channel holds it: integers are clamped to what it can hold.
fn converted(bits: u32, what: &TextureOp, channel: Channel) -> u32 {
    let clamped = |low: i64, high: i64| {
        let value = if what.signed { i64::from(bits as i32) } else { i64::from(bits) };
        value.clamp(low, high) as u32
    };
    match channel {
        Channel::F16 if what.float => F16::from_f32(f32::from_bits(bits)).into(),
        _ if what.float || !what.signed && channel.is_float() => bits,
        Channel::U8 => clamped(0, 255),
        Channel::I8 => clamped(-128, 127),
        Channel::U16 => clamped(0, 65535),
        Channel::I16 => clamped(-32768, 32767),
        _ => bits,
    }
}
