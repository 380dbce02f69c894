//! Unpacking with limits.

use std::io::Read;

use ruzstd::decoding::StreamingDecoder;

use crate::ImageError;

/// The longest text or cubin that is unpacked.
const LONGEST: u64 = 256 << 20;

/// Up to here, any ratio is believed.
const SMALL: u64 = 16 << 20;

/// Beyond it, no more than this many bytes come out of one: text of a compiler packs to a tenth or a twentieth.
const RATIO: u64 = 4096;

/// The longest window that any level of the compressor uses by itself.
const WINDOW: u64 = 128 << 20;

const WRONG: ImageError = ImageError::Damaged("its Zstandard frame cannot be unpacked");

/// A size that an image states, if it can be right.
pub(crate) fn checked(packed: &[u8], bytes: u64) -> Result<usize, ImageError> {
    let most = LONGEST.min(SMALL.max(RATIO.saturating_mul(packed.len() as u64)));
    match usize::try_from(bytes) {
        Ok(size) if bytes <= most => Ok(size),
        _ => Err(ImageError::TooLarge { bytes }),
    }
}

/// Unpacks a Zstandard frame that must give exactly that many bytes.
pub(crate) fn zstd(frame: &[u8], size: usize) -> Result<Vec<u8>, ImageError> {
    let decoder = StreamingDecoder::new_with_max_window_size(frame, WINDOW.max(size as u64)).map_err(|_| WRONG)?;
    let mut out = Vec::new();
    // One more than stated, to see whether there is more.
    decoder.take(size as u64 + 1).read_to_end(&mut out).map_err(|_| WRONG)?;
    if out.len() == size { Ok(out) } else { Err(WRONG) }
}
