//! How the numbers of a file are read: all at once, or window by window.

use super::{AppError, Setup, Verify};
use crate::files::{Array, Source, read_array};
use crate::machine::memory;
use std::path::Path;
use warpwise::primitive::Type;
use warpwise::scan::Windows;

/// Windows and results in memory at the same time: what is read, computed and written, and what is made in between.
const AT_ONCE: u64 = 6;
/// The most bytes of a number while it is computed.
const WIDEST: u64 = 8;
/// Numbers of a window at most: more leave the caches between their reading and their use.
const MOST: u64 = 1 << 20;

/// How a file is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// The type of the numbers, if the file holds nothing else.
    pub raw: Option<Type>,
    /// The most bytes of memory to use for the numbers; if `None`, a quarter of the machine's.
    pub memory: Option<u64>,
}

/// A file that was opened.
pub(super) enum Opened {
    /// All of it.
    Array(Array),
    /// A file larger than memory, and how many numbers a window has.
    Windows(Source, usize),
}

impl Reading {
    /// Reads a file, or opens one that is larger than memory.
    pub(super) fn open(&self, path: &Path, setup: &Setup) -> Result<Opened, AppError> {
        let Some(source) = Source::open(path, self.raw)? else { return Ok(Opened::Array(read_array(path)?)) };
        let most = self.memory.unwrap_or_else(|| memory::total() / 4);
        if source.bytes() <= most || (self.memory.is_none() && !on_cpu(setup)) {
            let shape = source.shape.clone();
            return Ok(Opened::Array(Array { shape, numbers: source.all()? }));
        }
        if !on_cpu(setup) {
            let problem = "files that are larger are computed on the CPU: add --device cpu and leave out --variant";
            return Err(AppError::flag("--memory", problem));
        }
        if setup.verify == Verify::Always {
            return Err(AppError::flag(
                "--verify",
                "a file that is larger than --memory is not compared: leave it out",
            ));
        }
        let step = Windows::<f64>::STEP as u64;
        let window = (most / (AT_ONCE * WIDEST)).min(MOST) / step * step;
        if window == 0 {
            let least = AT_ONCE * WIDEST * step;
            return Err(AppError::flag("--memory", format!("give at least {least} bytes, such as 2^22")));
        }
        Ok(Opened::Windows(source, window as usize))
    }
}

/// Whether it is the CPU's own way to compute that was asked for.
fn on_cpu(setup: &Setup) -> bool {
    let plain = setup.variant.as_deref().is_none_or(|variant| variant == "cpu-par");
    plain && setup.open().is_ok_and(|device| device.is_cpu())
}
