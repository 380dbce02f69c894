//! Results of a few bytes, in host memory that kernels write to: copying so little takes longer than most kernels that
//! produce it.

use super::error::{DriverError, driver};
use std::ptr::{NonNull, null_mut};

/// The most bytes of a result, and the most results at once.
const BYTES: usize = 64;
const COUNT: usize = 64;

/// Places for results. The driver maps them for the GPU at their own addresses.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// Allocated at the first use.
    memory: Option<NonNull<u8>>,
    free: Vec<usize>,
}

// SAFETY: the memory is the process's, and is reached through the device alone.
unsafe impl Send for Results {}

impl Results {
    /// A place for a result, filled with a byte if asked; `None` if it is too large or all places are taken.
    pub(super) fn take(&mut self, bytes: u64, fill: Option<u8>) -> Result<Option<u64>, DriverError> {
        if bytes > BYTES as u64 {
            return Ok(None);
        }
        if self.memory.is_none() {
            let mut memory = null_mut();
            // It is freed with the context.
            driver!(cuMemAllocHost_v2(&raw mut memory, BYTES * COUNT))?;
            self.memory = NonNull::new(memory.cast());
            self.free = (0..COUNT).collect();
        }
        let Some((memory, index)) = self.memory.zip(self.free.pop()) else { return Ok(None) };
        // SAFETY: the place is inside the memory, and its previous owner has returned it.
        let place = unsafe { memory.as_ptr().add(index * BYTES) };
        if let Some(byte) = fill {
            // SAFETY: as above.
            unsafe { place.write_bytes(byte, BYTES) };
        }
        Ok(Some(place as u64))
    }

    /// Takes a place back; false if it is not from here.
    pub(super) fn give_back(&mut self, at: u64) -> bool {
        let place = self.place(at, 0);
        self.free.extend(place.map(|place| place / BYTES));
        place.is_some()
    }

    /// Copies a result; false if it is not from here.
    pub(super) fn read(&self, at: u64, bytes: &mut [u8]) -> bool {
        let (Some(memory), Some(place)) = (self.memory, self.place(at, bytes.len())) else { return false };
        // SAFETY: the range is inside the memory, and no kernel writes to it: the caller has waited for them.
        unsafe { memory.as_ptr().add(place).copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        true
    }

    /// Whether an address belongs to a result.
    pub(super) fn has(&self, at: u64) -> bool {
        self.place(at, 0).is_some()
    }

    /// The offset of a range within the memory, if it lies in it.
    fn place(&self, at: u64, bytes: usize) -> Option<usize> {
        let place = usize::try_from(at.checked_sub(self.memory?.as_ptr() as u64)?).ok()?;
        (place < BYTES * COUNT && bytes <= BYTES * COUNT - place).then_some(place)
    }
}
