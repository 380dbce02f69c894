//! Pictures of how far a result is from the reference.

use super::AppError;
use crate::files::Picture;
use std::path::Path;

/// Writes differences as a grey picture with that many rows and columns, amplified until the largest is white; returns
/// the factor, from the unit of the differences to grey levels.
pub(super) fn write(all: &[f64], (rows, columns): (usize, usize), path: &Path) -> Result<f64, AppError> {
    let largest = all.iter().copied().fold(0.0, f64::max);
    let factor = if largest > 0.0 { 255.0 / largest } else { 1.0 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
    let plane = all.iter().map(|off| (off * factor).round() as u8).collect();
    Picture { rows, columns, planes: vec![plane] }.write(path)?;
    Ok(factor)
}
