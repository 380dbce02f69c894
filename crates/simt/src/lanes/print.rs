//! `printf`, `assert`, the device heap and launches: functions that the driver provides on a GPU.

use super::region::{Generic, Region};
use super::{Flow, lanes_of};
use crate::memory::{self, NotFreed};
use crate::printf::{self, Arguments};
use crate::program::{Builtin, CallSite};
use crate::report::FaultKind;
use crate::warp::{Child, Warp};

/// The longest string that is read from device memory.
const MAX_STRING: u64 = 64 * 1024;
/// The error code of a launch that cannot be: `cudaErrorInvalidValue`.
const INVALID_VALUE: u64 = 1;
/// What one block may print.
const MAX_PRINTED: usize = 16 << 20;

/// A thread's view of memory, for reading strings and arguments.
struct Memory<'w, 'l> {
    warp: &'w Warp<'l>,
    lane: usize,
}

impl Memory<'_, '_> {
    fn byte(&self, address: u64) -> Option<u8> {
        // SAFETY: `host` vouches for the byte.
        Generic::host(self.warp, self.lane, address, 1).map(|p| unsafe { p.read() })
    }

    fn text(&self, address: u64) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        for at in 0..MAX_STRING {
            match self.byte(address.wrapping_add(at))? {
                0 => return Some(text),
                byte => text.push(byte),
            }
        }
        None
    }
}

/// The arguments of a `vprintf`: a buffer in which each lies at a multiple of its size.
struct Packed<'m, 'w, 'l> {
    memory: &'m Memory<'w, 'l>,
    next: u64,
}

impl Arguments for Packed<'_, '_, '_> {
    fn word(&mut self, bytes: u64) -> Option<u64> {
        let at = self.next.next_multiple_of(bytes);
        self.next = at + bytes;
        let mut word = [0u8; 8];
        for (k, byte) in word[..bytes as usize].iter_mut().enumerate() {
            *byte = self.memory.byte(at + k as u64)?;
        }
        Some(u64::from_le_bytes(word))
    }

    fn text(&mut self, address: u64) -> Option<Vec<u8>> {
        self.memory.text(address)
    }
}

impl Warp<'_> {
    /// Calls a function that the emulator provides.
    pub(crate) fn call_builtin(&mut self, builtin: Builtin, site: &CallSite, mask: u32) -> Flow {
        for lane in lanes_of(mask) {
            let argument = |warp: &mut Self, n: usize| warp.argument(site, n, lane).unwrap_or(0);
            match builtin {
                Builtin::Vprintf => {
                    let (format, arguments) = (argument(self, 0), argument(self, 1));
                    let Some(count) = self.print(lane, format, arguments) else {
                        let message = "printf: its format or an argument is not in readable memory".to_owned();
                        return self.fault(FaultKind::OutOfBounds, lane, message);
                    };
                    self.set_return(site, lane, count);
                }
                Builtin::AssertFail => {
                    let [text, file, line, function] = [0, 1, 2, 3].map(|n| argument(self, n));
                    let memory = Memory { warp: self, lane };
                    let text_of = |address| {
                        String::from_utf8_lossy(&memory.text(address).unwrap_or_else(|| b"?".to_vec())).into_owned()
                    };
                    let shown = |[x, y, z]: [u32; 3]| format!("[{x},{y},{z}]");
                    let message = format!(
                        "{}:{}: {}: block: {}, thread: {} Assertion `{}` failed.",
                        text_of(file),
                        line as u32,
                        text_of(function),
                        shown(self.block_index()),
                        shown(self.thread_index(lane)),
                        text_of(text)
                    );
                    return self.fault(FaultKind::Trap, lane, message);
                }
                Builtin::Malloc => {
                    let bytes = argument(self, 0);
                    let address = self.launch.heap.map_or(0, |heap| heap.alloc(bytes));
                    self.set_return(site, lane, address);
                }
                Builtin::Free => {
                    let address = argument(self, 0);
                    let freed = self.launch.heap.map_or(Ok(()), |heap| heap.free(address));
                    if let Err(why) = freed {
                        let why = match why {
                            NotFreed::Twice => "it was freed before",
                            NotFreed::Unknown => "malloc() did not return it",
                        };
                        let message = format!("free() of {address:#x}: {why}");
                        return self.fault_at(FaultKind::OutOfBounds, lane, address, message);
                    }
                }
                Builtin::ParameterBuffer => {
                    let buffer = self.parameter_buffer(site, lane).unwrap_or(0);
                    self.set_return(site, lane, buffer);
                }
                Builtin::LaunchDevice => {
                    let [buffer, stream] = [0, 1].map(|n| argument(self, n));
                    let launched = self.launch.children.is_some_and(|children| children.launch(buffer, stream));
                    self.set_return(site, lane, if launched { 0 } else { INVALID_VALUE });
                }
            }
        }
        Flow::Next
    }

    /// The buffer for the parameters of a launch: of a kernel, with a grid, a block and dynamic shared memory.
    fn parameter_buffer(&mut self, site: &CallSite, lane: usize) -> Option<u64> {
        let address = self.argument(site, 0, lane)?;
        let (grid, block) = (self.argument_triple(site, 1, lane)?, self.argument_triple(site, 2, lane)?);
        let shared_bytes = self.argument(site, 3, lane)? as u32;
        let function = u32::try_from(address.checked_sub(memory::CODE)? / memory::CODE_STEP).ok()?;
        let param_bytes = self.launch.image.functions.get(function as usize)?.param_bytes;
        Some(self.launch.children?.buffer(Child { function, grid, block, shared_bytes, param_bytes }))
    }

    fn print(&mut self, lane: usize, format: u64, arguments: u64) -> Option<u64> {
        let memory = Memory { warp: self, lane };
        let format = memory.text(format)?;
        // A printf without arguments passes a null pointer.
        let (text, count) = printf::format(&format, &mut Packed { memory: &memory, next: arguments })?;
        let printed = &mut self.block_mut().printed;
        if printed.len() + text.len() <= MAX_PRINTED {
            printed.extend_from_slice(&text);
        }
        Some(count)
    }
}
