//! How large problems are.

/// The size of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// That many elements.
    Length(usize),
    /// Square matrices with sides of that many elements.
    Side(usize),
    /// An image or a grid.
    Plane {
        /// Rows.
        rows: usize,
        /// Columns.
        cols: usize,
    },
}

impl Extent {
    /// The number of elements of one operand; `None` if it overflows.
    ///
    /// ```
    /// use warpwise::primitive::Extent;
    ///
    /// assert_eq!(Extent::Side(3).elements(), Some(9));
    /// assert_eq!(Extent::Side(usize::MAX).elements(), None);
    /// ```
    pub fn elements(self) -> Option<usize> {
        let (rows, cols) = self.plane();
        rows.checked_mul(cols)
    }

    /// Rows and columns.
    ///
    /// ```
    /// use warpwise::primitive::Extent;
    ///
    /// assert_eq!(Extent::Length(7).plane(), (1, 7));
    /// ```
    pub fn plane(self) -> (usize, usize) {
        match self {
            Self::Length(n) => (1, n),
            Self::Side(n) => (n, n),
            Self::Plane { rows, cols } => (rows, cols),
        }
    }
}

impl std::fmt::Display for Extent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Length(n) | Self::Side(n) => f.write_str(&count(n)),
            Self::Plane { rows, cols } => write!(f, "{rows}x{cols}"),
        }
    }
}

/// A count as people type it: from 1024 on, powers of two are written as such.
///
/// ```
/// use warpwise::primitive::count;
///
/// assert_eq!((count(1 << 20).as_str(), count(1000).as_str()), ("2^20", "1000"));
/// ```
pub fn count(n: usize) -> String {
    if n >= 1024 && n.is_power_of_two() { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

/// The shape of a primitive's data.
///
/// ```
/// use warpwise::primitive::{Extent, Extents};
///
/// assert_eq!(Extents::Plane.of(4), Extent::Plane { rows: 4, cols: 4 });
/// assert!(Extents::Line.takes_planes() == false && Extents::Picture.takes_planes());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extents {
    /// A line of elements.
    Line,
    /// A line of elements that may be the pixels of a picture: rows and columns can be given too.
    Picture,
    /// Square matrices.
    Square,
    /// Images and grids.
    Plane,
}

impl Extents {
    /// The extent of one number: a length, or a side.
    ///
    /// ```
    /// use warpwise::primitive::{Extent, Extents};
    ///
    /// assert_eq!(Extents::Square.of(8), Extent::Side(8));
    /// ```
    pub fn of(self, n: usize) -> Extent {
        match self {
            Self::Line | Self::Picture => Extent::Length(n),
            Self::Square => Extent::Side(n),
            Self::Plane => Extent::Plane { rows: n, cols: n },
        }
    }

    /// Whether rows and columns can be given.
    ///
    /// ```
    /// assert!(!warpwise::primitive::Extents::Square.takes_planes());
    /// ```
    pub fn takes_planes(self) -> bool {
        matches!(self, Self::Picture | Self::Plane)
    }

    /// Whether its data has two dimensions.
    ///
    /// ```
    /// assert!(warpwise::primitive::Extents::Square.is_flat());
    /// ```
    pub fn is_flat(self) -> bool {
        matches!(self, Self::Square | Self::Plane)
    }

    /// What one number stands for: the axis of plots over size.
    ///
    /// ```
    /// assert_eq!(warpwise::primitive::Extents::Square.axis(), "side of the matrices");
    /// ```
    pub fn axis(self) -> &'static str {
        if self == Self::Square { "side of the matrices" } else { "elements" }
    }

    /// The size measured by default: small on the emulator, which executes every instruction of every warp.
    ///
    /// ```
    /// use warpwise::primitive::{Extent, Extents};
    ///
    /// assert_eq!(Extents::Line.usual(true), Extent::Length(1 << 16));
    /// ```
    pub fn usual(self, emulated: bool) -> Extent {
        self.of(match (self, emulated) {
            (Self::Line | Self::Picture, false) => 1 << 24,
            (Self::Line | Self::Picture, true) => 1 << 16,
            (Self::Square, false) => 1024,
            (Self::Plane, false) => 2048,
            (Self::Square | Self::Plane, true) => 128,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_as_they_are_shown() {
        assert_eq!(Extent::Length(1 << 20).to_string(), "2^20");
        assert_eq!(Extent::Side(512).to_string(), "512");
        assert_eq!(Extent::Plane { rows: 3, cols: 1024 }.to_string(), "3x1024");
    }
}
