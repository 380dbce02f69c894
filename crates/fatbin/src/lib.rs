//! Finds the PTX in what CUDA compilers make: fatbinaries, cubins, object files, libraries and programs.
//!
//! ```
//! let text = b".version 8.0 .target sm_80 .address_size 64 .visible .entry k() { ret; }\0";
//! let found = warpwise_fatbin::ptx_of(text, 90)?;
//! assert_eq!(found.len(), 1);
//! assert_eq!(found[0].target, 80);
//!
//! let error = warpwise_fatbin::ptx_of(b"\x89PNG", 90).unwrap_err();
//! assert_eq!(error, warpwise_fatbin::ImageError::Unknown);
//! # Ok::<(), warpwise_fatbin::ImageError>(())
//! ```
//!
//! # What is read
//!
//! - **PTX text**, with or without a zero at its end.
//! - **Fatbinaries**: one or more images of the same code for several architectures. Their PTX may be compressed, as
//!   LZ4 blocks (CUDA 12) or Zstandard frames (CUDA 13).
//! - **Cubins**: machine code. Compilers put the whole PTX beside it when line information is asked for.
//! - **Objects and programs** for the host: ELF files with fatbinaries in a section.
//! - **Archives** of such objects.
//!
//! [`read`] lists all images and [`choose`] picks one of several; [`ptx_of`] does both, and gives the texts that a device
//! runs. [`extent`] and [`wrapper()`] are for drivers, which get addresses instead of slices.
//! [`machine_instructions`] says how many machine instructions of a cubin each line of its PTX became.
//!
//! # Hostile images
//!
//! Sizes and offsets are checked before they are used. Memory is allocated as data arrives, not because a header says
//! so, and a text is unpacked to 256 MiB at most.

mod archive;
mod choice;
mod elf;
mod error;
mod fatbinary;
mod field;
mod image;
mod lz4;
mod machine_lines;
mod memory;
mod text;
mod unpack;

pub use choice::{Choice, choose};
pub use error::ImageError;
pub use image::{Image, Kind, Storage};
pub use machine_lines::machine_instructions;
pub use memory::{extent, is_wrapper, wrapper};

/// A PTX text out of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptx {
    /// The text, without zeros at its end.
    pub text: String,
    /// The compute capability that it is written for: 90 for `sm_90`, `sm_90a` and `sm_90f`.
    pub target: u32,
    /// The source file that it was compiled from, where the image says so.
    pub name: Option<String>,
}

/// What kind of file holds the images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// PTX text.
    Text,
    /// A fatbinary.
    Fatbinary,
    /// A cubin.
    Cubin,
    /// An object file, a library or a program for the host.
    Host,
    /// An archive of object files.
    Archive,
}

/// The images of a file.
#[derive(Clone, Debug)]
pub struct Contents<'a> {
    /// What the file is.
    pub container: Container,
    /// One group for each fatbinary: images of the same code for several architectures.
    pub groups: Vec<Vec<Image<'a>>>,
}

/// True for the first bytes (eight or more) of a fatbinary, an ELF file or an archive: of all that [`read`] takes but text.
pub fn is_binary(start: &[u8]) -> bool {
    fatbinary::is(start) || elf::is(start) || archive::is(start)
}

/// Lists the images of a file: PTX text, a fatbinary, a cubin, a host object or program, or an archive of objects.
///
/// # Errors
///
/// The file is none of these, or it is damaged. Texts are not unpacked here: [`Image::contents`] does that.
pub fn read(file: &[u8]) -> Result<Contents<'_>, ImageError> {
    if fatbinary::is(file) {
        return Ok(Contents { container: Container::Fatbinary, groups: vec![fatbinary::images(file)?] });
    }
    if elf::is(file) {
        let elf = elf::Elf::read(file)?;
        if elf.is_cubin() {
            return Ok(Contents { container: Container::Cubin, groups: vec![vec![Image::cubin(file, elf.sm())]] });
        }
        return Ok(Contents { container: Container::Host, groups: elf.fatbinaries()? });
    }
    if archive::is(file) {
        return Ok(Contents { container: Container::Archive, groups: archive::fatbinaries(file)? });
    }
    if text::is(file) {
        let image = Image::text(text::without_zeros(file));
        return Ok(Contents { container: Container::Text, groups: vec![vec![image]] });
    }
    Err(ImageError::Unknown)
}

/// The PTX that a device of a compute capability (90 for 9.0) runs: of every fatbinary, the text for the greatest
/// architecture that is not above the device, else the least.
///
/// Several texts come from a program of several object files, or from a cubin that was linked. Texts for one
/// architecture only (`sm_90a`) or one family (`sm_100f`) are taken for a device that is of it; for others only if there
/// is nothing else.
///
/// # Errors
///
/// The image is of no known kind, is damaged, or has no PTX in it. The last is [`ImageError::MachineCodeOnly`], which
/// says what to do.
pub fn ptx_of(image: &[u8], compute_capability: u32) -> Result<Vec<Ptx>, ImageError> {
    let contents = read(image)?;
    let mut texts = Vec::new();
    let mut machine_code = Vec::new();
    for group in &contents.groups {
        match choose(group, compute_capability) {
            Ok(found) => texts.extend(found.texts),
            Err(ImageError::MachineCodeOnly { architectures }) => machine_code.extend(architectures),
            Err(ImageError::NoCode) => {}
            Err(other) => return Err(other),
        }
    }
    if !texts.is_empty() {
        return Ok(texts);
    }
    if machine_code.is_empty() {
        return Err(ImageError::NoCode);
    }
    machine_code.sort_unstable();
    machine_code.dedup();
    Err(ImageError::MachineCodeOnly { architectures: machine_code })
}
