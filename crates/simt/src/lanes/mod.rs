//! Handlers: the code that executes one decoded instruction for the 32 lanes of a warp.
//!
//! A register is an array of 32 lanes, so one decode serves 32 threads and the lane loop is what the compiler
//! vectorises. Most instructions are a pure function of one to three values a lane; they are given as closures
//! (`binary(level, |a: u32, b: u32| a.wrapping_add(b))`) and instantiated for every SIMD level the host may have.
//! The decoder stores the function pointer in the [`Op`], and executing is a call through it.

pub(crate) mod atomic;
pub(crate) mod collective;
pub(crate) mod control;
pub(crate) mod load_store;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod print;
pub(crate) mod pure;
pub(crate) mod region;
mod simd;
pub(crate) mod wgmma;

pub(crate) use simd::Level;

use crate::exec::Warp;

/// Threads of a warp.
pub(crate) const LANES: usize = 32;
/// The mask of a whole warp.
pub(crate) const FULL: u32 = u32::MAX;

/// What the interpreter does after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go to the next instruction.
    Next,
    /// The handler has set the program counter.
    Jump,
    /// These lanes cannot go on now: they wait, have ended or have faulted.
    Leave,
}

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

/// A value that a register lane can hold.
pub(crate) trait Lane: Copy + Default + Send + Sync + 'static {}
impl Lane for u8 {}
impl Lane for i8 {}
impl Lane for u16 {}
impl Lane for i16 {}
impl Lane for u32 {}
impl Lane for i32 {}
impl Lane for u64 {}
impl Lane for i64 {}
impl Lane for u128 {}
impl Lane for f32 {}
impl Lane for f64 {}

/// The lanes of a mask, lowest first.
#[inline(always)]
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}
