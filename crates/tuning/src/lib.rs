//! What measurements found: launch geometry, and constants that primitives use to choose.
//!
//! Geometry is in two tables of the same form: `tuning.toml` of this library, and the user's, which takes precedence.
//! The user's is the file that the environment variable `WARPWISE_TUNING` names, or `warpwise/tuning.toml` in the
//! configuration folder (`XDG_CONFIG_HOME`, or `.config` in the home folder). Both are read once, at the first launch.
//! The library's own also has the constants, by compute capability.
//!
//! ```toml
//! [[tuned]]
//! gpu = "NVIDIA H200"
//! primitive = "reduce"
//! variant = "gpu-7-multi-add"
//! type = "i32"
//! block = 512
//! grid = 1024
//! ```

mod architecture;
mod own;
mod table;

pub use architecture::{
    Convolve1d, Crossing, Few, Heat, Histogram, Matmul, Reduce, Scan, Sharing, SharingByType, Step, Tile, Tuning,
};
pub use table::{Table, Tuned, VARIABLE, file, read};

/// The geometry that the library comes with.
///
/// ```
/// assert!(warpwise_tuning::own().iter().all(|tuned| !tuned.gpu.is_empty()));
/// ```
pub fn own() -> &'static [Tuned] {
    &own::own().tuned
}
