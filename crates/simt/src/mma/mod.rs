//! Matrix instructions of a warp, as pure functions over the registers of its 32 lanes.
//!
//! A fragment is a slice of registers, `fragment[register][lane]`: 32-bit words, or 64-bit words for f64.
//!
//! | module | what it computes |
//! |---|---|
//! | [`spec`] | [`MmaSpec`]: `mma.sync` parsed from its modifiers, `registers`, `execute`, `execute_f64` |
//! | [`layout`] | which element of a matrix each lane holds, for every shape of `mma.sync` |
//! | [`wmma`] | [`Wmma`]: `wmma.load`, `wmma.store` and `wmma.mma`; [`WmmaFragment::element`] gives the element to load |
//! | [`ldmatrix`] | the distribution of `ldmatrix`, `stmatrix`, and `movmatrix` |
//! | [`product`] | the matrix products and their arithmetic |
//! | [`element`] | element types and how registers hold them |
#![allow(dead_code, reason = "a complete set of operations: callers use the part they decode")]

pub(crate) mod element;
pub(crate) mod layout;
pub(crate) mod ldmatrix;
pub(crate) mod product;
pub(crate) mod spec;
#[cfg(test)]
mod tests;
pub(crate) mod wmma;

#[allow(unused_imports, reason = "the names callers use, in one place")]
pub(crate) use self::{
    element::{Element, Layout, Shape},
    spec::{MmaRegisters, MmaSpec},
    wmma::{Wmma, WmmaFragment, WmmaMma},
};
