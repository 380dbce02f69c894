//! `smooth`: a picture convolved with a filter of rings.

use super::{AppError, Setup, milliseconds};
use crate::files::{FileError, Picture};
use crate::output::number::duration;
use crate::output::{self, Style, Table, View};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use warpwise::convolve2d::{self, Convolve2d, Filter, MAX_SIDE};

pub use warpwise::convolve2d::Edge;

/// What to smooth.
#[derive(Clone, Debug)]
pub struct Request {
    /// A picture.
    pub input: PathBuf,
    /// The file for the smoothed one; its extension selects the format.
    pub output: PathBuf,
    /// What happens at the edges.
    pub edge: Edge,
    /// Rows and columns of the filter, an odd number.
    pub filter: usize,
    /// Where and how.
    pub setup: Setup,
}

/// What was done: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this format.
    pub schema: u32,
    /// The picture.
    pub input: PathBuf,
    /// The smoothed one.
    pub output: PathBuf,
    /// Where it was computed.
    pub device: String,
    /// The rung, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Rows of the result.
    pub rows: usize,
    /// Columns of the result.
    pub cols: usize,
    /// Planes: one of grey, or red, green and blue.
    pub planes: usize,
    /// Rows and columns of the filter.
    pub filter: usize,
    /// What happened at the edges.
    pub border: &'static str,
    /// Time of the calls, one per plane.
    pub time_ms: f64,
}

/// Smooths a picture, each colour on its own.
pub fn run(request: &Request) -> Result<Report, AppError> {
    request.setup.check("convolve2d", convolve2d::VARIANTS)?;
    let filter = rings(request.filter)?;
    let picture = Picture::read(&request.input)?;
    Picture::check_name(&request.output, picture.planes.len() > 1)?;
    let (rows, columns) = request.edge.result(&filter, picture.rows, picture.columns);
    if rows == 0 || columns == 0 {
        let problem = format!(
            "a picture of {} x {} pixels leaves nothing within a {side} x {side} filter: use a smaller --filter or another --border",
            picture.rows,
            picture.columns,
            side = request.filter
        );
        return Err(FileError::Content { path: request.input.clone(), problem }.into());
    }
    let rung = request.setup.rung::<convolve2d::Rung>()?;
    let how = Convolve2d::new(&filter).edge(request.edge).variant(rung);
    let device = request.setup.open()?;
    let started = Instant::now();
    let mut planes = Vec::new();
    for plane in &picture.planes {
        planes.push(how.run(&device, plane, (picture.rows, picture.columns))?);
    }
    let time_ms = milliseconds(started);
    Picture { rows, columns, planes }.write(&request.output)?;
    Ok(Report {
        schema: 1,
        input: request.input.clone(),
        output: request.output.clone(),
        device: device.name(),
        variant: request.setup.variant.clone(),
        rows,
        cols: columns,
        planes: picture.planes.len(),
        filter: request.filter,
        border: request.edge.name(),
        time_ms,
    })
}

/// Rings of weight 1, 2, 3, ... from outside in, divided by their sum; with 5 rows the library's default filter.
fn rings(side: usize) -> Result<Filter, AppError> {
    // Before the weights are made: their number grows with the square.
    if side.is_multiple_of(2) || side > MAX_SIDE {
        let problem = format!("a filter width of {side} is not supported: use an odd number from 1 to {MAX_SIDE}");
        return Err(AppError::flag("--filter", problem));
    }
    let ring = |i: usize| (i + 1).min(side - i);
    let weight = |k: usize| ring(k / side).min(ring(k % side)) as f32;
    let total: f32 = (0..side * side).map(weight).sum();
    let weights: Vec<f32> = (0..side * side).map(|k| weight(k) / total).collect();
    Ok(Filter::new(&weights, side, side)?)
}

impl output::Report for Report {
    const VIEWS: &'static [View<Self>] = &[View::Records(|report| Table::records("smooth", [report]))];

    /// What was done, in a line.
    fn text(&self, _: Style) -> String {
        let colour = if self.planes > 1 { "in colour" } else { "of grey" };
        let side = self.filter;
        format!(
            "{} -> {}: {} x {} pixels {colour}, {side} x {side} filter, border {}, on the {} in {}\n",
            self.input.display(),
            self.output.display(),
            self.rows,
            self.cols,
            self.border,
            self.device,
            duration(self.time_ms / 1e3)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_rows_are_the_default_filter() {
        assert_eq!(rings(5).unwrap(), Filter::default());
        assert_eq!(rings(1).unwrap().weights(), [1.0]);
        for side in [0, 4, 33, usize::MAX] {
            let error = rings(side).unwrap_err().to_string();
            assert!(error.starts_with("--filter: a filter width of"), "{error}");
        }
    }
}
