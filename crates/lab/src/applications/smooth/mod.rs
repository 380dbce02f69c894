//! `smooth`: a picture convolved with a filter of rings.

use super::{AppError, Setup, StageTimes, Verified, milliseconds, stages};
use crate::files::{Deep, FileError, Picture};
use crate::output::number::duration;
use crate::output::{self, Style, Table, View};
use serde::Serialize;
use std::path::{Path, PathBuf};
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
    /// A file for a picture of the differences from the reference, amplified.
    pub difference: Option<PathBuf>,
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
    /// Bits per value of the result: 8, or 16 for a picture that has more than 8.
    pub bits: u32,
    /// Time of each stage; omitted on the CPU, which has none.
    #[serde(skip_serializing_if = "StageTimes::is_empty")]
    pub stages_ms: StageTimes,
    /// The comparison with the reference; omitted if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// The picture of the differences from the reference; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<PathBuf>,
    /// How much these differences are amplified in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amplified: Option<f64>,
}

impl Report {
    /// Whether nothing is known to be wrong.
    pub fn ok(&self) -> bool {
        self.verified.as_ref().is_none_or(|verified| verified.ok)
    }
}

/// Smooths a picture, each colour on its own. A picture of 16 bits per value is computed in `f32` and keeps its depth.
pub fn run(request: &Request) -> Result<Report, AppError> {
    request.setup.check("convolve2d", convolve2d::VARIANTS)?;
    let filter = rings(request.filter)?;
    let picture = Deep::read(&request.input)?;
    Picture::check_name(&request.output, picture.planes.len() > 1)?;
    if let Some(path) = &request.difference {
        Picture::check_name(path, false)?;
    }
    let size = (picture.rows, picture.columns);
    let (rows, columns) = request.edge.result(&filter, size.0, size.1);
    if rows == 0 || columns == 0 {
        let problem = format!(
            "a picture of {} x {} pixels leaves nothing within a {side} x {side} filter: use a smaller --filter or another --border",
            picture.columns,
            picture.rows,
            side = request.filter
        );
        return Err(FileError::Content { path: request.input.clone(), problem }.into());
    }
    let rung = request.setup.rung::<convolve2d::Rung>()?;
    let how = Convolve2d::new(&filter).edge(request.edge).variant(rung);
    let device = request.setup.open()?;
    let (deep, shallow) = (picture.is_deep(), picture.shallow());
    device.start_trace();
    let started = Instant::now();
    let mut planes: Vec<Vec<u16>> = Vec::new();
    for (plane, bytes) in picture.planes.iter().zip(&shallow.planes) {
        planes.push(if deep {
            let values: Vec<f32> = plane.iter().map(|&v| f32::from(v)).collect();
            let whole = |v: f32| v.round_ties_even().clamp(0.0, f32::from(picture.max)) as u16;
            how.run(&device, &values, size)?.into_iter().map(whole).collect()
        } else {
            how.run(&device, bytes, size)?.into_iter().map(u16::from).collect()
        });
    }
    let time_ms = milliseconds(started);
    let stages_ms = stages::take(&device)?.unwrap_or_default();
    let max = if deep { picture.max } else { 255 };
    let smoothed = Deep { rows, columns, max, planes };
    let operations = (picture.planes.len() * request.filter * request.filter) as u128 * (rows * columns) as u128;
    let wanted = request.setup.verify.wants(operations) || request.difference.is_some();
    let truth = if wanted { Some(truth(&filter, request.edge, &picture, &smoothed)?) } else { None };
    let verified = truth.as_ref().map(|truth| verified(truth, &smoothed));
    smoothed.write(&request.output)?;
    let amplified = match (&truth, &request.difference) {
        (Some(truth), Some(path)) => Some(difference(truth, &smoothed, path)?),
        _ => None,
    };
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
        bits: if deep { 16 } else { 8 },
        stages_ms,
        verified,
        difference: request.difference.clone(),
        amplified,
    })
}

/// The reference before rounding: a sum in `f64` for every pixel.
fn truth(filter: &Filter, edge: Edge, picture: &Deep, smoothed: &Deep) -> Result<Vec<Vec<f64>>, AppError> {
    let scale = f64::from(smoothed.max) / f64::from(picture.max);
    let plane = |values: &Vec<u16>| {
        // Less than 8 bits are stretched to 8 before they are smoothed.
        let values: Vec<f32> = values.iter().map(|&v| (f64::from(v) * scale).round() as f32).collect();
        let image = convolve2d::Image::new(&values, picture.rows, picture.columns)?;
        let mut out = vec![0.0; smoothed.rows * smoothed.columns];
        convolve2d::reference::convolve(filter, edge, image, &mut out)?;
        Ok(out)
    };
    picture.planes.iter().map(plane).collect()
}

/// Pixels are whole numbers: half a level, and what `f32` loses in a sum, is agreement.
fn verified(truth: &[Vec<f64>], smoothed: &Deep) -> Verified {
    let ours = smoothed.planes.iter().flatten();
    let theirs = truth.iter().flatten().map(|&value| value.clamp(0.0, f64::from(smoothed.max)));
    let allowed = 0.5 + 1e-5 * f64::from(smoothed.max);
    // In levels, not relative to the value.
    let mut pairs = ours.zip(theirs).map(|(&ours, theirs)| {
        let off = (f64::from(ours) - theirs).abs();
        if off <= allowed { (theirs.round(), theirs.round()) } else { (f64::from(ours), theirs) }
    });
    Verified::of("the reference, rounded", 0.0, &mut pairs)
}

/// Writes how far each pixel is from the reference, amplified until the largest difference is white; returns the factor.
fn difference(truth: &[Vec<f64>], smoothed: &Deep, path: &Path) -> Result<f64, AppError> {
    let off = |at: usize| -> f64 {
        let planes = smoothed.planes.iter().zip(truth);
        planes.map(|(ours, theirs)| (f64::from(ours[at]) - theirs[at]).abs()).fold(0.0, f64::max)
    };
    let all: Vec<f64> = (0..smoothed.rows * smoothed.columns).map(off).collect();
    let factor = super::difference::write(&all, (smoothed.rows, smoothed.columns), path)?;
    Ok((factor * 1e3).round() / 1e3)
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

    /// What was done.
    fn text(&self, _: Style) -> String {
        let colour = if self.planes > 1 { "in colour" } else { "of grey" };
        let depth = if self.bits > 8 { format!(", {} bits per value", self.bits) } else { String::new() };
        let side = self.filter;
        let mut out = format!(
            "{} -> {}: {} x {} pixels {colour}{depth}, {side} x {side} filter, border {}, on the {} in {}\n",
            self.input.display(),
            self.output.display(),
            self.cols,
            self.rows,
            self.border,
            self.device,
            duration(self.time_ms / 1e3)
        );
        if !self.stages_ms.is_empty() {
            out.push_str(&format!("stages: {}\n", stages::line(&self.stages_ms)));
        }
        if let Some(verified) = &self.verified {
            out.push_str(&verified.line());
        }
        if let (Some(path), Some(factor)) = (&self.difference, self.amplified) {
            out.push_str(&format!("differences from the reference, times {factor}: {}\n", path.display()));
        }
        out
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
