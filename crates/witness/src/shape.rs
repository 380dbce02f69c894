//! Where on the host the bytes of a copy are.

/// Rows of bytes at regular distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) first: u64,
    /// Bytes from one row to the next, and from one slice to the next.
    pub(crate) pitch: u64,
    pub(crate) slice: u64,
    /// Bytes of a row, rows, slices.
    pub(crate) size: [u64; 3],
}

/// Kinds of memory, as the API counts them.
pub(crate) const HOST: u64 = 1;
pub(crate) const DEVICE: u64 = 2;
const ARRAY: u64 = 3;
const UNIFIED: u64 = 4;

impl Shape {
    /// So many bytes in a row.
    pub(crate) fn line(first: u64, bytes: usize) -> Self {
        Self { first, pitch: bytes as u64, slice: bytes as u64, size: [bytes as u64, 1, 1] }
    }

    /// The host's side of a copy in two dimensions (`CUDA_MEMCPY2D`, in words), if that is its target and the device its
    /// source. `kind` tells of an address whether it is the host's or the device's.
    pub(crate) fn flat(words: &[u64; 16], kind: impl Fn(u64) -> u64) -> Option<Self> {
        let [_, _, from_kind, _, from_device, _, _, x, y, to_kind, to_host, to_device, _, pitch, width, rows] = *words;
        let first = target([from_kind, from_device], [to_kind, to_host, to_device], kind)?;
        let pitch = if pitch == 0 { width } else { pitch };
        Some(Self { first: first + y * pitch + x, pitch, slice: pitch * rows, size: [width, rows, 1] })
    }

    /// The same in three dimensions (`CUDA_MEMCPY3D`).
    pub(crate) fn deep(words: &[u64; 25], kind: impl Fn(u64) -> u64) -> Option<Self> {
        let [_, _, _, _, from_kind, _, from_device, _, _, _, _, rest @ ..] = *words;
        let [x, y, z, _, to_kind, to_host, to_device, _, _, pitch, height, width, rows, slices] = rest;
        let first = target([from_kind, from_device], [to_kind, to_host, to_device], kind)?;
        let pitch = if pitch == 0 { width } else { pitch };
        let slice = pitch * if height == 0 { rows } else { height };
        Some(Self { first: first + z * slice + y * pitch + x, pitch, slice, size: [width, rows, slices] })
    }

    /// How many bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.size.iter().product()
    }

    /// Its rows; one, if there are no gaps.
    ///
    /// # Safety
    ///
    /// The host's memory has these bytes.
    pub(crate) unsafe fn rows(&self) -> impl Iterator<Item = &'static [u8]> {
        let [width, rows, slices] = self.size;
        let whole = (rows == 1 || self.pitch == width) && (slices == 1 || self.slice == rows * width);
        let (width, rows, slices) = if whole { (width * rows * slices, 1, 1) } else { (width, rows, slices) };
        let Self { first, pitch, slice, .. } = *self;
        (0..slices).flat_map(move |z| (0..rows).map(move |y| first + z * slice + y * pitch)).map(move |address| {
            // SAFETY: by the caller's word.
            unsafe { std::slice::from_raw_parts(address as *const u8, width as usize) }
        })
    }
}

/// The host's address of a copy from the device to it. Kinds are halves of words; what is in the other half is not said.
fn target(
    [from_kind, from_device]: [u64; 2],
    [to_kind, to_host, to_device]: [u64; 3],
    kind: impl Fn(u64) -> u64,
) -> Option<u64> {
    let from_device = match from_kind & 0xffff_ffff {
        DEVICE | ARRAY => true,
        UNIFIED => kind(from_device) == DEVICE,
        _ => false,
    };
    match to_kind & 0xffff_ffff {
        HOST if from_device => Some(to_host),
        UNIFIED if from_device && kind(to_device) == HOST => Some(to_device),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(address: u64) -> u64 {
        if address < 0x1000 { HOST } else { DEVICE }
    }

    #[test]
    fn a_part_of_a_picture() {
        let junk = 0xffff_ffff_0000_0000;
        let words = [1, 2, junk | DEVICE, 0, 0x9000, 0, 64, 4, 2, junk | HOST, 0x100, 0, 0, 32, 8, 3];
        let shape = Shape::flat(&words, kind).expect("to the host");
        assert_eq!(shape, Shape { first: 0x100 + 2 * 32 + 4, pitch: 32, slice: 96, size: [8, 3, 1] });
        assert_eq!(shape.bytes(), 24);
        let mut up = words;
        (up[2], up[9]) = (HOST, DEVICE);
        assert_eq!(Shape::flat(&up, kind), None);
        let mut either = words;
        (either[2], either[9], either[11]) = (UNIFIED, UNIFIED, 0x200);
        assert_eq!(Shape::flat(&either, kind).expect("to the host").first, 0x200 + 2 * 32 + 4);
        either[11] = 0x9800;
        assert_eq!(Shape::flat(&either, kind), None);
    }

    #[test]
    fn a_part_of_a_volume() {
        let mut words = [0; 25];
        words[4] = ARRAY;
        words[11..].copy_from_slice(&[1, 2, 3, 0, HOST, 0x100, 0, 0, 0, 16, 4, 8, 2, 2]);
        let shape = Shape::deep(&words, kind).expect("to the host");
        assert_eq!(shape, Shape { first: 0x100 + 3 * 64 + 2 * 16 + 1, pitch: 16, slice: 64, size: [8, 2, 2] });
    }

    #[test]
    fn rows_without_gaps_are_one() {
        let bytes: Vec<u8> = (0..24).collect();
        let first = bytes.as_ptr() as u64;
        // SAFETY: both shapes are within the vector.
        let rows = |shape: Shape| unsafe { shape.rows() }.map(<[u8]>::to_vec).collect::<Vec<_>>();
        let whole = rows(Shape { first, pitch: 4, slice: 12, size: [4, 3, 2] });
        assert_eq!(whole, std::slice::from_ref(&bytes));
        let gaps = rows(Shape { first, pitch: 4, slice: 12, size: [2, 2, 2] });
        assert_eq!(gaps, [[0, 1], [4, 5], [12, 13], [16, 17]]);
    }
}
