//! The three radiators.

use crate::Float;

/// Start values, fixed columns and weights.
///
/// ```
/// use warpwise::Device;
/// use warpwise::radiator::{Preset, Simulation};
///
/// let simulation = Simulation::<f64>::new(&Device::cpu(), Preset::Year2019, 1, 4)?;
/// assert_eq!(simulation.values()?, [1.0, 0.8, 0.0, 0.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// Columns 0 and 1 fixed at 1.00 (i+1)/n and 0.80 (i+1)/n, the rest 0; weights 1.9 1.5 1 0.5 0.1.
    Year2019,
    /// Columns 0 and 1 fixed at 1.0 (i+1)/n and 0.7 (i+1)/n, the rest 1/15360; weights 1.65 1.35 1 0.65 0.35.
    Year2023,
    /// Column 0 fixed at 0.98 (i+1)^2/n^2, column j starting at that times (m-j)^2/m^2; weights 1.60 1.55 1.00 0.60
    /// 0.25.
    Year2025,
}

impl Preset {
    /// Every preset.
    ///
    /// ```
    /// use warpwise::radiator::Preset;
    ///
    /// assert_eq!(Preset::ALL.map(Preset::name), ["2019", "2023", "2025"]);
    /// ```
    pub const ALL: [Self; 3] = [Self::Year2019, Self::Year2023, Self::Year2025];

    /// The preset's name, as the command line spells it.
    ///
    /// ```
    /// use warpwise::radiator::Preset;
    ///
    /// assert_eq!(Preset::Year2023.name(), "2023");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Year2019 => "2019",
            Self::Year2023 => "2023",
            Self::Year2025 => "2025",
        }
    }

    /// How many columns keep their value.
    ///
    /// ```
    /// use warpwise::radiator::Preset;
    ///
    /// assert_eq!(Preset::ALL.map(Preset::fixed), [2, 2, 1]);
    /// ```
    pub fn fixed(self) -> usize {
        match self {
            Self::Year2019 | Self::Year2023 => 2,
            Self::Year2025 => 1,
        }
    }

    /// The weights of the columns from two to the left to two to the right; five times those of a mean.
    ///
    /// ```
    /// use warpwise::radiator::Preset;
    ///
    /// for preset in Preset::ALL {
    ///     assert!((preset.weights().iter().sum::<f64>() - 5.0).abs() < 1e-12);
    /// }
    /// ```
    pub fn weights(self) -> [f64; 5] {
        match self {
            Self::Year2019 => [1.9, 1.5, 1.0, 0.5, 0.1],
            Self::Year2023 => [1.65, 1.35, 1.0, 0.65, 0.35],
            Self::Year2025 => [1.60, 1.55, 1.00, 0.60, 0.25],
        }
    }

    /// The first value of column `j` of row `i`, of `n` rows of `m` columns.
    ///
    /// ```
    /// use warpwise::radiator::Preset;
    ///
    /// assert_eq!(Preset::Year2019.start(1, 0, 4, 10), 0.5);
    /// assert_eq!(Preset::Year2023.start(1, 5, 4, 10), 1.0 / 15360.0);
    /// assert_eq!(Preset::Year2025.start(3, 5, 4, 10), 0.98 * 0.25);
    /// ```
    pub fn start(self, i: usize, j: usize, n: usize, m: usize) -> f64 {
        let (row, n, m) = ((i + 1) as f64, n as f64, m as f64);
        match (self, j) {
            (Self::Year2019 | Self::Year2023, 0) => 1.0 * row / n,
            (Self::Year2019, 1) => 0.8 * row / n,
            (Self::Year2019, _) => 0.0,
            (Self::Year2023, 1) => 0.7 * row / n,
            (Self::Year2023, _) => 1.0 / 15360.0,
            (Self::Year2025, _) => 0.98 * (row * row) / (n * n) * ((m - j as f64) * (m - j as f64) / (m * m)),
        }
    }

    /// The factor of a start value that depends on its column; the other depends on its row.
    pub(super) fn along(self, j: usize, m: usize) -> f64 {
        let (j, m) = (j as f64, m as f64);
        match self {
            Self::Year2019 | Self::Year2023 => 0.0,
            Self::Year2025 => (m - j) * (m - j) / (m * m),
        }
    }

    /// The start values of a row, equal to those of [`start`](Preset::start); `along` holds the factors of the columns.
    pub(super) fn fill<T: Float>(self, i: usize, n: usize, along: &[f64], row: &mut [T]) {
        let m = row.len();
        match self {
            // Beyond the fixed columns they are all the same.
            Self::Year2019 | Self::Year2023 => {
                for (j, x) in row.iter_mut().enumerate().take(self.fixed()) {
                    *x = T::from_f64(self.start(i, j, n, m));
                }
                let rest = T::from_f64(self.start(i, self.fixed(), n, m));
                row.iter_mut().skip(self.fixed()).for_each(|x| *x = rest);
            }
            Self::Year2025 => {
                let (i, n) = ((i + 1) as f64, n as f64);
                let across = 0.98 * (i * i) / (n * n);
                for (x, along) in row.iter_mut().zip(along) {
                    *x = T::from_f64(across * along);
                }
            }
        }
    }
}
