//! A `libcuda.so.1` that stands between a program and a driver: every call is passed on as it is, and what calls copy back
//! to the host is kept, so that two runs of a program, on two drivers, can be compared byte by byte.
//!
//! The environment variable [`warpwise_trace::WITNESS_VARIABLE`] names a file that says which driver, and where to keep.
//! `warpwise exec --device both` writes it and compares.

mod calls;
mod forward;
mod keep;
mod shape;
