//! The CUDA driver API on an emulated GPU: a `libcuda.so.1` for machines without a GPU.
//!
//! The shared library exports every function that `cuda.h` of CUDA 13.0 declares, old and new forms, under the names
//! that programs link to. Programs find it where the system's driver would be, or first in `LD_LIBRARY_PATH`. Kernels
//! are PTX: images that hold machine code only are refused.
//!
//! ```
//! use warpwise_driver::api::{cuDeviceGetCount, cuInit};
//!
//! let mut count = 0;
//! // SAFETY: the pointer is to a variable of the right type.
//! let codes = unsafe { [cuInit(0), cuDeviceGetCount(&raw mut count)] };
//! assert_eq!((codes, count), ([0, 0], 1));
//! ```
//!
//! # How it works
//!
//! - **One state, one lock.** Contexts, modules, streams and the emulated machine are in one `State`. Handles are
//!   numbers that are looked up, so that a stale one is an error and not a crash.
//! - **One address space.** Device memory lies in a range of the process's own, at the same addresses for the host
//!   and for kernels; pinned, managed and registered memory need no more.
//! - **Work is done in order**, when it is asked for. Only what may have to wait for the host, its own functions and
//!   values in memory, goes to a thread of the driver's, and later work with it. Streams and events keep their rules.
//! - **Faults stay.** A kernel that is stopped ends its context: its launch succeeds, and every later call returns the
//!   error, as on hardware.
//! - **Nothing unwinds into C**: a panic becomes `CUDA_ERROR_UNKNOWN`. The library is never unloaded, and its state is
//!   never dropped, because clients call in from exit handlers. A forked child is refused.
//!
//! Functions that are declared and not implemented return `CUDA_ERROR_NOT_SUPPORTED`.

mod aliases;
mod clock;
mod context;
mod device;
mod edge;
mod error;
mod event;
mod exit;
mod follow;
mod graph;
mod guard;
mod handles;
mod host_checks;
mod launch;
mod link;
mod memory;
mod missing;
mod module;
mod names;
mod nvjitlink;
mod output;
mod per_thread;
mod procs;
mod queue;
mod state;
mod stream;
mod texture;
mod trace;
mod work;

/// The functions of the API, under their own names.
#[allow(non_snake_case, reason = "names of C")]
pub mod api {
    pub use crate::aliases::*;
    pub use crate::context::*;
    pub use crate::device::*;
    pub use crate::event::*;
    pub use crate::graph::api::*;
    pub use crate::host_checks::{warpwise_error_asked, warpwise_launch_failed};
    pub use crate::launch::api::*;
    pub use crate::link::*;
    pub use crate::memory::api::*;
    pub use crate::missing::*;
    pub use crate::module::api::*;
    pub use crate::procs::*;
    pub use crate::stream::*;
    pub use crate::texture::api::*;
}

/// Every exported name of the API: its symbol, the name that `cuGetProcAddress` knows it by, and the version of CUDA
/// that introduced this form.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str, u32)> {
    names::NAMES.iter().map(|name| (name.symbol, name.base, name.version))
}

/// The address of an exported function, by its symbol.
pub fn address_of(symbol: &str) -> Option<usize> {
    let at = names::NAMES.binary_search_by_key(&symbol, |name| name.symbol).ok()?;
    Some(names::NAMES[at].function as usize)
}
