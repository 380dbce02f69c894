//! `matmul`: the product of two matrices, from files or made up.

mod factors;
mod render;

pub use factors::Factors;
pub use render::Shown;

use super::verify::{of_arrays, plain};
use super::{AppError, Setup, Verified, milliseconds};
use crate::files::{Array, Number, Numbers, check_array_name, write_array};
use crate::kernels::run::Value;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use warpwise::Device;
use warpwise::matmul::{self, Matmul, Matrix, MatrixMut, Scalar};

/// What to multiply.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where the matrices come from.
    pub factors: Factors,
    /// Where and how.
    pub setup: Setup,
    /// A file for the product.
    pub out: Option<PathBuf>,
}

/// The product: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this format.
    pub schema: u32,
    /// Where it was computed.
    pub device: String,
    /// The rung, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Element type.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Rows of A and of C.
    pub m: usize,
    /// Columns of A, rows of B.
    pub k: usize,
    /// Columns of B and of C.
    pub n: usize,
    /// Time of the call.
    pub time_ms: f64,
    /// Products and sums per second, in billions.
    pub gflop_per_s: f64,
    /// A corner of A.
    pub a: Corner,
    /// A corner of B.
    pub b: Corner,
    /// A corner of C.
    pub c: Corner,
    /// Where C was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<PathBuf>,
    /// The comparison with plain sequential code; omitted if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// The matrices that text shows.
    #[serde(skip)]
    pub shown: Shown,
}

impl Report {
    /// Whether nothing is known to be wrong.
    pub fn ok(&self) -> bool {
        self.verified.as_ref().is_none_or(|verified| verified.ok)
    }
}

/// The upper left of a matrix, with its last row and column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Corner {
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub cols: usize,
    /// The rows that are shown.
    pub shown_rows: Vec<usize>,
    /// The columns that are shown.
    pub shown_cols: Vec<usize>,
    /// The values in those rows and columns.
    pub values: Vec<Vec<Value>>,
}

/// How many of the first rows and columns a corner shows.
const SHOWN: usize = 4;

impl Corner {
    fn of<T: Number>(values: &[T], rows: usize, columns: usize) -> Self {
        let shown = |n: usize| -> Vec<usize> { (0..n.min(SHOWN)).chain((SHOWN..n).last()).collect() };
        let (shown_rows, shown_cols) = (shown(rows), shown(columns));
        let row = |&i: &usize| shown_cols.iter().map(|j| values[i * columns + j].value()).collect();
        let values = shown_rows.iter().map(row).collect();
        Self { rows, cols: columns, shown_rows, shown_cols, values }
    }
}

/// Multiplies.
pub fn run(request: &Request) -> Result<Report, AppError> {
    request.setup.check("matmul", matmul::VARIANTS)?;
    if let Some(out) = &request.out {
        check_array_name(out)?;
    }
    let (a, b) = request.factors.load()?;
    let device = request.setup.open()?;
    let (report, c) = match (&a.numbers, &b.numbers) {
        (Numbers::F32(x), Numbers::F32(y)) => multiply(&device, request, (&a.shape, x), (&b.shape, y))?,
        (Numbers::F64(x), Numbers::F64(y)) => multiply(&device, request, (&a.shape, x), (&b.shape, y))?,
        _ => unreachable!("factors are loaded as one floating-point type"),
    };
    let mut report = report;
    if request.setup.verify.wants(report.m as u128 * report.k as u128 * report.n as u128) {
        let plain = Request { setup: plain(), out: None, factors: request.factors.clone() };
        let (_, truth) = match (&a.numbers, &b.numbers) {
            (Numbers::F32(x), Numbers::F32(y)) => multiply(&Device::cpu(), &plain, (&a.shape, x), (&b.shape, y))?,
            (Numbers::F64(x), Numbers::F64(y)) => multiply(&Device::cpu(), &plain, (&a.shape, x), (&b.shape, y))?,
            _ => unreachable!("factors are loaded as one floating-point type"),
        };
        report.verified = Some(of_arrays("plain sequential code", &c, &truth, report.k));
    }
    if let Some(out) = &request.out {
        write_array(out, &c)?;
    }
    Ok(report)
}

fn multiply<T: Number + Scalar>(
    device: &Device,
    request: &Request,
    (a_shape, a): (&[usize], &[T]),
    (b_shape, b): (&[usize], &[T]),
) -> Result<(Report, Array), AppError> {
    let (m, k, n) = (a_shape[0], a_shape[1], b_shape[1]);
    let how = Matmul::new().variant(request.setup.rung::<matmul::Rung>()?);
    let mut c = vec![T::ZERO; m * n];
    let (a_view, b_view) = (Matrix::new(a, m, k)?, Matrix::new(b, k, n)?);
    let started = Instant::now();
    how.run_into(device, &a_view, &b_view, &mut MatrixMut::new(&mut c, m, n)?)?;
    let time_ms = milliseconds(started);
    #[allow(clippy::cast_precision_loss, reason = "shown with few digits")]
    let work = 2.0 * m as f64 * n as f64 * k as f64;
    let report = Report {
        schema: 1,
        device: device.name(),
        variant: request.setup.variant.clone(),
        ty: T::NAME,
        m,
        k,
        n,
        time_ms,
        gflop_per_s: if time_ms > 0.0 { work / (time_ms * 1e6) } else { 0.0 },
        a: Corner::of(a, m, k),
        b: Corner::of(b, k, n),
        c: Corner::of(&c, m, n),
        out: request.out.clone(),
        verified: None,
        shown: Shown::default(),
    };
    Ok((report, Array { shape: vec![m, n], numbers: T::numbers(c) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_of_all_sizes() {
        let values: Vec<i32> = (0..60).collect();
        let corner = Corner::of(&values, 6, 10);
        assert_eq!((corner.shown_rows, corner.shown_cols), (vec![0, 1, 2, 3, 5], vec![0, 1, 2, 3, 9]));
        assert_eq!(corner.values[4][4], Value::Integer(59));
        assert_eq!(Corner::of(&values, 4, 5).shown_cols, [0, 1, 2, 3, 4]);
        assert_eq!(Corner::of::<i32>(&[], 0, 5).values.len(), 0);
        assert_eq!(Corner::of(&values, 4, 1).values[3], [Value::Integer(3)]);
    }
}
