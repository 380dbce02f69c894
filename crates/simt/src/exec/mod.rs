//! Execution: the loop over instructions, blocks and the grid.
//!
//! [`interpret`] runs a warp's instructions, [`observed`] those that an [`Watcher`] wants to hear of. A [`block`] takes
//! turns with its warps. The [`grid`] hands blocks to host threads.

mod block;
mod grid;
mod interpret;
mod observed;
mod watcher;

pub(crate) use grid::{Job, quantum, run};
pub(crate) use watcher::Watcher;
