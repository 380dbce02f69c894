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
