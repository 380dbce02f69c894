//! Execution: the loop over instructions, blocks and the grid.
//!
//! [`interpret`] runs a warp's instructions, [`observed`] those that a [`Watcher`] wants to hear of. A [`block`] runs
//! its warps in turns. The [`grid`] hands blocks to host threads.

mod block;
mod grid;
mod interpret;
mod observed;
mod watcher;

pub(crate) use grid::{Job, quantum, run};
pub(crate) use watcher::Watcher;
