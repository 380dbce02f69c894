//! Convolutions of lines and images, under one roof.
//!
//! ```
//! use warpwise::{Border, Device, convolve};
//!
//! let out = convolve::filter1d(&Device::best(), &[1, 1, 1], Border::Zero, &[1, 2, 3])?;
//! assert_eq!(out, [3, 6, 5]);
//! # Ok::<(), warpwise::Error>(())
//! ```

pub use crate::convolve1d::{filter as filter1d, filter_buffer as filter1d_buffer};
pub use crate::convolve2d::{filter as filter2d, filter_buffer as filter2d_buffer};
