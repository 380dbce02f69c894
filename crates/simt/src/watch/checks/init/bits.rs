//! Which bytes of shared and local memory have been written. (Global memory keeps its own; see
//! [`crate::memory::Validity`].)

use crate::memory::words;

/// A bit for each byte.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
    /// Unused bits of the last word.
    rest: u64,
    /// Words with a clear bit.
    open: usize,
}

impl Bits {
    /// For that many bytes, all clear.
    pub(super) fn new(bytes: u32) -> Self {
        let rest = if bytes.is_multiple_of(64) { 0 } else { u64::MAX << (bytes % 64) };
        let mut bits = Self { words: vec![0; (bytes as usize).div_ceil(64)], rest, open: 0 };
        bits.clear();
        bits
    }

    pub(super) fn clear(&mut self) {
        self.words.fill(0);
        if let Some(last) = self.words.last_mut() {
            *last = self.rest;
        }
        self.open = self.words.len();
    }

    /// Whether all bits are set.
    #[inline(always)]
    pub(super) fn is_whole(&self) -> bool {
        self.open == 0
    }

    /// Sets the bits of a range.
    #[inline(always)]
    pub(super) fn set(&mut self, start: u64, len: u64) {
        if self.is_whole() {
            return;
        }
        for (word, mask) in words(start, len) {
            if let Some(bits) = self.words.get_mut(word) {
                self.open -= usize::from(*bits != u64::MAX && *bits | mask == u64::MAX);
                *bits |= mask;
            }
        }
    }

    /// Clears a bit.
    pub(super) fn unset(&mut self, at: u64) {
        if let Some(bits) = self.words.get_mut((at / 64) as usize) {
            self.open += usize::from(*bits == u64::MAX);
            *bits &= !(1 << (at % 64));
        }
    }

    /// The clear bits of a range of at most 32.
    pub(super) fn clear_bits(&self, start: u64, len: u64) -> u32 {
        (0..len.min(32)).filter(|byte| self.first_clear(start + byte, 1).is_some()).fold(0, |m, byte| m | 1 << byte)
    }

    /// The first byte of a range whose bit is clear.
    #[inline(always)]
    pub(super) fn first_clear(&self, start: u64, len: u64) -> Option<u64> {
        if self.is_whole() {
            return None;
        }
        words(start, len).find_map(|(word, mask)| {
            let missing = mask & !self.words.get(word)?;
            (missing != 0).then(|| word as u64 * 64 + u64::from(missing.trailing_zeros()))
        })
    }
}

/// The local memory of a warp's lanes: bytes of `.local` variables that have not been written since the function was
/// entered. Everything else there (parameters of calls) counts as written.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalBits {
    /// Whether the kernel's own variables have been recorded.
    pub(super) entered: bool,
    /// By lane: a bit for each unwritten byte.
    lanes: Vec<Vec<u64>>,
}

impl LocalBits {
    /// A block starts.
    pub(super) fn restart(&mut self) {
        self.entered = false;
        self.lanes.iter_mut().for_each(Vec::clear);
    }

    /// Lanes enter a function, which has a variable at that place.
    pub(super) fn declare(&mut self, mask: u32, start: u64, len: u64) {
        self.lanes.resize(32, Vec::new());
        for lane in crate::lanes::lanes_of(mask) {
            let bits = &mut self.lanes[lane];
            for (word, mask) in words(start, len) {
                if bits.len() <= word {
                    bits.resize(word + 1, 0);
                }
                bits[word] |= mask;
            }
        }
    }

    /// A lane writes.
    pub(super) fn write(&mut self, lane: usize, start: u64, len: u64) {
        let Some(bits) = self.lanes.get_mut(lane) else { return };
        for (word, mask) in words(start, len) {
            if let Some(bits) = bits.get_mut(word) {
                *bits &= !mask;
            }
        }
    }

    /// The unwritten bytes of a range of at most 32, a bit for each.
    pub(super) fn unwritten(&self, lane: usize, start: u64, len: u64) -> u32 {
        let is_unwritten = |byte: &u64| self.first_unwritten(lane, start + byte, 1).is_some();
        (0..len.min(32)).filter(is_unwritten).fold(0, |m, byte| m | 1 << byte)
    }

    /// The first unwritten byte of a range.
    pub(super) fn first_unwritten(&self, lane: usize, start: u64, len: u64) -> Option<u64> {
        let bits = self.lanes.get(lane)?;
        words(start, len).find_map(|(word, mask)| {
            let missing = mask & bits.get(word)?;
            (missing != 0).then(|| word as u64 * 64 + u64::from(missing.trailing_zeros()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_is_unwritten_until_it_is_written() {
        let mut bits = Bits::new(256);
        assert_eq!(bits.first_clear(0, 4), Some(0));
        bits.set(0, 100);
        assert_eq!(bits.first_clear(96, 4), None);
        assert_eq!(bits.first_clear(96, 8), Some(100));
        assert_eq!(bits.first_clear(1 << 40, 8), None, "outside is not covered");
        bits.clear();
        assert_eq!(bits.first_clear(50, 1), Some(50));
    }

    #[test]
    fn what_is_written_piece_by_piece_is_whole_in_the_end() {
        for bytes in [64, 100, 128, 4097] {
            let mut bits = Bits::new(bytes);
            for turn in 0..2 {
                for at in (0..u64::from(bytes)).rev() {
                    assert!(!bits.is_whole(), "{bytes}, {turn}: {at} is missing");
                    assert_eq!(bits.first_clear(0, bytes.into()), Some(0));
                    bits.set(at, 1);
                    bits.set(at, 1);
                }
                assert!(bits.is_whole());
                bits.clear();
            }
        }
        assert!(Bits::new(0).is_whole());
    }

    #[test]
    fn a_byte_is_unwritten_again() {
        let mut bits = Bits::new(100);
        bits.set(0, 100);
        bits.unset(65);
        bits.unset(65);
        bits.unset(1 << 40);
        assert_eq!((bits.is_whole(), bits.first_clear(0, 100), bits.clear_bits(64, 8)), (false, Some(65), 0b10));
        bits.set(64, 2);
        assert!(bits.is_whole());
    }

    #[test]
    fn local_variables_are_unwritten_in_every_activation() {
        let mut bits = LocalBits::default();
        assert_eq!(bits.first_unwritten(3, 0, 8), None, "nothing is declared");
        bits.declare(0b1100, 16, 32);
        assert_eq!(bits.first_unwritten(3, 0, 32), Some(16));
        assert_eq!(bits.first_unwritten(1, 0, 32), None);
        assert_eq!(bits.unwritten(3, 12, 8), 0xf0);
        bits.write(3, 16, 8);
        assert_eq!(bits.first_unwritten(3, 16, 16), Some(24));
        bits.declare(0b1000, 16, 32);
        assert_eq!(bits.first_unwritten(3, 16, 4), Some(16), "entered again");
    }
}
