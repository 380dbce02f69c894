//! Checks of 2-D convolution.

use crate::Error;
use crate::conformance::Placed;
use crate::conformance::{Collector, Verdict, equal, within};
use crate::convolve2d::{self, Convolve2d, Edge, Filter, Image, Pixel, Rung};

/// Rows and columns of images: odd ones, lines, and one around the tiles.
const IMAGES: [(usize, usize); 8] = [(1, 1), (1, 37), (41, 1), (5, 7), (31, 33), (64, 64), (67, 129), (100, 251)];
/// Rows and columns of filters.
const FILTERS: [(usize, usize); 7] = [(1, 1), (3, 3), (5, 5), (3, 7), (9, 1), (31, 31), (7, 7)];

/// The structure of a filter's weights.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Any,
    /// A column times a row.
    Product,
    /// The same all around a ring.
    Rings,
}

impl Kind {
    /// Arbitrary weights from 0 to twice their mean.
    fn of(self, any: &[f32], height: usize, width: usize) -> Vec<f32> {
        let ring = |i: usize, side: usize| i.min(side - 1 - i);
        // Small integers, one of them 1, divided by a power of two: products and quotients are exact.
        let integer = |i: usize| if i == 0 { 1 } else { 1 + (any[i] * 3.0 * any.len() as f32) as usize };
        let sum = |side: usize| (0..side).map(integer).sum::<usize>();
        let unit = 1.0 / (sum(height) * sum(width)).next_power_of_two() as f32;
        let weight = |r: usize, c: usize| match self {
            Self::Any => any[r * width + c],
            Self::Product => (integer(r) * integer(c)) as f32 * unit,
            Self::Rings => any[ring(r, height).min(ring(c, width))],
        };
        (0..height * width).map(|i| weight(i / width, i % width)).collect()
    }
}

/// Both types, every filter and edge.
pub(super) fn checks(c: &mut Collector<'_>) {
    for (row, &(rows, columns)) in IMAGES.iter().enumerate() {
        for (k, &shape) in FILTERS.iter().enumerate() {
            for (j, edge) in Edge::ALL.into_iter().enumerate() {
                if !c.takes(row + k + j) {
                    continue;
                }
                let fits = rows >= shape.0 && columns >= shape.1;
                if edge == Edge::Valid && !fits {
                    continue;
                }
                let square = shape.0 == shape.1 && (3..=7).contains(&shape.0);
                for kind in [Kind::Any, Kind::Product, Kind::Rings].into_iter().take(if square { 3 } else { 1 }) {
                    if c.full || (row + k) % 2 == 0 {
                        check::<u8>(c, (rows, columns), shape, (edge, kind), bytes);
                    }
                    if c.full || (row + k) % 2 == 1 {
                        check::<f32>(c, (rows, columns), shape, (edge, kind), |found, expected, terms| {
                            within(found, expected, terms)
                        });
                    }
                }
            }
        }
    }
}

/// Bytes are rounded: half a grey level, and a little more for sums near the middle between two.
fn bytes(found: &[u8], expected: &[f64], _: usize) -> Verdict {
    let near = |(x, e): (&u8, &f64)| (f64::from(*x) - e.clamp(0.0, 255.0)).abs() <= 0.501;
    let rounded: Vec<u8> = found
        .iter()
        .zip(expected)
        .map(|(x, e)| if near((x, e)) { *x } else { e.clamp(0.0, 255.0).round() as u8 })
        .collect();
    equal(found, &rounded)
}

fn check<T: Pixel>(
    c: &mut Collector<'_>,
    (rows, columns): (usize, usize),
    (height, width): (usize, usize),
    (edge, kind): (Edge, Kind),
    compare: fn(&[T], &[f64], usize) -> Verdict,
) {
    let rung = c.rung::<Rung>();
    let weights = match kind {
        Kind::Any => "",
        Kind::Product => " separable",
        Kind::Rings => " symmetric",
    };
    let what = format!("{}, {height} x {width}{weights} filter, {}, {rows} x {columns}", T::NAME, edge.name());
    c.add(what, move |device, random| -> Result<Verdict, Error> {
        let terms = height * width;
        // Weights that sum to about one keep bytes in their range.
        let weights: Vec<f32> = random.elements::<f32>(terms).iter().map(|w| (w + 1.0) / terms as f32).collect();
        let filter = Filter::new(&kind.of(&weights, height, width), height, width)?;
        let pixels: Vec<T> = random.elements(rows * columns);
        let image = Image::new(&pixels, rows, columns)?;
        let (out_rows, out_columns) = edge.result(&filter, rows, columns);
        let mut expected = vec![0.0; out_rows * out_columns];
        convolve2d::reference::convolve(&filter, edge, image, &mut expected)?;
        let how = Convolve2d::new(&filter).edge(edge).variant(rung);
        let found = match Placed::new(device, &pixels, random)? {
            here @ Placed::Host(_) => how.run(device, &here, (rows, columns))?,
            there => how.run_buffer(device, &there, (rows, columns))?.into_vec()?,
        };
        Ok(compare(&found, &expected, terms))
    });
}
