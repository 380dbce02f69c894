//! The range of addresses that reservations are taken from: reserved once, given out in pieces.
//!
//! Pieces that were given back are used again, the best fitting first.

use std::collections::{BTreeMap, BTreeSet};
use std::ptr;

use crate::error::{Error, Outcome};

/// Every piece starts and ends at a multiple of this.
const GRAIN: usize = 2 << 20;
/// Address space, as much of it as the system gives.
const LARGEST: usize = 1 << 44;

/// The reserved range.
#[derive(Default)]
pub(crate) struct Arena {
    /// Its address; 0 as long as nobody needed it.
    base: usize,
    len: usize,
    /// What lies beyond has never been used.
    top: usize,
    /// Free pieces below `top` by offset.
    free: BTreeMap<usize, usize>,
    /// The same by length.
    by_len: BTreeSet<(usize, usize)>,
}

impl Arena {
    /// Reserves address space; it can be neither read nor written, and no memory is used.
    fn open(&mut self) -> Outcome {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        for less in 0..10 {
            let len = LARGEST >> less;
            // SAFETY: a new mapping at an address that the system chooses.
            let base = unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
            if base != libc::MAP_FAILED {
                self.top = (base as usize).next_multiple_of(GRAIN) - base as usize;
                (self.base, self.len) = (base as usize, len);
                return Ok(());
            }
        }
        Err(Error::OUT_OF_MEMORY)
    }

    /// Takes a piece of at least that many bytes, at a multiple of `align`.
    pub(crate) fn take(&mut self, bytes: usize, align: usize) -> Outcome<usize> {
        if self.base == 0 {
            self.open()?;
        }
        let bytes = bytes.max(1).checked_next_multiple_of(GRAIN).ok_or(Error::OUT_OF_MEMORY)?;
        let align = align.max(GRAIN);
        // Only large alignments may need room to move in.
        let slack = if align > GRAIN { align } else { 0 };
        let wanted = bytes.checked_add(slack).ok_or(Error::OUT_OF_MEMORY)?;
        let (offset, len) = match self.by_len.range((wanted, 0)..).next().copied() {
            Some((len, offset)) => {
                self.forget(offset, len);
                (offset, len)
            }
            None => (self.grow(wanted)?, wanted),
        };
        let start = (self.base + offset).next_multiple_of(align) - self.base;
        self.keep(offset, start - offset);
        self.keep(start + bytes, offset + len - start - bytes);
        Ok(self.base + start)
    }

    /// Takes a piece back.
    pub(crate) fn give_back(&mut self, address: usize, bytes: usize) {
        let bytes = bytes.max(1).next_multiple_of(GRAIN);
        let mut offset = address - self.base;
        let mut len = bytes;
        if let Some((&before, &size)) = self.free.range(..offset).next_back()
            && before + size == offset
        {
            self.forget(before, size);
            (offset, len) = (before, size + len);
        }
        if let Some(&size) = self.free.get(&(offset + len)) {
            self.forget(offset + len, size);
            len += size;
        }
        self.keep(offset, len);
    }

    fn grow(&mut self, bytes: usize) -> Outcome<usize> {
        let offset = self.top;
        let end = offset.checked_add(bytes).filter(|&end| end <= self.len).ok_or(Error::OUT_OF_MEMORY)?;
        self.top = end;
        Ok(offset)
    }

    fn keep(&mut self, offset: usize, len: usize) {
        if len > 0 {
            self.free.insert(offset, len);
            self.by_len.insert((len, offset));
        }
    }

    fn forget(&mut self, offset: usize, len: usize) {
        self.free.remove(&offset);
        self.by_len.remove(&(len, offset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_used_again_and_joined() {
        let mut arena = Arena::default();
        let a = arena.take(100, 0).expect("room");
        let b = arena.take(GRAIN + 1, 0).expect("room");
        let c = arena.take(1, 0).expect("room");
        assert_eq!((a % GRAIN, b - a, c - b), (0, GRAIN, 2 * GRAIN));
        arena.give_back(a, 100);
        assert_eq!(arena.take(GRAIN, 0), Ok(a));
        arena.give_back(a, GRAIN);
        arena.give_back(b, GRAIN + 1);
        // Two pieces side by side are one.
        assert_eq!(arena.take(3 * GRAIN, 0), Ok(a));
    }

    #[test]
    fn it_aligns_and_ends() {
        let mut arena = Arena::default();
        assert_eq!(arena.take(1, 64 << 20).map(|at| at % (64 << 20)), Ok(0));
        assert_eq!(arena.take(LARGEST + 1, 0), Err(Error::OUT_OF_MEMORY));
        assert_eq!(arena.take(usize::MAX, 0), Err(Error::OUT_OF_MEMORY));
    }
}
