//! Hello: every thread of a launch prints its block and thread number. The smallest kernel there is.

#[cfg(test)]
mod device_tests;

use crate::device::Shape;
use crate::kernels::{self, KernelModule};
use crate::variant::Variant;
use crate::{Device, Error};

const KERNELS: &KernelModule = &kernels::HELLO;

/// The ladder of hello: a single rung.
///
/// ```
/// assert_eq!(warpwise::hello::VARIANTS[0].name, "gpu-hello");
/// ```
pub const VARIANTS: &[Variant] = &[Variant::gpu("gpu-hello", "every thread prints its block and thread number")];

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
