//! The state of warps and blocks, and what instructions do to it as a whole: calls, divergence, barriers.
//!
//! A [`Warp`] holds the registers and the program counters of up to 32 lanes ([`state`]). When its lanes diverge,
//! [`reconverge`] keeps track of them and brings them together again. A [`BlockState`] is what the warps of a block
//! share, a [`Context`] what all blocks of a launch share. Nothing here executes instructions.

mod barrier;
mod block;
mod buffer;
mod call;
mod children;
mod cluster;
mod context;
mod copies;
mod flow;
mod frame;
mod hints;
mod padding;
mod reconverge;
mod sample;
mod special;
mod split;
mod state;

pub(crate) use barrier::{Collect, Reduction};
pub(crate) use block::{BlockState, BulkCopy};
pub(crate) use buffer::Buffer;
pub(crate) use children::{Child, Children};
pub(crate) use cluster::{CLUSTER_BARRIER, ClusterState, Member, address_in, rank_and_offset};
pub(crate) use context::Context;
pub(crate) use copies::{AsyncCopy, Copies};
pub(crate) use flow::Flow;
pub(crate) use hints::Hints;
pub(crate) use padding::{Padding, Past};
pub(crate) use sample::Sample;
pub(crate) use split::{RETURN, Wait};
pub(crate) use state::{POLL_COST, QUANTUM, Trouble, Warp};
