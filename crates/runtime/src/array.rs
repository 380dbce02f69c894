//! Arrays, whose layout only the driver knows, and the formats of their elements.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

use crate::context::ready;
use crate::driver;
use crate::exports;
use crate::status::{Code, INVALID_CHANNEL, INVALID_HANDLE, INVALID_VALUE};
use crate::types::{Channels, DriverArray, Extent, Handle};

const SIGNED: c_int = 0;
const UNSIGNED: c_int = 1;
const FLOAT: c_int = 2;

/// The driver's numbers of formats: kind, bits, number.
const FORMATS: [(c_int, c_int, u32); 8] = [
    (UNSIGNED, 8, 0x01),
    (UNSIGNED, 16, 0x02),
    (UNSIGNED, 32, 0x03),
    (SIGNED, 8, 0x08),
    (SIGNED, 16, 0x09),
    (SIGNED, 32, 0x0a),
    (FLOAT, 16, 0x10),
    (FLOAT, 32, 0x20),
];

/// The driver's format, and how many channels there are.
pub(crate) fn format(channels: &Channels) -> Result<(u32, u32), Code> {
    let [first, ..] = channels.bits;
    let count = channels.bits.iter().take_while(|bits| **bits != 0).count();
    let uniform = channels.bits.iter().enumerate().all(|(at, bits)| *bits == if at < count { first } else { 0 });
    let known = FORMATS.iter().find(|(kind, bits, _)| (*kind, *bits) == (channels.kind, first));
    match (uniform, count, known) {
        (true, 1 | 2 | 4, Some((_, _, number))) => Ok((*number, count as u32)),
        _ => Err(INVALID_CHANNEL),
    }
}

/// The channels of a format of the driver.
pub(crate) fn channels(format: u32, count: u32) -> Channels {
    let (kind, bits, _) = FORMATS.iter().find(|(_, _, number)| *number == format).copied().unwrap_or((UNSIGNED, 0, 0));
    let mut channels = Channels { bits: [0; 4], kind };
    channels.bits.iter_mut().take(count as usize).for_each(|channel| *channel = bits);
    channels
}

/// Bytes of an element.
pub(crate) fn element_bytes(array: &DriverArray) -> usize {
    let bits: i32 = channels(array.format, array.channels).bits.iter().sum();
    bits as usize / 8
}

/// What an array was made of.
pub(crate) fn description(array: Handle) -> Result<DriverArray, Code> {
    if array.is_null() {
        return Err(INVALID_HANDLE);
    }
    let mut description = DriverArray::default();
    // SAFETY: the driver fills in one description and refuses handles that it does not know.
    unsafe { driver::cuArray3DGetDescriptor_v2(&mut description, array)? };
    Ok(description)
}

/// # Safety
/// `format` is null or a description of channels.
unsafe fn describe(format_of: *const Channels, extent: Extent, flags: c_uint) -> Result<DriverArray, Code> {
    // SAFETY: the caller's promise.
    let (format, channels) = format(unsafe { format_of.as_ref() }.ok_or(INVALID_VALUE)?)?;
    Ok(DriverArray { width: extent.width, height: extent.height, depth: extent.depth, format, channels, flags })
}

exports! {
    fn cudaMallocArray(array: *mut Handle, format: *const Channels, width: usize, height: usize, flags: c_uint) {
        ready()?;
        let description = describe(format, Extent { width, height, depth: 0 }, flags)?;
        driver::cuArray3DCreate_v2(array, &description)
    }
    fn cudaMalloc3DArray(array: *mut Handle, format: *const Channels, extent: Extent, flags: c_uint) {
        ready()?;
        driver::cuArray3DCreate_v2(array, &describe(format, extent, flags)?)
    }
    fn cudaFreeArray(array: Handle) {
        ready()?;
        if array.is_null() { Ok(()) } else { driver::cuArrayDestroy(array) }
    }
    fn cudaArrayGetInfo(format: *mut Channels, extent: *mut Extent, flags: *mut c_uint, array: Handle) {
        ready()?;
        let found = description(array)?;
        if let Some(format) = format.as_mut() {
            *format = channels(found.format, found.channels);
        }
        if let Some(extent) = extent.as_mut() {
            *extent = Extent { width: found.width, height: found.height, depth: found.depth };
        }
        if let Some(flags) = flags.as_mut() {
            *flags = found.flags;
        }
        Ok(())
    }
    fn cudaGetChannelDesc(format: *mut Channels, array: Handle) {
        ready()?;
        let found = description(array)?;
        *format.as_mut().ok_or(INVALID_VALUE)? = channels(found.format, found.channels);
        Ok(())
    }
    fn cudaArrayGetPlane(plane: *mut Handle, array: Handle, index: c_uint) {
        ready()?;
        driver::cuArrayGetPlane(plane, array, index)
    }
    fn cudaMallocMipmappedArray(
        array: *mut Handle, format: *const Channels, extent: Extent, levels: c_uint, flags: c_uint,
    ) {
        ready()?;
        driver::cuMipmappedArrayCreate(array, &describe(format, extent, flags)?, levels)
    }
    fn cudaGetMipmappedArrayLevel(level: *mut Handle, array: Handle, index: c_uint) {
        ready()?;
        if let Some(level) = level.as_mut() {
            *level = null_mut();
        }
        driver::cuMipmappedArrayGetLevel(level, array, index)
    }
    fn cudaFreeMipmappedArray(array: Handle) {
        ready()?;
        if array.is_null() { Ok(()) } else { driver::cuMipmappedArrayDestroy(array) }
    }
    fn cudaArrayGetSparseProperties(_properties: *mut c_void, _array: Handle) {
        // No array here is sparse.
        ready()?;
        Err(INVALID_VALUE)
    }
}

/// `cudaCreateChannelDesc` of the runtime API.
#[unsafe(no_mangle)]
pub extern "C" fn cudaCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_int) -> Channels {
    Channels { bits: [x, y, z, w], kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_go_both_ways() {
        for (bits, kind, expected) in [
            ([32, 0, 0, 0], FLOAT, (0x20, 1)),
            ([8, 8, 8, 8], UNSIGNED, (0x01, 4)),
            ([16, 16, 0, 0], SIGNED, (0x09, 2)),
            ([16, 0, 0, 0], FLOAT, (0x10, 1)),
        ] {
            let wanted = Channels { bits, kind };
            let (number, count) = format(&wanted).unwrap();
            assert_eq!((number, count), expected);
            assert_eq!(channels(number, count), wanted);
        }
    }

    #[test]
    fn odd_formats_are_refused() {
        for bits in [[0, 0, 0, 0], [8, 16, 0, 0], [8, 8, 8, 0], [8, 0, 8, 0], [64, 0, 0, 0]] {
            assert_eq!(format(&Channels { bits, kind: UNSIGNED }), Err(INVALID_CHANNEL), "{bits:?}");
        }
    }

    #[test]
    fn elements_have_the_bytes_of_their_channels() {
        let array = DriverArray { format: 0x20, channels: 4, ..DriverArray::default() };
        assert_eq!(element_bytes(&array), 16);
    }
}
