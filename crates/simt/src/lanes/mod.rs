//! Handlers: the code that executes one decoded instruction for the 32 lanes of a warp.
//!
//! A register is an array of 32 lanes, so one decode serves 32 threads and the lane loop is what the compiler
//! vectorises. Most instructions are a pure function of one to three values a lane; they are given as closures
//! (`binary(level, |a: u32, b: u32| a.wrapping_add(b))`) and instantiated for every SIMD level the host may have.
//! The decoder stores the function pointer in the [`Op`], and executing is a call through it.

pub(crate) mod atomic;
pub(crate) mod cluster;
pub(crate) mod collective;
pub(crate) mod control;
pub(crate) mod load_store;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
mod operands;
pub(crate) mod print;
pub(crate) mod pure;
pub(crate) mod region;
mod simd;
pub(crate) mod texture;
pub(crate) mod wgmma;

pub(crate) use crate::lane::{FULL, Lane, lanes_of};
pub(crate) use crate::level::Level;
pub(crate) use crate::program::{Handler, Op};
pub(crate) use crate::warp::Flow;
