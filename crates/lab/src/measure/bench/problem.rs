//! What is computed, whichever variant computes it.

use super::{Data, Extent};
use warpwise::radiator::Preset;
use warpwise::reduce::Finish;
use warpwise::{Operator, PRIMITIVES, Primitive};

/// Choices that some primitives have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What reduce and scan combine elements with.
    pub operator: Operator,
    /// Who combines the partial results of reduce.
    pub finish: Finish,
    /// Bins of histogram; 256 where it is left out.
    pub bins: Option<usize>,
    /// Steps of heat and radiator.
    pub iterations: usize,
    /// The radiator.
    pub preset: Preset,
}

impl Default for Settings {
    fn default() -> Self {
        Self { operator: Operator::Sum, finish: Finish::Gpu, bins: None, iterations: 10, preset: Preset::Year2019 }
    }
}

/// A problem: everything but the variant and the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Problem {
    /// The primitive.
    pub primitive: &'static Primitive,
    /// Element type.
    pub ty: &'static str,
    /// How large it is.
    pub extent: Extent,
    /// What operands are filled with.
    pub data: Data,
    /// Choices.
    pub settings: Settings,
}

impl Problem {
    /// Bytes of an element.
    pub fn element_bytes(&self) -> usize {
        match self.ty {
            "u8" => 1,
            "i64" | "u64" | "f64" => 8,
            _ => 4,
        }
    }

    /// Elements of one operand; 0 where they cannot be counted, which the plan refuses.
    pub fn elements(&self) -> usize {
        self.extent.elements().unwrap_or(0)
    }

    /// Rows and columns.
    pub(crate) fn plane(&self) -> (usize, usize) {
        match self.extent {
            Extent::Length(n) => (1, n),
            Extent::Side(n) => (n, n),
            Extent::Plane { rows, cols } => (rows, cols),
        }
    }

    /// The number of bins of histogram.
    pub fn bins(&self) -> usize {
        self.settings.bins.unwrap_or(256)
    }

    /// `f32, n = 2^20`, `f64, 1000x1000`.
    pub fn label(&self) -> String {
        let n = if matches!(self.extent, Extent::Plane { .. }) { "" } else { "n = " };
        format!("{}, {n}{}", self.ty, self.extent)
    }
}

/// The kinds of extents that a primitive has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A line of elements; `--size` gives its length as a product, for pictures.
    Line,
    /// Square matrices.
    Square,
    /// Images and grids.
    Plane,
}

impl Kind {
    pub(crate) fn of(primitive: &str) -> Self {
        match primitive {
            "matmul" => Self::Square,
            "convolve2d" | "heat" | "radiator" => Self::Plane,
            _ => Self::Line,
        }
    }

    /// The extent of a number given as `-n`.
    pub(crate) fn extent(self, n: usize) -> Extent {
        match self {
            Self::Line => Extent::Length(n),
            Self::Square => Extent::Side(n),
            Self::Plane => Extent::Plane { rows: n, cols: n },
        }
    }

    /// What is measured where no size is given: small on the emulator, which executes every instruction of every warp.
    pub(crate) fn default(self, emulated: bool) -> Extent {
        match (self, emulated) {
            (Self::Line, false) => Extent::Length(1 << 24),
            (Self::Line, true) => Extent::Length(1 << 16),
            (Self::Square, false) => Extent::Side(1024),
            (Self::Square, true) => Extent::Side(128),
            (Self::Plane, false) => Extent::Plane { rows: 2048, cols: 2048 },
            (Self::Plane, true) => Extent::Plane { rows: 128, cols: 128 },
        }
    }
}

/// Whether a primitive is repeated: its problems have a number of iterations.
pub(crate) fn repeats(primitive: &str) -> bool {
    matches!(primitive, "heat" | "radiator")
}

/// The primitives that compute something: all but `hello`, which prints.
pub(crate) fn benchable() -> impl Iterator<Item = &'static Primitive> {
    PRIMITIVES.iter().filter(|p| !p.types.is_empty())
}
