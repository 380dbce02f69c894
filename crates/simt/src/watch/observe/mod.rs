//! Watching a launch with your own code.
//!
//! An [`Observer`] hears of what the warps of a launch do: accesses to memory with addresses and values, barriers,
//! branches, and when blocks start and end. [`Machine::launch_observed`](crate::Machine::launch_observed) runs a kernel
//! with one. What it keeps and reports is up to it.
//!
//! ```
//! use std::sync::Arc;
//! use warpwise_simt::observe::{Access, Observer};
//! use warpwise_simt::{Gpu, Launch, Machine, Program};
//!
//! /// Bytes that a kernel loads.
//! #[derive(Default)]
//! struct Loaded(u64);
//!
//! impl Observer for Loaded {
//!     fn access(&mut self, access: &Access<'_>) {
//!         if access.kind().reads() {
//!             self.0 += u64::from(access.bytes()) * access.lanes().count() as u64;
//!         }
//!     }
//! }
//!
//! let program = Program::load(
//!     ".version 7.0
//!      .target sm_70
//!      .address_size 64
//!      .visible .entry first(.param .u64 data)
//!      {
//!          .reg .b32 %r<2>;
//!          .reg .b64 %rd<2>;
//!          ld.param.u64 %rd1, [data];
//!          ld.global.u32 %r1, [%rd1];
//!          ret;
//!      }",
//! )?;
//! let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
//! let module = machine.load(Arc::new(program))?;
//! let data = machine.alloc(4)?;
//! let launch = Launch::new([2, 1, 1], [32, 1, 1], data.0.to_le_bytes().to_vec());
//! let (report, observers) = machine.launch_observed(module, "first", &launch, Loaded::default);
//! report?;
//! // The pointer and the word, in each of 64 threads.
//! assert_eq!(observers.iter().map(|o| o.0).sum::<u64>(), 64 * (8 + 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod barrier;
mod block;
mod copy;
mod instruction;
mod observer;
mod own;

pub use access::{Access, AccessKind, Space};
pub use barrier::Barrier;
pub use block::Block;
pub use copy::Copy;
pub use instruction::Instruction;
pub use observer::Observer;

pub(super) use own::Own;
