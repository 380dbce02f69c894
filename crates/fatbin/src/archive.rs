//! Archives of object files.

use crate::elf::{self, Elf};
use crate::field::within;
use crate::{Image, ImageError, fatbinary};

/// The first bytes of an archive.
const MAGIC: &[u8] = b"!<arch>\n";

/// Bytes of a member's header.
const HEADER: u64 = 60;

/// True for an archive.
pub(crate) fn is(file: &[u8]) -> bool {
    file.starts_with(MAGIC)
}

/// The fatbinaries of all members, in order. Members that are not ELF files or fatbinaries are passed over.
pub(crate) fn fatbinaries(file: &[u8]) -> Result<Vec<Vec<Image<'_>>>, ImageError> {
    let mut groups = Vec::new();
    let mut at = MAGIC.len() as u64;
    while at + 1 < file.len() as u64 {
        let header = within(file, at, HEADER, "a member of the archive is cut short")?;
        let digits = std::str::from_utf8(&header[48..58]).unwrap_or_default();
        let Ok(size) = digits.trim().parse::<u64>() else {
            return Err(ImageError::Damaged("a member of the archive does not say how long it is"));
        };
        let member = within(file, at + HEADER, size, "a member of the archive is cut short")?;
        if elf::is(member) {
            let elf = Elf::read(member)?;
            if elf.is_cubin() {
                groups.push(vec![Image::cubin(member, elf.sm())]);
            } else {
                groups.extend(elf.fatbinaries()?);
            }
        } else if fatbinary::is(member) {
            groups.extend(fatbinary::all(member)?);
        }
        // Members start at even places.
        at += HEADER + size + (size & 1);
    }
    Ok(groups)
}
