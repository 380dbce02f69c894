//! Execution: warps, blocks and the grid.
//!
//! A [`Warp`] runs decoded instructions for up to 32 lanes ([`warp`]); where its lanes part, [`reconverge`] keeps
//! track of who goes where and brings them together again. A [`block`] takes turns with its warps and holds what
//! they share: memory and barriers. The [`grid`] hands blocks to host threads.

mod barrier;
mod block;
mod buffer;
mod call;
mod frame;
mod grid;
mod observed;
mod reconverge;
mod special;
mod warp;

pub(crate) use barrier::Reduction;
pub(crate) use block::BlockState;
pub(crate) use buffer::Buffer;
pub(crate) use grid::{Context, quantum, run};
pub(crate) use reconverge::RETURN;
pub(crate) use special::Special;
pub(crate) use warp::Warp;
