//! Device memory, in one 64-bit address space.
//!
//! Every state space has a window of generic addresses. Global and constant variables, buffers and the kernel's
//! parameters are *allocations* found by address (see [`Global`]); shared and local memory are windows whose low
//! bits are the offset that `ld.shared` and `ld.local` use:
//!
//! | window | from | holds |
//! | --- | --- | --- |
//! | shared | `0x0100_0000_0000` | the block's shared memory |
//! | local | `0x0200_0000_0000` | the thread's stack: depots, call parameters |
//! | constant | `0x0300_0000_0000` | `.const` variables |
//! | parameters | `0x0400_0000_0000` | the kernel's parameter block |
//! | code | `0x0500_0000_0000` | functions, 16 bytes each, for indirect calls |
//! | global | `0x7f00_0000_0000` | buffers and `.global` variables |
//!
//! Addresses are the emulator's own, not the host's: a launch is repeatable to the bit even if it prints pointers. The
//! exception is a machine for programs that have one address space for both
//! ([`Machine::on_host`](crate::Machine::on_host)): its buffers and `.global` variables lie where they are on the host.
//! Such addresses meet no window, because 64-bit systems place programs, heaps, stacks and mappings either in the lowest
//! terabyte or far above all windows. Either way no kernel can address a host byte that was not given to it.

mod allocation;
mod error;
mod global;
mod heap;
mod room;
mod validity;

pub use error::MachineError;
pub(crate) use global::{Global, View};
pub(crate) use heap::{Heap, NotFreed, Stray};
pub(crate) use validity::{Validity, words};

/// Start of the shared window.
pub(crate) const SHARED: u64 = 0x0100_0000_0000;
/// Start of the local window.
pub(crate) const LOCAL: u64 = 0x0200_0000_0000;
/// Start of the constant window.
pub(crate) const CONST: u64 = 0x0300_0000_0000;
/// Start of the parameter window.
pub(crate) const PARAM: u64 = 0x0400_0000_0000;
/// Start of the code window, which handles of textures follow.
pub(crate) const CODE: u64 = 0x0500_0000_0000;
/// Between the addresses of two functions.
pub(crate) const CODE_STEP: u64 = 16;
/// Start of the global window.
pub(crate) const GLOBAL: u64 = 0x7f00_0000_0000;

/// Addresses that no memory of the host may have.
pub(crate) const WINDOWS: std::ops::Range<u64> = SHARED..0x0700_0000_0000;

/// The bits of an address that identify its window.
pub(crate) const WINDOW_SHIFT: u32 = 40;

/// Which state space a generic address lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    Shared,
    Local,
    Const,
    Param,
    Other,
}

/// Whether an address is in global memory, if it is in any.
pub(crate) fn is_global(address: u64) -> bool {
    window(address) == Window::Other
}

/// The window of a generic address.
#[inline(always)]
pub(crate) fn window(address: u64) -> Window {
    match address >> WINDOW_SHIFT {
        1 => Window::Shared,
        2 => Window::Local,
        3 => Window::Const,
        4 => Window::Param,
        _ => Window::Other,
    }
}
