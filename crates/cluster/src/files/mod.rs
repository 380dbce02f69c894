//! Files of which every rank reads and writes its own part.

mod array;
mod npy;
mod output;

pub use array::{Array, Arrays, ElementType};
pub use output::Output;
