//! Texts compressed in the binary.

/// All of them, in sequence.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.packed"));

/// A text compressed in the binary: where it is, and its length when unpacked.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) at: usize,
    pub(super) packed: usize,
    pub(super) bytes: usize,
}

impl Packed {
    /// Unpacks it and appends it to a text.
    pub(super) fn append_to(&self, text: &mut String) {
        let mut bytes = vec![0; self.bytes];
        let packed = &PACKED[self.at..self.at + self.packed];
        let unpacked =
            miniz_oxide::inflate::decompress_slice_iter_to_slice(&mut bytes, [packed].into_iter(), false, true);
        assert_eq!(unpacked, Ok(self.bytes), "the build script packed it");
        text.push_str(str::from_utf8(&bytes).expect("the build script packed text"));
    }
}
