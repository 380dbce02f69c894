//! The cylinder before the first step.

use super::{AppError, Request};
use crate::files::{FileError, Grey};
use crate::machine::memory;
use std::path::Path;

/// Default number of rows.
pub const DEFAULT_ROWS: usize = 150;

/// Default number of columns.
pub const DEFAULT_COLUMNS: usize = 100;

/// Temperatures and conductivities, row after row.
pub(super) struct Start {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) temperature: Vec<f64>,
    pub(super) conductivity: Vec<f64>,
}

impl Start {
    /// From pictures; without them, the upper half is hot and the lower half cold, and the conductivity rises from 0.1
    /// in the first column to 0.9 in the last.
    pub(super) fn new(request: &Request) -> Result<Self, AppError> {
        let temperature = request.temperature.as_deref().map(Grey::read).transpose()?;
        let conductivity = request.conductivity.as_deref().map(Grey::read).transpose()?;
        let picture = temperature.as_ref().or(conductivity.as_ref());
        let rows = request.rows.or(picture.map(|p| p.rows)).unwrap_or(DEFAULT_ROWS);
        let columns = request.columns.or(picture.map(|p| p.columns)).unwrap_or(DEFAULT_COLUMNS);
        let fits = |picture: &Option<Grey>, path: Option<&Path>, flag: &str| match (picture, path) {
            (Some(p), Some(path)) if (p.rows, p.columns) != (rows, columns) => Err(FileError::Content {
                path: path.to_owned(),
                problem: format!(
                    "the picture of {flag} has {} rows and {} columns, but {rows} and {columns} were requested: \
                     leave out -n and -m, or give the size of the picture",
                    p.rows, p.columns
                ),
            }),
            _ => Ok(()),
        };
        fits(&temperature, request.temperature.as_deref(), "-t")?;
        fits(&conductivity, request.conductivity.as_deref(), "-c")?;
        if rows == 0 || columns == 0 {
            return Err(AppError::flag("-c and -t", "the picture has no pixels"));
        }
        // Initial values, conductivity, the two grids that the simulation alternates between, and the reported values.
        memory::check(&[rows, columns, 8, 5])?;
        let (low, high) = (request.low, request.high);
        let temperature = match temperature {
            Some(p) => {
                let max = f64::from(p.max);
                p.values.iter().map(|&v| low + f64::from(v) * (high - low) / max).collect()
            }
            None => (0..rows * columns).map(|i| if i / columns < rows.div_ceil(2) { high } else { low }).collect(),
        };
        let conductivity = match conductivity {
            Some(p) => {
                let max = f64::from(p.max);
                p.values.iter().map(|&v| f64::from(v) / max).collect()
            }
            #[allow(clippy::cast_precision_loss, reason = "a column, far below 2^53")]
            None => {
                let last = columns.saturating_sub(1).max(1) as f64;
                (0..rows * columns).map(|i| 0.1 + 0.8 * (i % columns) as f64 / last).collect()
            }
        };
        Ok(Self { rows, columns, temperature, conductivity })
    }
}
