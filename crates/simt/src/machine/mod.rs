//! The machine: an emulated GPU with its memory and loaded modules.
//!
//! This is the interface a driver would use: allocate, copy, load a module, launch a kernel with a parameter block.

mod buffers;
mod children;
mod images;
mod kernels;
mod launches;
mod modules;

use std::sync::Arc;

use crate::memory::{Global, Heap};
use crate::texture::Objects;
use crate::warp::Children;
use warpwise_arch::Gpu;

pub use kernels::KernelId;
pub use modules::ModuleId;

use modules::Loaded;

/// Device heap for kernels that call `malloc`: what CUDA gives by default.
const HEAP_BYTES: u64 = 8 << 20;

/// An address in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DevicePtr(pub u64);

/// One emulated GPU.
#[derive(Debug)]
pub struct Machine {
    gpu: Gpu,
    memory: Global,
    /// By number; none where one was unloaded.
    modules: Vec<Option<Box<Loaded>>>,
    /// The heap of `malloc`, once a program was loaded that uses it.
    heap: Option<Arc<Heap>>,
    /// How large it is, or will be.
    heap_bytes: u64,
    /// Launches that kernels ask for, once a program was loaded that has such kernels.
    children: Option<Box<Children>>,
    /// Where the blocks of cooperative launches meet, once there was one.
    workspace: Option<u64>,
    /// Textures and surfaces.
    objects: Objects,
}

impl Machine {
    /// A machine with that GPU's limits. Its memory is the host's.
    pub fn new(gpu: Gpu) -> Self {
        Self::with(gpu, Global::new(u64::MAX))
    }

    /// Like [`Machine::new`], but with at most that much device memory.
    pub fn with_memory_limit(gpu: Gpu, bytes: u64) -> Self {
        Self::with(gpu, Global::new(bytes))
    }

    /// A machine in the host's own address space: allocations, global variables and the heap of kernels lie at the
    /// addresses that they have on the host, so that a device pointer is a host pointer, and memory of the host's can
    /// become device memory where it is ([`Machine::adopt`]). Constant variables keep addresses of the machine's own.
    ///
    /// It has at most that much device memory, not counting what is adopted. Addresses differ from run to run, as they
    /// do for any program.
    ///
    /// ```
    /// use warpwise_simt::{Gpu, Machine};
    ///
    /// let mut machine = Machine::on_host(Gpu::named("h200").expect("a known GPU"), 1 << 30);
    /// let device = machine.alloc(64)?;
    /// machine.write(device, &[7; 64])?;
    /// // SAFETY: the allocation has 64 bytes and is not freed meanwhile.
    /// assert_eq!(unsafe { *(device.0 as *const [u8; 64]) }, [7; 64]);
    /// # Ok::<(), warpwise_simt::MachineError>(())
    /// ```
    pub fn on_host(gpu: Gpu, limit_bytes: u64) -> Self {
        Self::with(gpu, Global::on_host(limit_bytes))
    }

    /// Like [`Machine::on_host`], but accesses past the end of an allocation pass if they end in its last unit of 512
    /// bytes, as on a GPU, which gives memory in such units and does not notice. So do those past the end of a block's
    /// shared memory, whose units have 128 bytes. They are warnings in the report of a launch. A launch that is checked
    /// takes them for what they are.
    pub fn on_host_padded(gpu: Gpu, limit_bytes: u64) -> Self {
        let mut machine = Self::on_host(gpu, limit_bytes);
        machine.memory.pad();
        machine
    }

    fn with(gpu: Gpu, memory: Global) -> Self {
        Self {
            gpu,
            memory,
            modules: Vec::new(),
            heap: None,
            heap_bytes: HEAP_BYTES,
            children: None,
            workspace: None,
            objects: Objects::default(),
        }
    }

    /// Its GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }
}
