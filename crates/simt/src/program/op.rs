//! Decoded instructions.

use crate::warp::{Flow, Warp};

/// Executes an instruction for the lanes of a mask that is not empty.
///
/// # Safety
/// The operands of the [`Op`] must be slots of the function whose registers the warp points at; the decoder makes
/// sure of that.
pub(crate) type Handler = for<'l> unsafe fn(&mut Warp<'l>, &Op, u32) -> Flow;

/// A decoded instruction.
#[derive(Clone, Copy)]
pub(crate) struct Op {
    /// Executes it.
    pub(crate) run: Handler,
    /// Slot of the guarding predicate; slot 0 is always true.
    pub(crate) guard: u32,
    /// Xored with the guard: all ones for `@!%p`.
    pub(crate) flip: u32,
    /// Destination slot (byte offset in the frame).
    pub(crate) d: u32,
    /// First source slot.
    pub(crate) a: u32,
    /// Second source slot.
    pub(crate) b: u32,
    /// Third source slot.
    pub(crate) c: u32,
    /// An address offset, a branch target or another constant of the instruction.
    pub(crate) imm: i64,
    /// Index into a table of the program, or a second constant.
    pub(crate) aux: u32,
    /// Where lanes that part at this instruction meet again.
    pub(crate) rpc: u32,
}
