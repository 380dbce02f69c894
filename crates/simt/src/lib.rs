//! A SIMT machine that executes PTX, for hosts without a GPU.
//!
//! A [`Program`] is a PTX module, decoded once. A [`Machine`] is an emulated GPU: memory, loaded programs, launches.
//!
//! ```
//! use std::sync::Arc;
//! use warpwise_simt::{Gpu, Launch, Machine, Program};
//!
//! let program = Program::load(
//!     ".version 7.0
//!      .target sm_70
//!      .address_size 64
//!      .visible .entry double_all(.param .u64 data)
//!      {
//!          .reg .b32 %r<3>;
//!          .reg .b64 %rd<4>;
//!          ld.param.u64 %rd1, [data];
//!          mov.u32 %r1, %tid.x;
//!          mul.wide.u32 %rd2, %r1, 4;
//!          add.s64 %rd3, %rd1, %rd2;
//!          ld.global.u32 %r2, [%rd3];
//!          add.u32 %r2, %r2, %r2;
//!          st.global.u32 [%rd3], %r2;
//!          ret;
//!      }",
//! )?;
//! let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
//! let module = machine.load(Arc::new(program))?;
//! let data = machine.alloc(16)?;
//! machine.write(data, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0])?;
//! let launch = Launch::new([1, 1, 1], [4, 1, 1], data.0.to_le_bytes().to_vec());
//! machine.launch(module, "double_all", &launch)?;
//! assert_eq!(machine.bytes(data, 16)?, [2, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0, 8, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//!
//! - **Decoding.** Every instruction becomes an `Op`: a function pointer and the byte offsets of its operands in the
//!   frame. Constants and special registers are slots of the frame like any register. An unknown instruction becomes an
//!   `Op` that fails when it is executed.
//! - **Warps.** A register is an array of 32 lanes; a predicate is one word with a bit for each lane. The lane loops
//!   are instantiated for the SIMD levels of the host and chosen when a program is loaded. The lowest level of x86-64
//!   takes lanes one by one.
//! - **Divergence.** Diverging lanes are tracked as splits that meet at the branch's immediate post-dominator, but
//!   never at the expense of forward progress.
//! - **Blocks** are started in order on all host cores; one that only polls memory gives way to others.
//! - **Memory** is one 64-bit address space of windows and allocations; every access is checked. It can be the host's own
//!   ([`Machine::on_host`]), so that a device pointer is a host pointer.
//! - **Launches** of a kernel share what does not depend on the launch ([`Machine::launch_kernel`]), and host threads
//!   wait for the next one instead of ending.
//! - **Watching.** A launch can be counted and checked ([`Launch::watch`]): an observer hears of every access, barrier
//!   and branch. Checks find races by happens-before, accesses outside their variable or buffer, reads of unwritten
//!   memory, and barriers that some threads miss; see [`CHECKS`] and `docs/checks` of the repository. Disabled checks
//!   cost nothing. [`observe`] is for your own checks.
//!
//! # How it is laid out
//!
//! Modules import in one direction, from the top of this list to its end; a test enforces it:
//!
//! - `machine` and `launch` are what a host sees: memory, loaded programs, launches.
//! - `watch` counts and checks. It hears of a launch as an observer; nothing below it knows about checks.
//! - `exec` runs a launch: the loop over instructions, the turns of a block's warps, the grid on host threads. It
//!   reports to an observer.
//! - `decode` makes a program from a module: it chooses a handler and lays out the operands of every instruction.
//! - `lanes` holds the handlers: what each instruction does to 32 lanes.
//! - `program` is a decoded module with its instructions, which name their handlers.
//! - `warp` is the state of warps and blocks, with calls, divergence and barriers.
//! - `image` is the rest of a decoded module: functions, tables, and what each instruction means to an observer. All of
//!   it is plain data.
//! - `memory`, `texture`, `mma`, `float`, `printf`, `gpu`, `report` and the small modules know nothing about programs.
//!
//! # Guarantees
//!
//! - A launch gives the same integer results every time, as long as its blocks do not race: lanes and warps run in a
//!   fixed order, and kernels that can see the order of blocks (they use the values that atomics on global memory
//!   return) run on one host thread.
//! - No program harms the host or runs forever: addresses are checked, the call stack, local memory and printing are
//!   bounded, and [`Launch::max_instructions`] or [`Launch::time_limit`] ends a launch that does not end by itself.
//! - Integer and IEEE floating-point results equal the hardware's to the bit. Approximate functions (`sin.approx` and
//!   the like) stay within the bounds of the PTX manual, matrix products within those of hardware.
//!
//! Not executed: tensor maps, the tensor-memory families of newer GPUs, bulk copies other than
//! to shared memory on an `mbarrier`, and `wgmma` on anything but f16, bf16 and tf32 along k without swizzling. Such an
//! instruction fails when it is executed, not when the module is loaded.

mod decode;
mod exec;
mod float;
mod image;
mod lane;
mod lanes;
mod launch;
mod level;
mod machine;
mod memory;
mod mma;
mod printf;
mod program;
mod report;
mod texture;
mod warp;
mod watch;

pub use float::Half;
pub use image::{Kernel, KernelFacts, KernelParameter};
pub use launch::Launch;
pub use machine::{DevicePtr, KernelId, Machine, ModuleId};
pub use memory::MachineError;
pub use program::{LoadError, Program};
pub use report::{
    Counters, Fault, FaultKind, Finding, FindingKind, InstructionProfile, MemorySpace, Place, Profile, Report, Severity,
};
pub use watch::observe;
pub use watch::plain_name;
pub use watch::{CHECKS, CheckEntry, Checks, Sampling, UnknownCheck, Watch};

pub use warpwise_arch::{
    Addressing, Channel, Filter, Gpu, ImageKind, ImageShape, LevelSampler, Occupancy, OccupancyLimit, Recording,
    Sampler,
};

/// The name of the SIMD level that lane loops run at on this host: `avx512`, `avx2` or `base`.
///
/// The environment variable `WARPWISE_SIMD` asks for a lower one.
pub fn simd_level() -> &'static str {
    warpwise_arch::SimdLevel::chosen().name()
}
