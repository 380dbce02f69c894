//! The program under a real `mpirun`: every primitive against the library on one machine, faults, and restarts.
//! `cargo xtask cluster` runs it with every MPI that is installed.
#![cfg(feature = "mpi")]

mod faults;
mod kills;
mod launch;
mod pages;
mod primitives;
