//! Fatbinaries: a header, and entries one after the other.

use crate::field::{piece, text, u16_at, u32_at, u64_at, within};
use crate::{Image, ImageError, Kind, Storage};

/// The first four bytes of a fatbinary.
pub(crate) const MAGIC: u32 = 0xBA55_ED50;

/// Bytes of the header before the entries.
pub(crate) const HEADER: u64 = 16;

/// The fields of an entry's header that are known; headers are longer by what their names take.
const ENTRY: u64 = 64;

/// Flag: the entry is an LZ4 block.
const LZ4: u64 = 0x2000;

/// Flag: the entry is a Zstandard frame.
const ZSTD: u64 = 0x8000;

/// True if a fatbinary starts here.
pub(crate) fn is(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && u32_at(bytes, 0) == MAGIC
}

/// How long a fatbinary is, by its header.
pub(crate) fn length(header: &[u8]) -> u64 {
    u64::from(u16_at(header, 6)).saturating_add(u64_at(header, 8))
}

/// All fatbinaries of a section, which follow each other with zeros between them.
pub(crate) fn all(mut section: &[u8]) -> Result<Vec<Vec<Image<'_>>>, ImageError> {
    let mut groups = Vec::new();
    loop {
        let Some(start) = section.iter().position(|&byte| byte != 0) else { return Ok(groups) };
        section = &section[start..];
        if !is(section) {
            return Err(ImageError::Damaged("between its fatbinaries there is something else"));
        }
        groups.push(images(section)?);
        section = piece(section, 0, length(section)).map_or(&[][..], |whole| &section[whole.len()..]);
    }
}

/// The images of the fatbinary that starts here.
pub(crate) fn images(fatbinary: &[u8]) -> Result<Vec<Image<'_>>, ImageError> {
    let header = u64::from(u16_at(fatbinary, 6));
    if header < HEADER {
        return Err(ImageError::Damaged("the header of the fatbinary is too short"));
    }
    let mut entries =
        within(fatbinary, header, u64_at(fatbinary, 8), "the fatbinary is longer than what there is of it")?;
    let mut images = Vec::new();
    while !entries.is_empty() {
        let size = u64::from(u32_at(entries, 4));
        if size < ENTRY {
            return Err(ImageError::Damaged("the header of an entry is too short"));
        }
        let head = within(entries, 0, size, "the header of an entry reaches past the end")?;
        let payload = within(entries, size, u64_at(head, 8), "an entry reaches past the end of the fatbinary")?;
        images.push(image(head, payload)?);
        entries = &entries[head.len() + payload.len()..];
    }
    Ok(images)
}

/// The image of an entry.
fn image<'a>(head: &[u8], payload: &'a [u8]) -> Result<Image<'a>, ImageError> {
    let flags = u64_at(head, 40);
    let packed = u32_at(head, 16);
    let storage = match (packed, flags & (LZ4 | ZSTD)) {
        (0, _) => Storage::Plain,
        (_, LZ4) => Storage::Lz4,
        (_, ZSTD) => Storage::Zstd,
        _ => return Err(ImageError::Packing { flags }),
    };
    let payload = match storage {
        Storage::Plain => payload,
        _ => within(payload, 0, packed.into(), "the compressed part of an entry is longer than the entry")?,
    };
    Ok(Image {
        kind: match u16_at(head, 0) {
            1 => Kind::Ptx,
            2 => Kind::Cubin,
            other => Kind::Other(other),
        },
        sm: u32_at(head, 28),
        version: (u16_at(head, 26).into(), u16_at(head, 24).into()),
        storage,
        unpacked: if storage == Storage::Plain { payload.len() as u64 } else { u64_at(head, 56) },
        name: words(head, u32_at(head, 32), u32_at(head, 36)),
        options: match u32_at(head, 20) {
            0 => None,
            record => {
                let record = record as usize;
                words(head, u32_at(head, record), u32_at(head, record.saturating_add(4)))
            }
        },
        payload,
    })
}

/// A text in the header of an entry. A place outside, or nothing at it, is no text.
fn words(head: &[u8], at: u32, length: u32) -> Option<String> {
    let found = piece(head, at.into(), length.into()).filter(|_| u64::from(at) >= ENTRY)?;
    let found = found.split(|&byte| byte == 0).next().unwrap_or_default();
    let found = text(found);
    let found = found.trim();
    (!found.is_empty()).then(|| found.to_owned())
}
