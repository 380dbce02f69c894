//! Little-endian numbers at places that may lie outside.

use crate::ImageError;

/// The bytes of a range, if it lies inside.
pub(crate) fn piece(bytes: &[u8], at: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(at).ok()?;
    let end = usize::try_from(at.checked_add(length)?).ok()?;
    bytes.get(start..end)
}

/// The bytes of a range, or the given complaint.
pub(crate) fn within<'a>(bytes: &'a [u8], at: u64, length: u64, wrong: &'static str) -> Result<&'a [u8], ImageError> {
    piece(bytes, at, length).ok_or(ImageError::Damaged(wrong))
}

/// A 16-bit number; 0 outside.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u16::from_le_bytes(*chunk))
}

/// A 32-bit number; 0 outside.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

/// A 64-bit number; 0 outside.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// Bytes as text; what is not UTF-8 (in comments and paths) is replaced.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
