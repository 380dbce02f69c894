//! What a program brings along: whether it can run on our driver is seen before it starts.

use super::ProgramError;
use object::{Object, ObjectSection, ObjectSymbol};
use std::path::Path;

/// A function that NVIDIA's runtime defines, and one that host code of nvcc calls.
const ALLOCATE: &str = "cudaMalloc";
const REGISTER: &str = "__cudaRegisterFatBinary";
/// The section with the images that host code registers, and the one with the images.
const SEGMENT: &str = ".nvFatBinSegment";
const IMAGES: &str = ".nv_fatbin";

/// Refuses a program that has NVIDIA's runtime in it, or no PTX.
pub(super) fn examine(path: &Path, cc: u32) -> Result<(), ProgramError> {
    let bytes = std::fs::read(path).map_err(|problem| ProgramError::Read { path: path.to_owned(), problem })?;
    // A script is for its interpreter.
    let Ok(file) = object::File::parse(&*bytes) else { return Ok(()) };
    if has_runtime(&file) {
        return Err(ProgramError::StaticRuntime { path: path.to_owned() });
    }
    match file.section_by_name(IMAGES).and_then(|section| section.data().ok()) {
        Some(images) if !has_ptx(images) => Err(ProgramError::NoPtx { path: path.to_owned(), cc }),
        _ => Ok(()),
    }
}

/// Whether NVIDIA's runtime is in the file itself: it defines its functions, or, if the names were stripped, it has
/// images and asks nobody else to register them.
fn has_runtime(file: &object::File<'_>) -> bool {
    let names = |name: &str| name == ALLOCATE || name == REGISTER;
    let defines = file
        .symbols()
        .chain(file.dynamic_symbols())
        .any(|symbol| symbol.is_definition() && symbol.name().is_ok_and(names));
    let imports = || file.dynamic_symbols().any(|s| s.is_undefined() && s.name().is_ok_and(|name| name == REGISTER));
    defines || (file.section_by_name(SEGMENT).is_some() && !imports())
}

/// Whether any of the images in a section is PTX, or machine code that carries its PTX.
fn has_ptx(mut images: &[u8]) -> bool {
    const MAGIC: [u8; 4] = 0xBA55_ED50_u32.to_le_bytes();
    let mut seen = false;
    while let Some(at) = images.windows(4).step_by(4).position(|window| window == MAGIC) {
        seen = true;
        images = &images[4 * at..];
        let Some(size) = number(images, 8, 8) else { return true };
        let end = size.saturating_add(16).min(images.len());
        if entries(&images[..end]) {
            return true;
        }
        images = &images[end..];
    }
    // What is not understood is left to the driver.
    !seen
}

/// Whether an entry of a fatbinary has PTX.
fn entries(image: &[u8]) -> bool {
    const PTX: u64 = 1;
    let mut at = 16;
    while let (Some(kind), Some(header), Some(size)) =
        (number(image, at, 2), number(image, at + 4, 4), number(image, at + 8, 8))
    {
        let carried =
            image[at..].windows(17).take(size.saturating_add(header)).any(|name| name == b".nv_debug_ptx_txt");
        // The names of sections cannot be seen in compressed machine code: that is for the driver to say.
        let compressed = number(image, at + 16, 4).is_some_and(|size| size > 0);
        if kind as u64 == PTX || carried || compressed {
            return true;
        }
        at = at.saturating_add(header).saturating_add(size);
        if header == 0 {
            return true;
        }
    }
    false
}

/// A little-endian number of some bytes.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    let value = bytes.iter().rev().fold(0_u64, |value, &byte| value << 8 | u64::from(byte));
    usize::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fatbinary of entries: their kinds, and whether they are compressed.
    fn image(entries: &[(u16, u32, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, compressed, payload) in entries {
            body.extend(kind.to_le_bytes());
            body.extend(0x0101_u16.to_le_bytes());
            body.extend(64_u32.to_le_bytes());
            body.extend((payload.len() as u64).to_le_bytes());
            body.extend(compressed.to_le_bytes());
            body.resize(body.len() + 44, 0);
            body.extend(*payload);
        }
        let mut image = 0xBA55_ED50_u32.to_le_bytes().to_vec();
        image.extend([1, 0, 16, 0]);
        image.extend((body.len() as u64).to_le_bytes());
        image.extend(body);
        image
    }

    #[test]
    fn ptx_is_seen_in_any_image() {
        assert!(has_ptx(&image(&[(2, 0, &[0; 8]), (1, 5, &[0; 8])])));
        assert!(!has_ptx(&image(&[(2, 0, &[0; 8]), (2, 0, &[0; 16])])));
        assert!(has_ptx(&image(&[(2, 0, b".nv_debug_ptx_txt       ")])));
        assert!(has_ptx(&image(&[(2, 9, &[0; 16])])), "compressed machine code may carry it");
        let two = [image(&[(2, 0, &[0; 8])]), image(&[(1, 0, &[0; 8])])].concat();
        assert!(has_ptx(&two));
        assert!(has_ptx(b"something else entirely"), "left to the driver");
        let mut cut = image(&[(2, 0, &[0; 64])]);
        cut.truncate(40);
        let _ = has_ptx(&cut);
    }

    #[test]
    fn programs_without_cuda_are_fine() {
        assert!(examine(&std::env::current_exe().expect("a test is a program"), 90).is_ok());
        assert!(examine(Path::new("/bin/sh"), 90).is_ok());
        assert!(examine(Path::new("/no/such/file"), 90).is_err());
    }
}
