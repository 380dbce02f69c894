//! Texts compressed in the binary.

use super::spelling::{absolute, expand};
use super::{GROUPS, WORDS};
use lzma_rust2::LzmaReader;
use std::io::Read;
use std::sync::OnceLock;

/// All groups of them, in sequence.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.packed"));

/// Texts that are compressed together, and unpacked when the first of them is needed.
#[derive(Debug)]
pub(super) struct Group {
    at: usize,
    packed: usize,
    /// Its length as the build script spells it, and as it is.
    short: usize,
    unpacked: usize,
    text: OnceLock<String>,
}

impl Group {
    pub(super) const fn new(at: usize, packed: usize, short: usize, unpacked: usize) -> Self {
        Self { at, packed, short, unpacked, text: OnceLock::new() }
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let packed = &PACKED[self.at..self.at + self.packed];
            let dictionary = (self.short as u32).max(4096);
            let mut short = Vec::with_capacity(self.short);
            let reader = LzmaReader::new(packed, self.short as u64, 3, 0, 0, dictionary, None);
            let read = reader.and_then(|mut reader| reader.read_to_end(&mut short));
            assert_eq!(read.expect("the build script packed it"), self.short);
            let text = String::from_utf8(absolute(&expand(&short, &WORDS))).expect("the build script packed text");
            assert_eq!(text.len(), self.unpacked);
            text
        })
    }
}

/// A text compressed in the binary: a part of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    pub(super) group: usize,
    pub(super) at: usize,
    pub(super) bytes: usize,
}

impl Packed {
    /// The text, unpacked.
    pub(super) fn text(self) -> &'static str {
        &GROUPS[self.group].text()[self.at..self.at + self.bytes]
    }
}
