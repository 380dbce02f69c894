//! An allocation: a piece of device memory and the host bytes behind it.

use std::ptr::NonNull;

use super::Validity;
use super::room::{Bytes, Room};

/// Alignment of allocations, as `cudaMalloc` gives it.
pub(super) const ALIGN: u64 = 512;

/// Whose bytes an allocation has.
enum Backing {
    /// Its own, anywhere on the host.
    Own(#[allow(dead_code, reason = "kept until the allocation goes")] Bytes),
    /// Those of a room, at their own address.
    Room(Room),
    /// The caller's, at their own address.
    Adopted,
}

/// A piece of device memory and the host bytes behind it.
pub(crate) struct Allocation {
    pub(crate) base: u64,
    pub(crate) len: u64,
    pub(super) host: NonNull<u8>,
    backing: Backing,
    /// Which bytes have been written.
    pub(crate) validity: Validity,
    /// The name that its owner gave it.
    pub(crate) name: Option<Box<str>>,
}

// SAFETY: an allocation owns its bytes, or its owner promised that they stay; nothing about them depends on the thread.
unsafe impl Send for Allocation {}
// SAFETY: shared access to the bytes goes through raw pointers by executing kernels, whose threads may race exactly
// as threads of a GPU may; host access takes `&mut Machine` or happens while no kernel runs.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// Zeroed bytes at a device address that is not the host's.
    pub(super) fn own(base: u64, len: u64) -> Option<Self> {
        let bytes = Bytes::zeroed(len.max(1), ALIGN)?;
        Some(Self::new(base, len, bytes.start, Backing::Own(bytes)))
    }

    /// The first bytes of a room, at their own address.
    pub(super) fn in_room(len: u64, room: Room) -> Self {
        let host = room.start;
        Self::new(host.as_ptr() as u64, len, host, Backing::Room(room))
    }

    /// Bytes of the caller's, at their own address; they count as written.
    pub(super) fn adopted(host: NonNull<u8>, len: u64) -> Self {
        let adopted = Self::new(host.as_ptr() as u64, len, host, Backing::Adopted);
        adopted.validity.fill();
        adopted
    }

    fn new(base: u64, len: u64, host: NonNull<u8>, backing: Backing) -> Self {
        Self { base, len, host, backing, validity: Validity::new(len), name: None }
    }

    /// Whether the machine's memory holds it, and not the caller's.
    pub(super) fn is_own(&self) -> bool {
        !matches!(self.backing, Backing::Adopted)
    }

    /// Whether it is in a room, with nothing else in the last unit of its memory.
    pub(super) fn has_room(&self) -> bool {
        matches!(self.backing, Backing::Room(_))
    }

    /// The room that it was in, if it was in one.
    pub(super) fn room(self) -> Option<Room> {
        match self.backing {
            Backing::Room(room) => Some(room),
            _ => None,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: `host` points to `len` initialised bytes (zeroed at birth, or the caller's) that live as long as
        // `self`.
        unsafe { std::slice::from_raw_parts(self.host.as_ptr(), self.len as usize) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` excludes every other access of the machine.
        unsafe { std::slice::from_raw_parts_mut(self.host.as_ptr(), self.len as usize) }
    }
}

impl std::fmt::Debug for Allocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Allocation({:#x}, {} bytes)", self.base, self.len)
    }
}
