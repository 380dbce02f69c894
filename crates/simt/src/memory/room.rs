//! Rooms: where allocations of a machine in the host's address space lie.
//!
//! A room starts at a multiple of 512 bytes, and nothing else lies within the distance of a red zone around it, so that
//! running off the end of an allocation is noticed. Small rooms come from chunks that many of them share. One that was
//! left is used again, but not at once, so that a use after it was freed is noticed. Pages that nobody touches, which
//! includes the red zones, take no memory.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::VecDeque;
use std::ptr::NonNull;

use super::allocation::ALIGN;
use super::global::RED_ZONE;

/// Bytes of the largest room that shares a chunk.
const SMALL: u64 = 1 << 20;
/// Bytes of a chunk.
const CHUNK: u64 = 64 << 20;
/// Sizes of small rooms: powers of two from [`ALIGN`] to [`SMALL`].
const SIZES: usize = (SMALL / ALIGN).ilog2() as usize + 1;
/// Rooms of a size that are left alone before one of them is used again.
const LEFT_ALONE: usize = 8;
/// The host's allocator gives pages that are zero anyway only for alignments that it has by itself.
const HOST_ALIGN: u64 = 16;

/// Zeroed bytes of the host's allocator.
pub(super) struct Bytes {
    pub(super) start: NonNull<u8>,
    layout: Layout,
}

impl Bytes {
    /// At least one byte.
    pub(super) fn zeroed(len: u64, align: u64) -> Option<Self> {
        let size = usize::try_from(len).ok().filter(|size| *size > 0)?;
        let layout = Layout::from_size_align(size, align as usize).ok()?;
        // SAFETY: the layout has a size of at least one byte.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { start, layout })
    }

    /// The first place at an offset or after it that is a multiple of [`ALIGN`].
    fn aligned(&self, offset: u64) -> u64 {
        let start = self.start.as_ptr() as u64;
        (start + offset).next_multiple_of(ALIGN) - start
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: allocated in `zeroed` with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// A place for an allocation. It may be dropped only if it is large; a small one goes back to where it came from.
pub(super) struct Room {
    pub(super) start: NonNull<u8>,
    size: Size,
}

enum Size {
    /// The number of a small size.
    Small(usize),
    /// With bytes of its own.
    Large(#[allow(dead_code, reason = "kept until the room goes")] Bytes),
}

/// All rooms of a machine.
pub(super) struct Rooms {
    /// The last one is in use, up to an offset.
    chunks: Vec<Bytes>,
    next: u64,
    /// Small rooms that were left, by size, oldest first.
    left: [VecDeque<NonNull<u8>>; SIZES],
}

// SAFETY: rooms are plain memory that only their owner uses; nothing about them depends on the thread.
unsafe impl Send for Rooms {}
// SAFETY: as above; every change takes `&mut self`.
unsafe impl Sync for Rooms {}

impl Rooms {
    pub(super) fn new() -> Self {
        Self { chunks: Vec::new(), next: CHUNK, left: [const { VecDeque::new() }; SIZES] }
    }

    /// A room of at least that many bytes, the first `len` of them zero; `None` if the host has no more.
    pub(super) fn take(&mut self, len: u64) -> Option<Room> {
        if len > SMALL {
            let bytes = Bytes::zeroed(len.checked_add(2 * RED_ZONE + ALIGN)?, HOST_ALIGN)?;
            let offset = bytes.aligned(RED_ZONE);
            return Some(Room { start: within(&bytes, offset), size: Size::Large(bytes) });
        }
        let size = (len.max(ALIGN).next_power_of_two() / ALIGN).ilog2() as usize;
        if self.left[size].len() > LEFT_ALONE
            && let Some(start) = self.left[size].pop_front()
        {
            // SAFETY: the room has at least `len` bytes, and nobody has it.
            unsafe { start.as_ptr().write_bytes(0, len as usize) };
            return Some(Room { start, size: Size::Small(size) });
        }
        let room = ALIGN << size;
        let fits = |bytes: &Bytes, next: u64| bytes.aligned(next) + room + RED_ZONE <= CHUNK;
        if !self.chunks.last().is_some_and(|chunk| fits(chunk, self.next)) {
            self.chunks.push(Bytes::zeroed(CHUNK, HOST_ALIGN)?);
            self.next = RED_ZONE;
        }
        let chunk = self.chunks.last()?;
        let offset = chunk.aligned(self.next);
        self.next = offset + room + RED_ZONE;
        Some(Room { start: within(chunk, offset), size: Size::Small(size) })
    }

    /// Takes a room back.
    pub(super) fn leave(&mut self, room: Room) {
        if let Size::Small(size) = room.size {
            self.left[size].push_back(room.start);
        }
    }
}

/// A place in bytes that is not past their end.
fn within(bytes: &Bytes, offset: u64) -> NonNull<u8> {
    debug_assert!(offset < bytes.layout.size() as u64);
    // SAFETY: the offset is inside the bytes: `take` asked for room behind it.
    unsafe { bytes.start.add(offset as usize) }
}

impl std::fmt::Debug for Rooms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rooms({} chunks)", self.chunks.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a room starts.
    fn start(room: &Room) -> u64 {
        room.start.as_ptr() as u64
    }

    #[test]
    fn rooms_are_aligned_and_apart() {
        let mut rooms = Rooms::new();
        let lens = [0, 1, 512, 513, 100_000, SMALL, SMALL + 1, 5 << 20, 64 << 20];
        let mut taken: Vec<(u64, u64)> = Vec::new();
        let mut kept = Vec::new();
        for len in lens.iter().copied().cycle().take(60) {
            let room = rooms.take(len).expect("memory for a test");
            assert_eq!(start(&room) % ALIGN, 0);
            taken.push((start(&room), start(&room) + len));
            kept.push(room);
        }
        taken.sort_unstable();
        assert!(taken.windows(2).all(|two| two[1].0 - two[0].1 >= RED_ZONE), "{taken:x?}");
    }

    #[test]
    fn a_room_that_was_left_comes_back_later_and_zeroed() {
        let mut rooms = Rooms::new();
        let first = rooms.take(600).expect("memory for a test");
        let address = start(&first);
        // SAFETY: the room has that many bytes.
        unsafe { first.start.as_ptr().write_bytes(7, 600) };
        rooms.leave(first);
        let mut later = 0;
        loop {
            let room = rooms.take(1000).expect("memory for a test");
            let again = start(&room) == address;
            if again {
                // SAFETY: as above.
                let bytes = unsafe { std::slice::from_raw_parts(room.start.as_ptr(), 1000) };
                assert!(bytes.iter().all(|byte| *byte == 0));
            }
            rooms.leave(room);
            if again {
                break;
            }
            later += 1;
        }
        assert_eq!(later, LEFT_ALONE);
    }
}
