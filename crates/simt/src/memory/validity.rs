//! Which bytes of an allocation have been written.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A bit for each byte, created when first needed; most allocations are written as a whole.
#[derive(Debug)]
pub(crate) struct Validity {
    len: u64,
    /// Everything is written: the bits no longer matter.
    all: AtomicBool,
    bits: OnceLock<Box<[AtomicU64]>>,
}

/// Which bytes had been written at some time.
pub(crate) struct Written {
    all: bool,
    /// Empty if none.
    bits: Box<[u64]>,
}

impl Validity {
    /// Nothing is written.
    pub(crate) fn new(len: u64) -> Self {
        Self { len, all: AtomicBool::new(len == 0), bits: OnceLock::new() }
    }

    /// Whether every byte is known to be written.
    #[inline(always)]
    pub(crate) fn is_whole(&self) -> bool {
        self.all.load(Ordering::Relaxed)
    }

    /// Marks everything as written.
    pub(crate) fn fill(&self) {
        self.all.store(true, Ordering::Relaxed);
    }

    /// Marks some bytes as written.
    pub(crate) fn write(&self, start: u64, len: u64) {
        if self.is_whole() {
            return;
        }
        if len == self.len {
            return self.fill();
        }
        for (word, mask) in words(start, len) {
            if let Some(bits) = self.bits().get(word)
                && bits.load(Ordering::Relaxed) & mask != mask
            {
                bits.fetch_or(mask, Ordering::Relaxed);
            }
        }
    }

    /// The first unwritten byte of a range.
    pub(crate) fn first_unwritten(&self, start: u64, len: u64) -> Option<u64> {
        if self.is_whole() {
            return None;
        }
        words(start, len).find_map(|(word, mask)| {
            let missing = mask & !self.bits().get(word)?.load(Ordering::Relaxed);
            (missing != 0).then(|| word as u64 * 64 + u64::from(missing.trailing_zeros()))
        })
    }

    /// The unwritten bytes of a range of at most 32, a bit for each.
    pub(crate) fn unwritten(&self, start: u64, len: u64) -> u32 {
        (0..len.min(32)).filter(|byte| self.first_unwritten(start + byte, 1).is_some()).fold(0, |m, byte| m | 1 << byte)
    }

    /// Marks a byte as unwritten: what was written there is what nobody has written.
    pub(crate) fn forget(&self, at: u64) {
        if self.is_whole() {
            self.bits().iter().for_each(|word| word.store(u64::MAX, Ordering::Relaxed));
            self.all.store(false, Ordering::Relaxed);
        }
        if let Some(word) = self.bits().get((at / 64) as usize) {
            word.fetch_and(!(1 << (at % 64)), Ordering::Relaxed);
        }
    }

    /// What has been written so far.
    pub(super) fn copy(&self) -> Written {
        let bits = self.bits.get().map(|bits| bits.iter().map(|word| word.load(Ordering::Relaxed)).collect());
        Written { all: self.is_whole(), bits: bits.unwrap_or_default() }
    }

    /// Forgets what was written after the copy was made.
    pub(super) fn restore(&self, before: &Written) {
        self.all.store(before.all, Ordering::Relaxed);
        for (at, word) in self.bits.get().into_iter().flatten().enumerate() {
            word.store(before.bits.get(at).copied().unwrap_or(0), Ordering::Relaxed);
        }
    }

    fn bits(&self) -> &[AtomicU64] {
        self.bits.get_or_init(|| (0..self.len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }
}

/// The words that hold the bits of a range, and which bits of each.
pub(crate) fn words(start: u64, len: u64) -> impl Iterator<Item = (usize, u64)> {
    let end = start + len;
    let mut at = start;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let (word, low) = (at / 64, at % 64);
        let next = ((word + 1) * 64).min(end);
        let count = next - at;
        at = next;
        Some((word as usize, (u64::MAX >> (64 - count)) << low))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_at_words() {
        assert_eq!(words(0, 64).collect::<Vec<_>>(), [(0, u64::MAX)]);
        assert_eq!(words(62, 4).collect::<Vec<_>>(), [(0, 3 << 62), (1, 3)]);
        assert_eq!(words(5, 0).count(), 0);
        assert_eq!(words(130, 1).collect::<Vec<_>>(), [(2, 4)]);
    }

    #[test]
    fn what_was_written_later_can_be_forgotten() {
        let validity = Validity::new(200);
        let none = validity.copy();
        validity.write(8, 4);
        let some = validity.copy();
        validity.fill();
        validity.restore(&some);
        assert_eq!((validity.first_unwritten(8, 4), validity.first_unwritten(0, 200)), (None, Some(0)));
        validity.restore(&none);
        assert_eq!(validity.first_unwritten(8, 4), Some(8));
    }

    #[test]
    fn a_byte_is_unwritten_again() {
        let validity = Validity::new(200);
        validity.fill();
        validity.forget(70);
        validity.forget(72);
        assert_eq!((validity.first_unwritten(0, 200), validity.unwritten(69, 8)), (Some(70), 0b1010));
        validity.write(70, 1);
        assert_eq!(validity.first_unwritten(0, 200), Some(72));
    }

    #[test]
    fn bytes_become_valid_one_by_one_or_all_at_once() {
        let validity = Validity::new(200);
        assert_eq!(validity.first_unwritten(10, 4), Some(10));
        validity.write(8, 100);
        assert_eq!(validity.first_unwritten(10, 98), None);
        assert_eq!(validity.first_unwritten(100, 20), Some(108));
        validity.write(0, 200);
        assert!(validity.is_whole());
        assert_eq!(validity.first_unwritten(0, 200), None);
    }
}
