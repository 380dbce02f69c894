//! Texts compressed in the binary.

use super::TEXTS;
use super::relative::restore;

/// All of them, in sequence.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.packed"));

/// A text compressed in the binary, by its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed(pub(super) u16);

/// Where a text is compressed, and how.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) packed: usize,
    /// Bytes that were compressed: the text, or its difference to a relative.
    pub(super) unpacked: usize,
    pub(super) relative: Option<Packed>,
    /// The length of the text.
    pub(super) bytes: usize,
}

impl Packed {
    /// The length of the text.
    pub(super) fn bytes(self) -> usize {
        self.place().bytes
    }

    /// Unpacks it and appends it to a text.
    pub(super) fn append_to(self, text: &mut String) {
        text.push_str(str::from_utf8(&self.unpack()).expect("the build script packed text"));
    }

    fn place(self) -> &'static Place {
        &TEXTS[usize::from(self.0)]
    }

    fn unpack(self) -> Vec<u8> {
        let &Place { at, packed, unpacked, relative, bytes } = self.place();
        let (mut out, packed) = (vec![0; unpacked], &PACKED[at..at + packed]);
        let length = miniz_oxide::inflate::decompress_slice_iter_to_slice(&mut out, [packed].into_iter(), false, true);
        assert_eq!(length, Ok(unpacked), "the build script packed it");
        let Some(relative) = relative else { return out };
        restore(&relative.unpack(), &out, bytes).expect("the build script told the difference")
    }
}
