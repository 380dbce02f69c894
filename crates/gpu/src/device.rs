//! What a program needs from a GPU.

use crate::{Copier, DeviceError, DevicePtr, Launch, ModuleSource, Point, Report};
use std::sync::Arc;
use warpwise_arch::{Gpu, ImageShape, Sampler};

/// A module on a device, by the number that the device gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Module(pub u32);

/// A moment on a device's own clock, by the number that the device gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark(pub u32);

/// A GPU, real or emulated: memory, modules, launches. Addresses are plain numbers, as the driver's are.
pub trait Device: Send {
    /// Its name in reports: `emulator`, `cuda`, `both`.
    fn name(&self) -> String;

    /// Allocates memory. Its contents are undefined.
    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError>;

    /// Like [`Device::allocate`], but for a few bytes that a kernel writes and the host reads next: if there is memory
    /// that both can reach, [`Device::download`] has nothing to copy.
    fn allocate_result(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        self.allocate(bytes)
    }

    /// Frees memory.
    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError>;

    /// Copies to the device; the address may be inside a buffer.
    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies from the device; the address may be inside a buffer.
    fn download(&mut self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// A copier that works while kernels run, if the device can do both at once.
    fn copier(&mut self) -> Option<Arc<dyn Copier>> {
        None
    }

    /// Sets bytes on the device.
    fn fill(&mut self, to: DevicePtr, byte: u8, bytes: u64) -> Result<(), DeviceError>;

    /// Copies from one buffer to another.
    fn copy(&mut self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), DeviceError>;

    /// Takes a module and places its variables. The text of a kernel is read when the kernel is prepared or first
    /// launched.
    fn load(&mut self, source: Arc<dyn ModuleSource>) -> Result<Module, DeviceError>;

    /// Whether a kernel can be launched without delay.
    fn is_ready(&self, module: Module, kernel: &str) -> bool;

    /// Prepares a kernel, so that its first launch takes no longer than others: it is read and compiled now.
    fn prepare(&mut self, module: Module, kernel: &str) -> Result<(), DeviceError>;

    /// Runs a kernel. A real GPU may still be running it when this returns: later failures are reported by the next
    /// call that waits, [`Device::synchronize`] at the latest.
    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError>;

    /// [`Device::mark`] and [`Device::launch`] in one, with as little as possible between them.
    fn mark_and_launch(
        &mut self,
        module: Module,
        kernel: &str,
        launch: &Launch,
    ) -> Result<(Mark, Report), DeviceError> {
        Ok((self.mark()?, self.launch(module, kernel, launch)?))
    }

    /// Makes a texture of these texels, or a surface if there is no sampler; returns the handle that kernels take, and
    /// where the texels are.
    fn texture(
        &mut self,
        shape: ImageShape,
        texels: &[u8],
        sampler: Option<Sampler>,
    ) -> Result<(u64, DevicePtr), DeviceError> {
        let _ = (shape, texels, sampler);
        Err(DeviceError::NoTextures)
    }

    /// Address and size of a module's global or constant variable.
    fn variable(&mut self, module: Module, name: &str) -> Option<(DevicePtr, u64)>;

    /// Waits until all requested work is done.
    fn synchronize(&mut self) -> Result<(), DeviceError>;

    /// The same GPU and memory with an order of work of its own, which runs beside this one's; `None` where all work is
    /// done in one order. Modules are its own, too.
    fn fork(&mut self) -> Result<Option<Box<dyn Device>>, DeviceError> {
        Ok(None)
    }

    /// The place after all work that has been requested so far.
    fn point(&mut self) -> Result<Point, DeviceError> {
        Ok(Point::new(()))
    }

    /// Begins no later work before a place in the work of this device or of a [fork](Device::fork) is reached. The
    /// caller does not wait.
    fn follow(&mut self, point: &Point) -> Result<(), DeviceError> {
        let _ = point;
        Ok(())
    }

    /// Waits for the work of a stream of other code, by its handle in the driver. Devices without such streams do nothing.
    fn wait_for_stream(&mut self, stream: u64) -> Result<(), DeviceError> {
        let _ = stream;
        Ok(())
    }

    /// Lets other code add work to the order of this device, by the handle of its stream in the driver, in whose context
    /// the work is called. `false`, with nothing done, for devices without such streams.
    fn with_stream(&mut self, work: &mut dyn FnMut(u64)) -> Result<bool, DeviceError> {
        let _ = work;
        Ok(false)
    }

    /// Marks the moment at which the device gets to this point, on its own clock.
    fn mark(&mut self) -> Result<Mark, DeviceError>;

    /// Milliseconds between two moments; waits for both.
    fn elapsed_ms(&mut self, from: Mark, to: Mark) -> Result<f64, DeviceError>;

    /// Forgets all marks.
    fn clear_marks(&mut self);

    /// Whether the device is unusable: a kernel has failed, and the device could not be recovered.
    fn stopped(&self) -> bool {
        false
    }

    /// Bytes of memory in use or kept for later.
    fn memory_held(&mut self) -> u64;

    /// How often everything on the device has been lost: buffers of an earlier generation are gone, and their addresses
    /// may have been reused.
    fn generation(&self) -> u32;

    /// Whether launches may be cooperative: all blocks run at once, or none.
    fn cooperates(&self) -> bool {
        true
    }

    /// The facts and limits of the GPU.
    fn gpu(&self) -> &Gpu;
}
