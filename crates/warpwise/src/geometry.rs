//! Launch geometry: data that a caller may override, because sweeping it is an experiment of its own.

/// How large launches are; what is left out, the library chooses.
///
/// ```
/// use warpwise::Geometry;
///
/// let geometry = Geometry { block: Some(512), ..Geometry::default() };
/// assert_eq!(geometry.grid, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Geometry {
    /// Threads of a block.
    pub block: Option<u32>,
    /// Blocks of the grid, for variants that take any number.
    pub grid: Option<u32>,
    /// Elements a thread, for variants that take a choice.
    pub items: Option<u32>,
}

impl Geometry {
    /// What a launch of a variant takes: what the caller chose, or what was found by measuring on this GPU. A caller
    /// who chooses anything chooses everything: what belongs together was found together.
    pub(crate) fn or_tuned(self, session: &crate::device::Session, primitive: &str, variant: &str, ty: &str) -> Self {
        if self != Self::default() {
            return self;
        }
        crate::tuning::find(|| session.gpu_name(), primitive, variant, ty).unwrap_or(self)
    }
}
