//! The primitives of [`warpwise`] on many machines.
//!
//! Every rank holds a part of the data and calls the same function with it. What goes between ranks goes through a
//! [`Communicator`]: MPI (the feature `mpi`), or [threads](Threads) of one process, which need no MPI. The program
//! `warpwise-cluster` reads parts of files, calls these functions and writes parts of files.
//!
//! ```
//! use warpwise::{Device, Operator};
//! use warpwise_cluster::{Communicator, Parts, Threads, reduce};
//!
//! let xs: Vec<f64> = (0..1000).map(|i| f64::from(i).sqrt()).collect();
//! let sums = Threads::run(3, |ranks| {
//!     let mine = &xs[Parts::new(xs.len(), ranks.size()).of(ranks.rank())];
//!     reduce::reduce(ranks, &Device::cpu(), Operator::Sum, mine).unwrap()
//! });
//! // The bits of one machine, on any number of ranks.
//! assert_eq!(sums, [warpwise::reduce::sum(&Device::cpu(), &xs)?; 3]);
//! # Ok::<(), warpwise::Error>(())
//! ```

#![cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "the program is built with MPI only"))]

mod checkpoint;
mod communicator;
pub mod compact;
mod error;
pub mod files;
pub mod heat;
pub mod histogram;
mod link;
pub mod matmul;
pub mod pages;
mod parts;
mod place;
pub mod plan;
#[cfg(feature = "mpi")]
#[doc(hidden)]
pub mod program;
pub mod radiator;
mod redistribute;
pub mod reduce;
pub mod scan;
pub mod sort;
mod threads;
mod timeline;
pub mod transpose;
#[cfg(feature = "mpi")]
mod world;

pub use communicator::{Communicator, Message, Room};
pub use error::{Error, agree};
pub use parts::Parts;
pub use place::Place;
pub use redistribute::redistribute;
pub use threads::Threads;
#[cfg(feature = "mpi")]
pub use world::World;
