//! Device code as host code holds it: a wrapper around one fatbinary, or around one for each file that was linked.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::driver;
use crate::status::Code;
use crate::types::Handle;

/// What host code registers.
#[repr(C)]
struct Wrapper {
    magic: u32,
    /// 1: one fatbinary. 2: separate compilation, where every file has its own.
    version: u32,
    image: *const c_void,
    /// In version 2, the fatbinaries of the files, ending in null.
    files: *const *const c_void,
}

/// `0x466243b1`
const WRAPPER: u32 = 0x4662_43b1;

/// The driver's number for a fatbinary as the input of its linker.
const FATBINARY: i32 = 2;

/// Bytes of a fatbinary: its header, and what the header says follows.
///
/// # Safety
/// A fatbinary is at `image`.
unsafe fn bytes_of(image: *const c_void) -> usize {
    // SAFETY: the header is 16 bytes: a magic number, a version, its own size, and the size of the rest.
    unsafe {
        let header = usize::from(image.byte_add(6).cast::<u16>().read_unaligned());
        let rest = image.byte_add(8).cast::<u64>().read_unaligned();
        header + rest as usize
    }
}

/// The fatbinaries of the files that were linked, where there are several.
///
/// # Safety
/// A wrapper is at `wrapper`.
unsafe fn files_of(wrapper: &Wrapper) -> Vec<*const c_void> {
    let mut files = Vec::new();
    if wrapper.version < 2 || wrapper.files.is_null() {
        return files;
    }
    // SAFETY: the list ends in null.
    unsafe {
        let mut next = wrapper.files;
        while !(*next).is_null() {
            files.push(*next);
            next = next.add(1);
        }
    }
    files
}

/// Loads what a wrapper holds.
///
/// # Safety
/// Host code registered `wrapper`.
pub(crate) unsafe fn load(wrapper: *const c_void) -> Result<Handle, Code> {
    // SAFETY: the caller's promise; a wrapper is known by its magic number, anything else is an image itself.
    unsafe {
        let held = &*wrapper.cast::<Wrapper>();
        if held.magic != WRAPPER {
            return load_image(wrapper);
        }
        match files_of(held)[..] {
            [] => load_image(held.image),
            [file] => load_image(file),
            ref files => load_linked(files),
        }
    }
}

/// # Safety
/// An image is at `image`.
unsafe fn load_image(image: *const c_void) -> Result<Handle, Code> {
    let mut library = null_mut();
    // SAFETY: the caller's promise; there are no options.
    unsafe {
        driver::cuLibraryLoadData(&mut library, image, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0)?;
    }
    Ok(library)
}

/// Links the code of several files and loads the result.
///
/// # Safety
/// Each of `files` is a fatbinary.
unsafe fn load_linked(files: &[*const c_void]) -> Result<Handle, Code> {
    let mut state = null_mut();
    // SAFETY: the caller's promise; the linker's image lives until the linker's state is destroyed.
    unsafe {
        driver::cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state)?;
        let linked = (|| {
            for file in files {
                let bytes = bytes_of(*file);
                driver::cuLinkAddData_v2(state, FATBINARY, *file, bytes, null(), 0, null_mut(), null_mut())?;
            }
            let (mut image, mut bytes) = (null_mut(), 0);
            driver::cuLinkComplete(state, &mut image, &mut bytes)?;
            load_image(image)
        })();
        let _ = driver::cuLinkDestroy(state);
        linked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_fatbinary_is_in_its_header() {
        let mut image = [0u8; 16];
        image[..4].copy_from_slice(&0xba55_ed50_u32.to_le_bytes());
        image[6..8].copy_from_slice(&16u16.to_le_bytes());
        image[8..].copy_from_slice(&424u64.to_le_bytes());
        // SAFETY: a header is all that is read.
        assert_eq!(unsafe { bytes_of(image.as_ptr().cast()) }, 440);
    }

    #[test]
    fn separate_compilation_lists_its_files() {
        let (first, second) = (1u8, 2u8);
        let list = [(&raw const first).cast(), (&raw const second).cast(), null()];
        let mut wrapper = Wrapper { magic: WRAPPER, version: 2, image: null(), files: list.as_ptr() };
        // SAFETY: the list ends in null.
        assert_eq!(unsafe { files_of(&wrapper) }, list[..2]);
        wrapper.version = 1;
        // SAFETY: version 1 has no list.
        assert!(unsafe { files_of(&wrapper) }.is_empty());
    }
}
