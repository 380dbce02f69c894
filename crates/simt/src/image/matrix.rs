//! Matrix instructions, as data.

use crate::mma::{Element, Layout, MmaSpec, Wmma, WmmaFragment, WmmaMma};

/// What a matrix instruction does; its registers are a list of slots in the program's table, starting at `b`.
#[derive(Clone, Debug)]
pub(crate) enum MatrixOp {
    Mma(MmaSpec),
    WmmaMma(WmmaMma),
    WmmaLoad {
        fragment: WmmaFragment,
        layout: Layout,
    },
    WmmaStore {
        fragment: WmmaFragment,
        layout: Layout,
    },
    LoadMatrix {
        count: usize,
        transposed: bool,
    },
    StoreMatrix {
        count: usize,
        transposed: bool,
    },
    Transpose,
    /// This warp's part of a four-warp product.
    Warpgroup(Wgmma),
}

impl MatrixOp {
    pub(crate) fn wmma(wmma: Wmma) -> Self {
        match wmma {
            Wmma::Load { fragment, layout } => Self::WmmaLoad { fragment, layout },
            Wmma::Store { fragment, layout } => Self::WmmaStore { fragment, layout },
            Wmma::Mma(mma) => Self::WmmaMma(mma),
        }
    }
}

/// The shape and types of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wgmma {
    pub(crate) element: Element,
    pub(crate) n: usize,
    pub(crate) k: usize,
    /// A is in four registers of each lane.
    pub(crate) a_in_registers: bool,
    pub(crate) negate_a: bool,
    pub(crate) negate_b: bool,
    /// The accumulator counts if the predicate does not hold.
    pub(crate) unless: bool,
}

impl Wgmma {
    /// Registers of the accumulator.
    pub(crate) fn accumulators(&self) -> usize {
        self.n / 2
    }

    /// Bytes of a row of A, or of a column of B.
    pub(crate) fn row_bytes(&self) -> u64 {
        (self.k * self.element.bits() as usize / 8) as u64
    }
}
