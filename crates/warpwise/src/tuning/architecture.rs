//! Tuning constants for each architecture.

use serde::Deserialize;

/// The constants for GPUs of a compute capability; `tuning.toml` explains each of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tuning {
    /// The compute capability.
    pub(super) capability: (u32, u32),
    pub(crate) reduce: Reduce,
    pub(crate) scan: Scan,
    pub(crate) histogram: Histogram,
    pub(crate) convolve1d: Convolve1d,
    pub(crate) heat: Heat,
    pub(crate) matmul: Matmul,
}

impl Tuning {
    /// The constants of a compute capability; the default ones if it has not been measured.
    pub(crate) fn of(capability: (u32, u32)) -> &'static Self {
        super::own().architecture(capability)
    }
}

/// Constants of reduce.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reduce {
    pub(crate) blocks_per_sm: u32,
    pub(crate) posting_blocks_per_sm: u32,
    pub(crate) in_flight: u64,
    pub(crate) alone: u64,
    pub(crate) fixed_tree: usize,
}

/// Constants of scan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scan {
    pub(crate) gather_blocks_per_sm: u32,
}

/// Constants of histogram.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Histogram {
    pub(crate) blocks_per_sm: u32,
    pub(crate) copies: u32,
    pub(crate) parts: usize,
}

/// Constants of the 1-D convolution.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Convolve1d {
    pub(crate) few_loads: u64,
    f32: Crossing,
    f64: Crossing,
}

impl Convolve1d {
    /// The constants for elements of that many bytes.
    pub(crate) fn of_size(&self, size: u32) -> &Crossing {
        if size == 8 { &self.f64 } else { &self.f32 }
    }
}

/// Lengths from which more elements per thread are faster.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Crossing {
    pub(crate) narrow: u64,
    pub(crate) few: u64,
    pub(crate) many: u64,
}

/// Constants of heat.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Heat {
    f32: Step,
    f64: Step,
}

impl Heat {
    /// The constants for elements of that many bytes.
    pub(crate) fn of_size(&self, size: usize) -> &Step {
        if size == 8 { &self.f64 } else { &self.f32 }
    }
}

/// The cost of a step.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    pub(crate) cell: u32,
    pub(crate) barrier: u32,
    pub(crate) exchange: u32,
    pub(crate) exchange_cell: u32,
}

/// Constants of matrix multiply.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Matmul {
    pub(crate) wide: [Tile; 4],
    pub(crate) split_from: u64,
    pub(crate) tensor_f64_from: u64,
    pub(crate) few: Few,
    pub(crate) sharing: SharingByType,
}

/// What few elements are, and long sums.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Few {
    pub(crate) elements: u64,
    pub(crate) terms: u64,
}

/// The cost of a tile, for f32 and f64.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tile {
    pub(crate) cost: [u64; 2],
    pub(crate) alone: [u64; 2],
}

/// The cost of shared sums, of f32 and f64.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharingByType {
    pub(crate) f32: Sharing,
    pub(crate) f64: Sharing,
}

/// The cost of shared sums.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sharing {
    pub(crate) sums: u64,
    pub(crate) piece: u64,
    pub(crate) uneven: u64,
}
