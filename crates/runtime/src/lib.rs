//! The CUDA runtime API as a layer over the driver API.
//!
//! Host code that nvcc compiled calls `libcudart.so.12` or `libcudart.so.13`. These are two small libraries, packages of
//! their own, which add the names that differ between versions to what is here. Everything ends in calls of
//! `libcuda.so.1` by its C names, so that a program may mix both APIs, and both see one state.
//!
//! The functions have the names and the contracts of the runtime API. Nothing here knows the emulator: with the driver
//! library of a real GPU in its place, programs would run there.
#![cfg(target_os = "linux")]
#![allow(non_snake_case, reason = "names are those of the runtime API")]
#![allow(clippy::missing_safety_doc, reason = "the contract of a name is that of the runtime API")]
#![allow(clippy::too_many_arguments, reason = "signatures are those of the runtime API")]
#![allow(clippy::not_unsafe_ptr_arg_deref, reason = "C calls these names, with pointers of its own")]

pub mod array;
mod context;
pub mod copy;
pub mod copy3d;
pub mod device;
pub mod driver;
pub mod error;
pub mod event;
#[doc(hidden)]
pub mod exports;
pub mod function;
pub mod graph;
mod image;
pub mod ipc;
pub mod launch;
pub mod library;
pub mod memory;
pub mod pool;
mod properties;
pub mod register;
mod registry;
pub mod settings;
pub mod status;
pub mod stream;
pub mod texture;
pub mod types;
mod unasked;
pub mod unsupported;
pub mod versioned;
