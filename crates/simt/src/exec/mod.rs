//! Execution: the loop over instructions, blocks and the grid.
//!
//! [`interpret`] runs a warp's instructions, [`observed`] those that a [`Watcher`] wants to hear of. A [`block`] runs
//! its warps in turns, a [`cluster`] its blocks. The [`grid`] hands clusters to host threads,
//! which a [`pool`] keeps.

mod block;
mod cluster;
mod grid;
mod interpret;
mod observed;
mod pool;
mod watcher;

pub(crate) use grid::{Job, quantum, run};
pub(crate) use watcher::Watcher;
