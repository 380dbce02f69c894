//! What observers need to know about each instruction, in a table beside the code.
//!
//! The table is made when a module is decoded. Most instructions compute and are [`Event::Nothing`]; the others say
//! what they do to memory, to other threads or to the control flow.

/// What an instruction does, as far as an observer may want to hear of it.
#[derive(Clone, Debug, Default)]
pub(crate) enum Event {
    /// It computes.
    #[default]
    Nothing,
    /// `ld`, `st`, `atom`, `red`.
    Access(Access),
    /// `ldmatrix`, `stmatrix` and the loads and stores of `wmma`: accesses that the whole warp makes together.
    MatrixAccess(Access),
    /// `cp.async`: the instruction that starts a copy. The operands are in the instruction.
    Copy(CopyAsync),
    /// `cp.async.commit_group`.
    CopyCommit,
    /// `cp.async.wait_group N`, or `wait_all` for `None`.
    CopyWait(Option<u32>),
    /// `cp.async.bulk`: the access to the object that it completes on.
    BulkCopy(Access),
    /// `cp.async.mbarrier.arrive`: the copies so far end, and an object is told.
    CopyArrive(Access),
    /// `mbarrier`: an access to an object in shared memory. No counter counts it.
    Phase(Access),
    /// `wgmma.mma_async`: its reads of shared memory, in pieces of 16 bytes. No counter counts it.
    Warpgroup(Access),
    /// `bar`, `barrier`.
    Barrier(BlockBarrier),
    /// `barrier.cluster.arrive`: may complete the cluster's barrier, and what comes after the wait for it is ordered
    /// after all that came before.
    ClusterArrive,
    /// `bar.warp.sync`.
    WarpBarrier,
    /// `shfl`, `vote`, `match`, `redux`, `elect`, `mma`: lanes exchange values.
    Collective(Collective),
    /// `div`, `rem` of integers, unless the divisor is a number other than zero.
    Division(Division),
    /// `membar`, `fence`.
    Fence(Order, Scope),
    /// `bra` with a guard.
    Branch,
    /// `brx`.
    BranchTable,
    /// `exit`.
    Exit,
    /// `ret`: in the kernel itself, the same as `exit`.
    Return,
    /// `call`.
    Call,
}

impl Event {
    /// Whether it reads or writes memory, now or (for a copy) later.
    pub(crate) fn touches_memory(&self) -> bool {
        matches!(self, Self::Access(_) | Self::MatrixAccess(_) | Self::Phase(_) | Self::Warpgroup(_))
            || matches!(self, Self::Copy(_) | Self::CopyCommit | Self::CopyWait(_) | Self::CopyArrive(_))
            || matches!(self, Self::BulkCopy(_))
    }
}

/// What an access does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Load,
    Store,
    /// `atom`: reads and writes.
    Atomic,
    /// `red`: reads and writes, and returns nothing.
    Reduction,
}

impl Direction {
    /// Whether it is `atom` or `red`.
    pub(crate) fn is_atomic(self) -> bool {
        matches!(self, Self::Atomic | Self::Reduction)
    }

    /// Whether it changes memory.
    pub(crate) fn writes(self) -> bool {
        self != Self::Load
    }
}

/// The state space that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    Global,
    Shared,
    Local,
    Const,
    /// The kernel's parameters, or those of a call, which are part of local memory here.
    Param,
    /// None: each lane's address says (see [`crate::memory::window`]).
    Generic,
}

/// Memory order; the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    Weak,
    /// `.volatile`: like relaxed, at system scope.
    Volatile,
    /// `.mmio`.
    Mmio,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    /// `fence.sc`, `membar`.
    SeqCst,
}

/// Threads that a memory order applies to; the narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Cta,
    Cluster,
    Gpu,
    Sys,
}

/// How an address is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressKind {
    /// A 32-bit register and an offset.
    Reg32,
    /// A 64-bit register and an offset.
    Reg64,
    /// An offset in the running activation's part of local memory.
    Frame,
}

/// An access to memory.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) direction: Direction,
    pub(crate) space: Declared,
    /// Bytes that a lane touches: all elements of a vector.
    pub(crate) bytes: u32,
    /// Bytes of an element.
    pub(crate) element: u32,
    pub(crate) address: AddressKind,
    pub(crate) order: Order,
    pub(crate) scope: Scope,
    /// `ld.global.nc`, `ldu`.
    pub(crate) read_only: bool,
    /// The lanes whose addresses count, if not all do: `ldmatrix` takes the first 8, 16 or 32.
    pub(crate) lanes: u32,
    /// The variable that the instruction names.
    pub(crate) variable: Option<Box<str>>,
    /// Of a store: slot and width of each element's register.
    pub(crate) values: Box<[(u32, u32)]>,
}

/// An integer division, or the remainder of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    /// Slot of the divisors.
    pub(crate) divisor: u32,
    /// Bytes of each: 2, 4 or 8.
    pub(crate) bytes: u32,
}

/// `cp.async`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyAsync {
    /// Bytes that each lane copies.
    pub(crate) bytes: u32,
}

/// Addresses of the copies that one `cp.async` starts.
#[derive(Clone, Debug)]
pub(crate) struct CopyLanes {
    /// Device addresses.
    pub(crate) from: [u64; 32],
    /// Offsets in shared memory.
    pub(crate) to: [u64; 32],
    /// Bytes that are read; the rest of the destination is set to zero.
    pub(crate) valid: [u32; 32],
}

/// A barrier of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockBarrier {
    /// `arrive`: does not wait.
    pub(crate) arrive: bool,
    /// `red`.
    pub(crate) reduction: bool,
    /// All threads of the warp must execute it together.
    pub(crate) aligned: bool,
    /// It states how many threads take part.
    pub(crate) counted: bool,
}

/// What lanes of a warp do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collective {
    pub(crate) kind: CollectiveKind,
    /// It has a member mask: the forms before compute capability 7.0 have none.
    pub(crate) masked: bool,
}

/// The kind of a [`Collective`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectiveKind {
    Shuffle,
    Vote,
    Match,
    Redux,
    Elect,
    /// `mma`, `wmma.mma`, `movmatrix`.
    Matrix,
}
