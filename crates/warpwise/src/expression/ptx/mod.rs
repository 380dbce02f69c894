//! Expressions as PTX: whole kernels, written here for the types and steps of a program. No compiler is needed, and
//! nothing is called: the steps are in the loop.
//!
//! Constants are parameters of the kernel, so that another value does not need another kernel.

mod histogram;
mod items;
mod machine;
mod map;
mod reduce;
mod scan;
mod steps;
mod text;

pub(crate) use histogram::histogram;
pub(crate) use items::Fold;
pub(crate) use map::map;
pub(crate) use reduce::{BLOCK as REDUCE_BLOCK, TILE_VECTORS, reduce};
pub(crate) use scan::{BLOCK as SCAN_BLOCK, Scan, scan};

use crate::expression::kind::Kind;

/// A kernel: its text, and the bits of its constants.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) text: String,
    pub(crate) constants: Vec<u64>,
    /// Elements that a thread loads at once.
    pub(crate) width: usize,
    /// Elements that a block takes, if that is fixed.
    pub(crate) tile: usize,
}

/// How many elements are loaded at once: up to 16 bytes of the largest type.
fn width(kinds: impl Iterator<Item = Kind>) -> usize {
    let largest = kinds.map(Kind::bytes).max().unwrap_or(1);
    (16 / largest).min(4)
}
