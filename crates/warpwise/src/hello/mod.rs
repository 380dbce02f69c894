//! Hello: every thread of a launch prints its block and thread number. The smallest kernel there is.

mod conformance;
mod description;
#[cfg(test)]
mod device_tests;
mod workload;

pub use description::{PRIMITIVE, VARIANTS};

use crate::device::Shape;
use crate::kernels::{self, KernelModule};
use crate::{Device, Error};

const KERNELS: &KernelModule = &kernels::HELLO;

/// What `grid` blocks of `block` threads print: a line each, in any order on a real GPU.
///
/// # Errors
///
/// [`Error::NeedsGpu`] on the CPU, [`Error::Launch`] for no threads or too many.
///
/// ```
/// use warpwise::{Device, hello};
///
/// let text = hello::greet(&Device::emulator(), 2, 3)?;
/// assert_eq!(text.lines().count(), 6);
/// assert!(text.contains("Hello from block 1, thread 2\n"));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn greet(device: &Device, grid: u32, block: u32) -> Result<String, Error> {
    let session = device.session().ok_or(Error::NeedsGpu { primitive: "hello" })?;
    session.launch(KERNELS, "hello", Shape::line(grid, block, 0), &[])
}
