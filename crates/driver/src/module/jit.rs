//! Options of the calls that take code: only those about logs matter here.

use std::ffi::c_void;

use crate::edge::{list, put_list};
use crate::error::Outcome;

/// `CU_JIT_MAX_REGISTERS`, `CU_JIT_WALL_TIME`, and the options that name logs and their sizes.
const MAX_REGISTERS: u32 = 0;
const WALL_TIME: u32 = 2;
const INFO_LOG: u32 = 3;
const INFO_BYTES: u32 = 4;
const ERROR_LOG: u32 = 5;
const ERROR_BYTES: u32 = 6;

/// The options of a call, with their values, which some of them change.
pub(crate) struct Options {
    numbers: Vec<u32>,
    values: *mut *mut c_void,
}

// SAFETY: addresses of the caller's, which are used during its calls only.
unsafe impl Send for Options {}

impl Options {
    /// No options.
    pub(crate) fn none() -> Self {
        Self { numbers: Vec::new(), values: std::ptr::null_mut() }
    }

    /// The options of a call.
    pub(crate) fn new(count: u32, numbers: *const u32, values: *mut *mut c_void) -> Outcome<Self> {
        let numbers = list(numbers, count as usize)?;
        let _: Vec<*mut c_void> = list(values, count as usize)?;
        Ok(Self { numbers, values })
    }

    /// Registers that a thread may have at most.
    pub(crate) fn max_registers(&self) -> Option<u32> {
        self.value(MAX_REGISTERS).map(|most| most as u32).filter(|&most| most > 0)
    }

    /// Where the value of an option is.
    fn place(&self, option: u32) -> Option<*mut *mut c_void> {
        let at = self.numbers.iter().position(|&number| number == option)?;
        Some(self.values.wrapping_add(at))
    }

    fn value(&self, option: u32) -> Option<usize> {
        // SAFETY: `new` has read the whole array of values.
        self.place(option).map(|place| unsafe { place.read_unaligned() } as usize)
    }

    fn set(&self, option: u32, value: usize) {
        if let Some(place) = self.place(option) {
            // SAFETY: `new` has read the whole array of values, which these options allow to be changed.
            unsafe { place.write_unaligned(value as *mut c_void) };
        }
    }

    /// Writes a log, cut to its room, and how long it is.
    fn write(&self, log: u32, size: u32, text: &str) {
        let (Some(buffer), Some(room)) = (self.value(log), self.value(size)) else { return };
        // Sizes are unsigned ints; the rest of the pointer is not theirs.
        let room = room & 0xffff_ffff;
        if buffer == 0 || room == 0 {
            return self.set(size, 0);
        }
        let shown = text.len().min(room - 1);
        let mut bytes = text.as_bytes()[..shown].to_vec();
        bytes.push(0);
        put_list(buffer as *mut u8, &bytes);
        self.set(size, if shown == 0 { 0 } else { shown + 1 });
    }

    /// Nothing went wrong.
    pub(crate) fn quiet(&self) {
        self.failed("");
    }

    /// Something went wrong.
    pub(crate) fn failed(&self, message: &str) {
        self.write(INFO_LOG, INFO_BYTES, "");
        self.write(ERROR_LOG, ERROR_BYTES, message);
        if let Some(place) = self.place(WALL_TIME) {
            // SAFETY: as in `set`; the value is a float in place of the pointer.
            unsafe { place.cast::<f32>().write_unaligned(0.0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_cut_and_measured() {
        let mut log = [1u8; 6];
        let numbers = [ERROR_LOG, ERROR_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), 6 as *mut c_void];
        let options = Options::new(2, numbers.as_ptr(), values.as_mut_ptr()).expect("valid");
        options.failed("too long");
        assert_eq!((&log, values[1] as usize), (b"too l\0", 6));
        values[1] = 6 as *mut c_void;
        options.quiet();
        assert_eq!((log[0], values[1] as usize), (0, 0));
    }

    #[test]
    fn options_without_values_are_refused() {
        assert!(Options::new(1, std::ptr::null(), std::ptr::null_mut()).is_err());
        Options::none().failed("nobody hears it");
    }
}
