//! How long a kernel takes on a named GPU.
//!
//! The emulator runs a kernel and records what some of its blocks did, instruction by instruction ([`Recording`]). This
//! crate replays them on a model of one multiprocessor of the GPU and says how long the whole launch takes. The rules:
//!
//! 1. **Instructions.** A PTX instruction becomes the machine instructions that the assembler makes of it, none, one or
//!    a small program (`code`), in the order in which the assembler issues them: loads early (`schedule`). Loads of
//!    neighbouring words from shared memory become one (`merge`). Branches cost more where lanes may part. Where PTX
//!    says what the assembler made of a kernel, that counts: registers, whether arrays of a thread lie in them, and how
//!    many machine instructions each piece of the code became (`assembled`); `assembler` writes such notes.
//! 2. **Issue.** A scheduler issues one instruction a cycle. A warp issues in order, and waits for the results that an
//!    instruction needs. Each pipe takes an instruction for as many cycles as it has too few lanes (`replay`). Divisions
//!    and roots that look for special operands hold their warp until they end.
//! 3. **Shared memory and caches.** A pass through the banks, or a line looked up in the first-level cache, takes a cycle
//!    of the memory pipe. The cache is simulated by sector (`cache`). What it lacks comes from the second-level cache or
//!    from memory, at this multiprocessor's share of their rates, after their latencies. Data that fits in the
//!    second-level cache is taken to be there from the launch before (`shares`); what was written takes more room there.
//!    Sectors that lie at random in memory take longer. Constants that differ from lane to lane come word by word.
//! 4. **Stores** go out by sector; a line whose sectors are not written wholly takes longer. What lies at random and is
//!    written in part is read from memory first.
//! 5. **Atomics** are done in the second-level cache, one after the other at an address and in a region that lies in one
//!    slice of it; all multiprocessors together cannot be faster than the busiest one. Where the code shows that all
//!    lanes of a warp have one address, one lane does it for all of them (`uniform`).
//! 6. **Blocks** start at a rate of the GPU, as many at once as registers, threads and shared memory allow; values that
//!    a bound on registers leaves without one lie in local memory. A block's place is free when its last warp has ended.
//!    A few generations of blocks are replayed; the rest go on at their rate.
//! 7. **Waiting for other blocks** is one look: what a loop waits for is there. A value that each block reads from those
//!    before it and passes on takes its time from block to block, as many blocks at once as lanes look (`spin`).
//! 8. **Launches** cost time of their own.
//! 9. **The bus**: copies and managed memory take a call for each array, and their bytes at a share of its rate (`bus`).
//!
//! Parameters are data: the table of GPUs in `warpwise-arch`, and `machines.toml` for what no data sheet has.

mod assembled;
mod assembler;
mod bus;
mod cache;
mod code;
mod estimate;
mod machine;
mod merge;
mod program;
mod replay;
mod schedule;
mod shares;
mod spin;
mod uniform;
mod without;

pub use assembler::Assembler;
pub use bus::Moved;
pub use estimate::{Bound, Estimate, LaunchShape, estimate, estimate_without};
pub use machine::{Machine, Rates};
pub use warpwise_arch::Recording;
pub use without::Waste;
