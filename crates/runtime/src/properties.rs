//! `cudaDeviceProp`, whose layout differs between versions: a list of fields, each with the attribute that it holds.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::write_bytes;

use crate::context;
use crate::driver;
use crate::status::{Code, INVALID_VALUE, Status};

/// A field after the identity and the size of memory.
#[derive(Clone, Copy, Debug)]
enum Field {
    /// `int`: this attribute.
    Int(c_int),
    /// `size_t`: this attribute.
    Size(c_int),
    /// `int`: zero.
    Zero,
}
use Field::{Int, Size, Zero};

/// The identity comes first: a name of 256 bytes, 16 of the UUID, 8 and 4 of an identity that Windows has.
const NAME: usize = 256;
/// The size of memory, which begins at a multiple of its size.
const MEMORY: usize = 288;

/// The versions of the structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// As programs before CUDA 12 had it, which is a beginning of that of CUDA 12.
    Eleven,
    /// CUDA 12.
    Twelve,
    /// CUDA 13.
    Thirteen,
}

/// Fields that CUDA 13 has left out.
const fn old(version: Version, field: Field) -> Option<Field> {
    match version {
        Version::Thirteen => None,
        _ => Some(field),
    }
}

/// The fields of a version, in their order.
fn fields(version: Version) -> Vec<Field> {
    let old = |field| old(version, field);
    let ints = |attributes: &[c_int]| attributes.iter().map(|attribute| Some(Int(*attribute))).collect::<Vec<_>>();
    let mut list = vec![Some(Size(8)), Some(Int(12)), Some(Int(10)), Some(Size(11))];
    list.extend(ints(&[1, 2, 3, 4, 5, 6, 7]));
    list.extend([old(Int(13)), Some(Size(9)), Some(Int(75)), Some(Int(76)), Some(Size(14)), Some(Size(51))]);
    list.extend([old(Int(15)), Some(Int(16)), old(Int(17)), Some(Int(18)), Some(Int(19)), old(Int(20))]);
    // Sizes of textures and surfaces.
    list.extend([Some(Int(21)), Some(Int(77)), old(Int(69))]);
    list.extend(ints(&[22, 23, 73, 74, 70, 71, 72, 45, 46, 24, 25, 26, 47, 48, 49, 52, 42, 43, 27, 28, 29, 53, 54]));
    list.extend(ints(&[55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68]));
    list.push(Some(Size(30)));
    list.extend(ints(&[31, 32, 33, 34, 50, 35, 40, 41]));
    list.push(old(Int(36)));
    list.extend(ints(&[37, 38, 108, 39, 78, 79, 80]));
    list.push(Some(Size(81)));
    list.extend(ints(&[82, 83, 84, 85, 86]));
    list.push(old(Int(87)));
    list.extend(ints(&[88, 89, 90, 91, 95]));
    list.extend([old(Int(96)), Some(Size(97))]);
    list.extend(ints(&[100, 101, 106, 109]));
    list.push(Some(Size(111)));
    if version == Version::Eleven {
        return list.into_iter().flatten().collect();
    }
    list.extend(ints(&[99, 112, 113, 114, 115, 116, 117, 118, 119, 121, 125, 120, 129]));
    if version == Version::Thirteen {
        list.extend(ints(&[130, 131, 133, 134, 139, 140, 143]));
    }
    let reserved = if version == Version::Thirteen { 56 } else { 63 };
    list.extend(std::iter::repeat_n(Some(Zero), reserved));
    list.into_iter().flatten().collect()
}

/// Where each field begins, and the size of the whole.
fn places(fields: &[Field]) -> (Vec<usize>, usize) {
    let mut at = MEMORY + size_of::<usize>();
    let begin = |field: &Field| {
        let bytes = if matches!(field, Size(_)) { size_of::<usize>() } else { size_of::<c_int>() };
        let begin = at.next_multiple_of(bytes);
        at = begin + bytes;
        begin
    };
    let places = fields.iter().map(begin).collect();
    (places, at.next_multiple_of(size_of::<usize>()))
}

/// Fills in the properties of a device.
///
/// # Safety
/// `properties` is null or a structure of that version.
pub unsafe fn fill(properties: *mut c_void, device: c_int, version: Version) -> Status {
    if properties.is_null() {
        return Err(INVALID_VALUE);
    }
    context::exists(device)?;
    let fields = fields(version);
    let (places, bytes) = places(&fields);
    let base = properties.cast::<u8>();
    // SAFETY: the structure has these bytes, and each field lies inside it at a multiple of its size.
    unsafe {
        write_bytes(base, 0, bytes);
        driver::cuDeviceGetName(base.cast::<c_char>(), NAME as c_int, device)?;
        // Not every driver has one.
        let _ = driver::cuDeviceGetUuid_v2(base.add(NAME), device);
        driver::cuDeviceTotalMem_v2(base.add(MEMORY).cast::<usize>(), device)?;
        for (field, at) in fields.iter().zip(places) {
            match *field {
                Int(attribute) => *base.add(at).cast::<c_int>() = value(attribute, device),
                Size(attribute) => *base.add(at).cast::<usize>() = value(attribute, device).max(0) as usize,
                Zero => {}
            }
        }
    }
    Ok(())
}

/// An attribute, or zero where the driver does not know it.
fn value(attribute: c_int, device: c_int) -> c_int {
    let mut value = 0;
    // SAFETY: the driver writes one number.
    let known: Result<(), Code> = unsafe { driver::cuDeviceGetAttribute(&mut value, attribute, device) };
    known.map_or(0, |()| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes and places that a C compiler gives the structures of the headers.
    #[test]
    fn layouts_are_those_of_the_headers() {
        for (version, bytes, processors, optin) in
            [(Version::Twelve, 1032, 388, 696), (Version::Thirteen, 1008, 384, 672)]
        {
            let fields = fields(version);
            let (places, all) = places(&fields);
            let place = |wanted: c_int| {
                let at = fields.iter().position(|field| matches!(field, Int(n) | Size(n) if *n == wanted)).unwrap();
                places[at]
            };
            assert_eq!(all, bytes, "{version:?}");
            assert_eq!(place(16), processors, "{version:?}");
            assert_eq!(place(97), optin, "{version:?}");
        }
    }

    #[test]
    fn the_old_layout_is_a_beginning_of_that_of_twelve() {
        let (old, new) = (fields(Version::Eleven), fields(Version::Twelve));
        assert!(old.len() < new.len());
        assert_eq!(places(&old).0, places(&new).0[..old.len()]);
    }
}
