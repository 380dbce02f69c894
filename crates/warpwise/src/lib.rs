//! Data-parallel primitives, from vector add to stencils: [`PRIMITIVES`] lists them.
//!
//! Every primitive is a module of its own. Its `cpu` module has `seq`, plain sequential code, and `par`, which uses all
//! cores and the vector instructions of the host. Its `reference` module computes in `f64` (or in the integer type),
//! and the others are verified against it.
//!
//! ```
//! use warpwise::{Operator, reduce};
//!
//! let sum = reduce::cpu::par(Operator::Sum, &[1, 2, 3, 4])?;
//! assert_eq!(sum, 10);
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! # Threads and vector instructions
//!
//! Work is split over rayon's threads: the caller's pool, or the global one. Short work stays on the calling thread.
//! The result of a primitive never depends on the number of threads, to the last bit.
//!
//! Vector instructions are chosen when the program runs. `WARPWISE_SIMD=base|avx2|avx512` asks for a lower level than
//! the host has.
//!
//! Devices, buffers, views, matrices, builders and errors are `Send` and `Sync`: calls may come from any thread. Calls on
//! one GPU follow each other, unless they are made on different [streams](Stream).
//!
//! The library prints nothing. What it has to say beside results, such as why there is no GPU, it says through [`log`].
//!
//! # Features
//!
//! `cuda` and `emulator`, both on by default, add NVIDIA GPUs and the emulator, with their kernels. Without them this
//! is a library for the CPU, and neither is built.

// The GPU side of the primitives is compiled in every build, but used only in one with a GPU.
#![cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "there is no GPU to use it"))]

mod border;
mod device;
mod element;
mod error;
mod kernels;
mod memory;
mod operator;
mod simd;
mod threads;

pub mod by_key;
pub mod conformance;
pub mod convolve;
pub mod expression;
pub mod map;
pub mod primitive;
pub mod random;
pub mod segmented;
pub mod tuning;
pub mod unique;

// The primitives, in the order in which tools show them: `PRIMITIVES` is made from these lines.
pub mod vecadd;
pub mod reduce;
pub mod scan;
pub mod histogram;
pub mod matmul;
pub mod convolve1d;
pub mod convolve2d;
pub mod heat;
pub mod radiator;
pub mod transpose;
pub mod compact;
pub mod sort;
pub mod hello;

#[cfg(test)]
mod agreement;

/// The programs of the page on the library.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
pub struct LibraryPage;

pub use border::Border;
#[cfg(feature = "gpu")]
pub use device::trace;
pub use device::{Buffer, Device, DeviceError, Input, Output, Pending, Stream, Target, View, ViewMut};
#[cfg(all(feature = "cuda", feature = "emulator"))]
pub use device::{Comparison, Difference, Differences};
#[cfg(feature = "cuda")]
pub use device::{MemoryPolicy, allow_rebuild};
pub use element::{Element, Float};
pub use error::Error;
#[cfg(feature = "gpu")]
pub use kernels::{KernelModule, Source, kernel_module, kernels};
pub use memory::prefer_large_pages;
pub use operator::Operator;
pub use primitive::{Geometry, PRIMITIVES, Primitive, RunsOn, Variant};
