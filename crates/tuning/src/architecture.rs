//! Tuning constants for each architecture.

use crate::own::own;
use serde::Deserialize;

/// The constants for GPUs of a compute capability; `tuning.toml` explains each of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// The compute capability.
    pub capability: (u32, u32),
    /// Those of reduce.
    pub reduce: Reduce,
    /// Those of scan.
    pub scan: Scan,
    /// Those of compact.
    pub compact: Compact,
    /// Those of histogram.
    pub histogram: Histogram,
    /// Those of the 1-D convolution.
    pub convolve1d: Convolve1d,
    /// Those of heat.
    pub heat: Heat,
    /// Those of matrix multiply.
    pub matmul: Matmul,
}

impl Tuning {
    /// The constants of a compute capability; the default ones if it has not been measured.
    ///
    /// ```
    /// use warpwise_tuning::Tuning;
    ///
    /// assert_eq!(Tuning::of((9, 0)).capability, (9, 0));
    /// assert!(Tuning::of((1, 0)).reduce.blocks_per_sm > 0);
    /// ```
    pub fn of(capability: (u32, u32)) -> &'static Self {
        own().architecture(capability)
    }
}

/// Constants of reduce.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reduce {
    /// Blocks per multiprocessor.
    pub blocks_per_sm: u32,
    /// The same, of the rung whose blocks post their sums.
    pub posting_blocks_per_sm: u32,
    /// Minimum bytes per thread.
    pub in_flight: u64,
    /// Minimum bytes per thread before there are more blocks than one for each multiprocessor.
    pub alone: u64,
    /// Bytes of floats up to which the fixed tree is faster.
    pub fixed_tree: usize,
}

/// Constants of scan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scan {
    /// Blocks per multiprocessor.
    pub gather_blocks_per_sm: u32,
}

/// Constants of compact.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compact {
    /// Tiles of 8 rows for every block up to which they are faster than larger ones.
    pub tiles_per_block: u64,
}

/// Constants of histogram.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    /// Blocks per multiprocessor.
    pub blocks_per_sm: u32,
    /// Bytes of copies of the bins.
    pub copies: u32,
    /// Launches over parts of the bins up to which pipelined counting is faster.
    pub parts: usize,
}

/// Constants of the 1-D convolution.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convolve1d {
    /// Total bytes loaded up to which a thread has 4 elements.
    pub few_loads: u64,
    f32: Crossing,
    f64: Crossing,
}

impl Convolve1d {
    /// The constants for elements of that many bytes.
    ///
    /// ```
    /// let constants = &warpwise_tuning::Tuning::of((9, 0)).convolve1d;
    /// assert!(constants.of_size(8).many < constants.of_size(4).many);
    /// ```
    pub fn of_size(&self, size: u32) -> &Crossing {
        if size == 8 { &self.f64 } else { &self.f32 }
    }
}

/// Lengths from which more elements per thread are faster.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crossing {
    /// Weights up to which a thread has 4 elements.
    pub narrow: u64,
    /// First weights that are left out of what follows.
    pub few: u64,
    /// Multiplications up to which a thread has 8 elements and not 16.
    pub many: u64,
}

/// Constants of heat.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heat {
    f32: Step,
    f64: Step,
}

impl Heat {
    /// The constants for elements of that many bytes.
    ///
    /// ```
    /// let constants = &warpwise_tuning::Tuning::of((9, 0)).heat;
    /// assert!(constants.of_size(8).cell > constants.of_size(4).cell);
    /// ```
    pub fn of_size(&self, size: usize) -> &Step {
        if size == 8 { &self.f64 } else { &self.f32 }
    }
}

/// The cost of a step.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Tenths of a nanosecond for a cell.
    pub cell: u32,
    /// Nanoseconds of a barrier and what leads to it.
    pub barrier: u32,
    /// Nanoseconds of an exchange.
    pub exchange: u32,
    /// Nanoseconds of an exchange for each cell of a thread.
    pub exchange_cell: u32,
}

/// Constants of matrix multiply.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matmul {
    /// What tiles cost.
    pub wide: [Tile; 4],
    /// Multiplications from which tensor cores are faster for f32.
    pub split_from: u64,
    /// The same for f64.
    pub tensor_f64_from: u64,
    /// What few elements are.
    pub few: Few,
    /// What sharing the steps of a tile costs.
    pub sharing: SharingByType,
}

/// What few elements are, and long sums.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Few {
    /// Elements, or rows, of the product at most.
    pub elements: u64,
    /// Terms of its sums at least.
    pub terms: u64,
}

/// The cost of a tile, for f32 and f64.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tile {
    /// Among others, for f32 and f64: tenths of a nanosecond for a step.
    pub cost: [u64; 2],
    /// As the only one of its multiprocessor.
    pub alone: [u64; 2],
}

/// The cost of shared sums, of f32 and f64.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharingByType {
    /// Of f32.
    pub f32: Sharing,
    /// Of f64.
    pub f64: Sharing,
}

/// The cost of shared sums.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sharing {
    /// Partial sums in memory, in tenths of a step.
    pub sums: u64,
    /// Every piece of a tile.
    pub piece: u64,
    /// Pieces of two tiles in one block.
    pub uneven: u64,
}
