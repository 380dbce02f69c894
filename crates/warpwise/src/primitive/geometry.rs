//! Launch geometry: a caller may override it, because sweeping it is an experiment in itself.

/// How large launches are; the library chooses the rest.
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
    /// Elements per thread, for variants that offer a choice.
    pub items: Option<u32>,
}

/// Which parts of a [`Geometry`] a variant takes; it ignores the others.
///
/// ```
/// let naive = &warpwise::vecadd::VARIANTS[2];
/// assert!(!naive.takes.block, "its blocks have one thread");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Takes {
    /// Threads of a block.
    pub block: bool,
    /// Blocks of the grid.
    pub grid: bool,
    /// Elements per thread.
    pub items: bool,
}

impl Takes {
    /// Its geometry is fixed.
    pub(crate) const NOTHING: Self = Self { block: false, grid: false, items: false };
    /// Any block.
    pub(crate) const BLOCK: Self = Self { block: true, ..Self::NOTHING };
    /// Any block and grid.
    pub(crate) const BLOCK_AND_GRID: Self = Self { block: true, grid: true, items: false };
    /// Any block, grid and number of elements a thread.
    pub(crate) const ALL: Self = Self { block: true, grid: true, items: true };
    /// Any block and number of elements a thread.
    pub(crate) const BLOCK_AND_ITEMS: Self = Self { block: true, grid: false, items: true };
}
