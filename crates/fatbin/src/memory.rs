//! Images that a program hands over by address, with no length.

use std::slice;

use crate::field::u32_at;
use crate::{ImageError, elf, fatbinary};

/// The first four bytes of what host code registers.
const WRAPPER: u32 = 0x4662_43B1;

/// A wrapper in memory: what host code registers for each of its objects.
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    /// A fatbinary; in version 2 the one that the device linker made.
    data: *const u8,
    /// In version 2, fatbinaries of the objects that were linked, up to a null.
    objects: *const *const u8,
}

/// How many bytes an image has that starts at an address: a fatbinary or an ELF file says so itself, anything else is
/// text up to a zero, which is not counted. A null pointer has none.
///
/// # Safety
///
/// The pointer is null, or an image or a zero-terminated text starts there, is as long as it says, and can be read.
pub unsafe fn extent(pointer: *const u8) -> usize {
    if pointer.is_null() {
        return 0;
    }
    let mut length = 0;
    // SAFETY: bytes are read one by one, up to the zero of a text or to the end of a first word, which images have.
    while length < 4 && unsafe { *pointer.add(length) } != 0 {
        length += 1;
    }
    // SAFETY: these bytes were just read.
    let start = unsafe { slice::from_raw_parts(pointer, length) };
    // SAFETY: an image is as long as its headers say, by the contract of this function.
    let at = |place: u64, length: u64| unsafe { slice::from_raw_parts(pointer.add(place as usize), length as usize) };
    if fatbinary::is(start) {
        fatbinary::length(at(0, fatbinary::HEADER)) as usize
    } else if elf::is(start) {
        elf::length(at(0, elf::HEADER as u64), at) as usize
    } else {
        // SAFETY: what is no image is text that ends with a zero.
        while unsafe { *pointer.add(length) } != 0 {
            length += 1;
        }
        length
    }
}

/// True if host code registers what lies at the address: the wrapper of a fatbinary.
///
/// # Safety
///
/// As for [`extent`], or a wrapper lies there.
pub unsafe fn is_wrapper(pointer: *const u8) -> bool {
    if pointer.is_null() {
        return false;
    }
    let magic = WRAPPER.to_le_bytes();
    // SAFETY: a byte is read only if those before it were not the zero that ends a text.
    (0..4).all(|at| unsafe { *pointer.add(at) } == magic[at])
}

/// The fatbinaries of a wrapper: one, or those of all objects of a program with relocatable device code, which are to
/// be linked.
///
/// # Errors
///
/// It is no wrapper, or there is no fatbinary in it.
///
/// # Safety
///
/// As for [`is_wrapper`]; what the wrapper points to can be read, and stays as it is for as long as the program runs.
pub unsafe fn wrapper(pointer: *const u8) -> Result<Vec<&'static [u8]>, ImageError> {
    // SAFETY: by the contract of this function.
    if !unsafe { is_wrapper(pointer) } {
        return Err(ImageError::Unknown);
    }
    // SAFETY: a wrapper lies there; it need not be aligned.
    let wrapper = unsafe { pointer.cast::<Wrapper>().read_unaligned() };
    let mut starts = Vec::new();
    if wrapper.version >= 2 && !wrapper.objects.is_null() {
        // SAFETY: the list ends with a null.
        let list = (0..).map(|index| unsafe { wrapper.objects.add(index).read_unaligned() });
        starts.extend(list.take_while(|object| !object.is_null()));
    }
    if starts.is_empty() {
        starts.push(wrapper.data);
    }
    let mut fatbinaries = Vec::new();
    for start in starts {
        // SAFETY: a wrapper points to images, which say how long they are.
        let length = unsafe { extent(start) };
        if length == 0 {
            return Err(ImageError::Damaged("the wrapper points to nothing"));
        }
        // SAFETY: so long is the image, and it stays, by the contract of this function.
        let image: &'static [u8] = unsafe { slice::from_raw_parts(start, length) };
        if u32_at(image, 0) != fatbinary::MAGIC && !elf::is(image) {
            return Err(ImageError::Damaged("the wrapper points to something that is no image"));
        }
        fatbinaries.push(image);
    }
    Ok(fatbinaries)
}
