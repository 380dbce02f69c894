//! LZ4 blocks.

use crate::ImageError;

const WRONG: ImageError = ImageError::Damaged("its LZ4 block cannot be unpacked");

/// Unpacks a block that must give exactly that many bytes.
pub(crate) fn unpack(block: &[u8], size: usize) -> Result<Vec<u8>, ImageError> {
    // No byte of a block stands for more than 255.
    let mut out = Vec::with_capacity(size.min(block.len().saturating_mul(255)));
    let mut rest = block;
    loop {
        let token = byte(&mut rest)?;
        let literals = length(&mut rest, token >> 4)?;
        let (copied, after) = rest.split_at_checked(literals).ok_or(WRONG)?;
        rest = after;
        if literals > size - out.len() {
            return Err(WRONG);
        }
        out.extend_from_slice(copied);
        // The last sequence has literals only.
        if rest.is_empty() {
            return if out.len() == size { Ok(out) } else { Err(WRONG) };
        }
        let distance = usize::from(u16::from_le_bytes([byte(&mut rest)?, byte(&mut rest)?]));
        let count = length(&mut rest, token & 15)?.checked_add(4).ok_or(WRONG)?;
        if distance == 0 || distance > out.len() || count > size - out.len() {
            return Err(WRONG);
        }
        repeat(&mut out, distance, count);
    }
}

fn byte(rest: &mut &[u8]) -> Result<u8, ImageError> {
    let (&first, after) = rest.split_first().ok_or(WRONG)?;
    *rest = after;
    Ok(first)
}

/// A length of four bits, and the bytes that continue it.
fn length(rest: &mut &[u8], nibble: u8) -> Result<usize, ImageError> {
    let mut length = usize::from(nibble);
    if nibble == 15 {
        loop {
            let more = byte(rest)?;
            length = length.checked_add(more.into()).ok_or(WRONG)?;
            if more != 255 {
                break;
            }
        }
    }
    Ok(length)
}

/// Appends bytes from before; where they overlap what is appended, they repeat.
fn repeat(out: &mut Vec<u8>, distance: usize, count: usize) {
    let start = out.len() - distance;
    let end = out.len() + count;
    while out.len() < end {
        let have = (out.len() - start).min(end - out.len());
        out.extend_from_within(start..start + have);
    }
}

#[cfg(test)]
mod tests {
    use super::unpack;

    #[test]
    fn literals_and_repeats() {
        assert_eq!(unpack(&[0x30, b'a', b'b', b'c'], 3).as_deref(), Ok(&b"abc"[..]));
        // Three literals, ten bytes from three back (which repeat), then one literal.
        let block = [0x36, b'a', b'b', b'c', 3, 0, 0x10, b'!'];
        assert_eq!(unpack(&block, 14).as_deref(), Ok(&b"abcabcabcabca!"[..]));
        // Lengths of more than four bits: 15 + 255 + 1 literals.
        let mut long = vec![0xF0, 255, 1];
        long.extend([b'x'; 271]);
        assert_eq!(unpack(&long, 271).as_deref(), Ok(&[b'x'; 271][..]));
        let repeated = [0x1F, b'y', 1, 0, 255, 3, 0x00];
        assert_eq!(unpack(&repeated, 1 + 4 + 15 + 258).as_deref(), Ok(&[b'y'; 278][..]));
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let good = [0x36, b'a', b'b', b'c', 3, 0, 0x10, b'!'];
        assert!(unpack(&good, 13).is_err(), "longer than stated");
        assert!(unpack(&good, 15).is_err(), "shorter than stated");
        assert!(unpack(&[0x10, b'a', 2, 0, 0x10, b'!'], 6).is_err(), "from before the start");
        assert!(unpack(&[0x10, b'a', 0, 0, 0x10, b'!'], 6).is_err(), "from nowhere");
        assert!(unpack(&[0xF0, 255, 255], 1 << 40).is_err(), "cut in a length");
        for end in 0..good.len() {
            assert!(unpack(&good[..end], 14).is_err(), "cut at {end}");
        }
    }
}
