//! Kernels, as their callers see them.

use std::collections::HashMap;

use warpwise_ptx::ast::ScalarType;

/// A kernel, as its callers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its (mangled) name.
    pub name: Box<str>,
    /// Its parameters in order.
    pub params: Vec<KernelParameter>,
    /// Bytes of the parameter block.
    pub param_bytes: u32,
    /// Bytes of statically declared shared memory.
    pub static_shared: u32,
    /// Index of its function.
    pub(crate) function: u32,
    /// Indices of the functions that it can run, itself included.
    pub(crate) reach: Vec<u32>,
    /// Where shared variables are, by name; those of a function's body are `function/name`.
    pub(crate) shared: HashMap<Box<str>, u32>,
    /// Whether the kernel can see the order in which its blocks run: it uses the values that atomics on global memory
    /// return.
    pub(crate) ordered: bool,
    /// Largest block that the kernel declares.
    pub(crate) max_threads: Option<u32>,
    /// The block shape that the kernel requires.
    pub(crate) required_threads: Option<[u32; 3]>,
    /// The cluster shape that the kernel requires.
    pub(crate) required_cluster: Option<[u32; 3]>,
    /// Whether it can reach a call of `malloc`.
    pub(crate) uses_heap: bool,
    /// Whether it can launch kernels.
    pub(crate) launches: bool,
    /// Whether it can reach a call of `vprintf`.
    pub(crate) prints: bool,
}

impl Kernel {
    /// Whether it may print.
    pub fn prints(&self) -> bool {
        self.prints
    }
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelParameter {
    /// Its name.
    pub name: Box<str>,
    /// Element type.
    pub ty: ScalarType,
    /// Size in bytes (structs are arrays of `.b8`).
    pub size: u32,
    /// Offset in the parameter block.
    pub offset: u32,
    /// True if the PTX marks it as a pointer (`.ptr`); older compilers don't.
    pub is_pointer: bool,
}

/// What a driver tells about a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFacts {
    /// Bytes of statically declared shared memory, of the kernel and of what it calls.
    pub static_shared: u32,
    /// Bytes of the constant variables that it can read.
    pub constant_bytes: u64,
    /// Bytes of local memory that its variables take in each thread.
    pub local_bytes: u64,
    /// Registers of a thread: an estimate from the code, because PTX leaves the choice to the assembler.
    pub registers: u32,
    /// Registers that it would need beyond those: what they hold lies in local memory.
    pub spilled: u32,
    /// The largest block that the kernel declares (`__launch_bounds__`).
    pub max_threads: Option<u32>,
    /// The compute capability that it was compiled for: 90 for `sm_90a`.
    pub target: u32,
    /// Whether it reads memory in a way that sees what the host writes meanwhile (`volatile`, system scope), and so may
    /// wait for the host.
    pub polls: bool,
}
