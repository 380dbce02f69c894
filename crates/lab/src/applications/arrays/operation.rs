//! What can be done with an array.

use crate::applications::{AppError, Setup};
use crate::files::{self, Array, Number, Numbers, with_numbers};
use std::path::Path;
use warpwise::convolve1d::{self, Convolve1d};
use warpwise::matmul::Matrix;
use warpwise::sort::{self, Sort};
use warpwise::transpose::{self, Transpose};
use warpwise::{Border, Device, Variant};

/// The weights of a convolution, an odd number of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask(Vec<f64>);

impl Mask {
    /// Reads weights, or a `.npy` or `.csv` file with them.
    ///
    /// ```
    /// use warpwise_lab::applications::arrays::Mask;
    ///
    /// assert!(Mask::parse("0.25,0.5,0.25").is_ok() && Mask::parse("1,1").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let weights: Vec<f64> = match files::extension(Path::new(text)).as_str() {
            "npy" | "csv" => {
                let array = files::read_array(Path::new(text)).map_err(|error| error.to_string())?;
                with_numbers!(&array.numbers, xs => xs.iter().map(|x| x.value().to_f64()).collect())
            }
            _ => {
                let number = |part: &str| {
                    let value = part.trim().parse::<f64>().ok().filter(|x| x.is_finite());
                    value.ok_or_else(|| format!("`{part}` is not a number: write weights like 1,2,1, or give a file"))
                };
                text.split(',').map(number).collect::<Result<_, _>>()?
            }
        };
        if weights.len().is_multiple_of(2) {
            return Err(format!("{} weights have no middle: give an odd number of weights", weights.len()));
        }
        Ok(Self(weights))
    }
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Every number becomes a weighted sum of its neighbours; rows of a matrix are signals of their own.
    Convolve {
        /// The weights.
        mask: Mask,
        /// What lies beyond the ends.
        border: Border,
    },
    /// Rows become columns.
    Transpose,
    /// Numbers are put in order.
    Sort {
        /// The largest first.
        descending: bool,
    },
}

impl Operation {
    /// Its name, as the command line spells it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Convolve { .. } => "convolve",
            Self::Transpose => "transpose",
            Self::Sort { .. } => "sort",
        }
    }

    /// The primitive that does it.
    pub(super) fn primitive(&self) -> &'static str {
        if matches!(self, Self::Convolve { .. }) { "convolve1d" } else { self.name() }
    }

    pub(super) fn variants(&self) -> &'static [Variant] {
        match self {
            Self::Convolve { .. } => convolve1d::VARIANTS,
            Self::Transpose => transpose::VARIANTS,
            Self::Sort { .. } => sort::VARIANTS,
        }
    }

    /// What is wrong with an array, if it does not suit.
    pub(super) fn check(&self, array: &Array) -> Result<(), String> {
        match (self, array.shape.len()) {
            (Self::Transpose, 2) | (Self::Convolve { .. }, 1 | 2) | (Self::Sort { .. }, _) => Ok(()),
            (Self::Transpose, n) => Err(format!("a transpose needs a matrix, and this has {n} dimensions")),
            (_, n) => Err(format!("a signal has one dimension, or two for several signals; this has {n}")),
        }
    }

    /// Basic operations of plain code.
    pub(super) fn cost(&self, array: &Array) -> u128 {
        let each = match self {
            Self::Convolve { mask, .. } => mask.0.len() as u128,
            Self::Transpose => 1,
            Self::Sort { .. } => 64,
        };
        array.numbers.len() as u128 * each
    }

    /// Numbers that one number of the result is a sum of.
    pub(super) fn summed(&self) -> usize {
        if let Self::Convolve { mask, .. } = self { mask.0.len() } else { 1 }
    }

    pub(super) fn apply(&self, device: &Device, setup: &Setup, array: &Array) -> Result<Array, AppError> {
        match self {
            Self::Convolve { mask, border } => convolve(device, setup, array, mask, *border),
            Self::Transpose => turn(device, setup, array),
            Self::Sort { descending } => {
                let how = Sort::new().descending(*descending).variant(setup.rung::<sort::Rung>()?);
                let numbers = with_numbers!(&array.numbers, xs => Number::numbers(how.run(device, xs)?));
                Ok(Array { shape: array.shape.clone(), numbers })
            }
        }
    }
}

/// Transposing moves bits: a type goes through another one of its size.
fn turn(device: &Device, setup: &Setup, array: &Array) -> Result<Array, AppError> {
    let how = Transpose::new().variant(setup.rung::<transpose::Rung>()?);
    let &[rows, columns] = &array.shape[..] else { return Ok(array.clone()) };
    let four = |words: &mut dyn Iterator<Item = u32>| -> Result<Vec<u32>, warpwise::Error> {
        let words: Vec<f32> = words.map(f32::from_bits).collect();
        let turned = how.run(device, &Matrix::new(&words, rows, columns)?)?;
        Ok(turned.into_iter().map(f32::to_bits).collect())
    };
    let eight = |words: &mut dyn Iterator<Item = u64>| -> Result<Vec<u64>, warpwise::Error> {
        let words: Vec<f64> = words.map(f64::from_bits).collect();
        let turned = how.run(device, &Matrix::new(&words, rows, columns)?)?;
        Ok(turned.into_iter().map(f64::to_bits).collect())
    };
    let numbers = match &array.numbers {
        Numbers::U8(xs) => Numbers::U8(how.run(device, &Matrix::new(xs, rows, columns)?)?),
        Numbers::U32(xs) => Numbers::U32(four(&mut xs.iter().copied())?),
        Numbers::I32(xs) => {
            let turned = four(&mut xs.iter().map(|x| x.cast_unsigned()))?;
            Numbers::I32(turned.into_iter().map(u32::cast_signed).collect())
        }
        Numbers::F32(xs) => Numbers::F32(how.run(device, &Matrix::new(xs, rows, columns)?)?),
        Numbers::U64(xs) => Numbers::U64(eight(&mut xs.iter().copied())?),
        Numbers::I64(xs) => {
            let turned = eight(&mut xs.iter().map(|x| x.cast_unsigned()))?;
            Numbers::I64(turned.into_iter().map(u64::cast_signed).collect())
        }
        Numbers::F64(xs) => Numbers::F64(how.run(device, &Matrix::new(xs, rows, columns)?)?),
    };
    Ok(Array { shape: vec![columns, rows], numbers })
}

/// Convolves every row: in `f32` if the signal is, in `i32` if signal and weights are whole numbers of that size, and
/// else in `f64`.
fn convolve(device: &Device, setup: &Setup, array: &Array, mask: &Mask, border: Border) -> Result<Array, AppError> {
    let rung = setup.rung::<convolve1d::Rung>()?;
    let length = array.shape.last().copied().unwrap_or(0).max(1);
    let whole = |x: f64| x.fract() == 0.0 && x.abs() <= f64::from(i32::MAX);
    let numbers = match &array.numbers {
        Numbers::F32(xs) => {
            let weights: Vec<f32> = mask.0.iter().map(|&weight| weight as f32).collect();
            let how = Convolve1d::new(&weights).border(border).variant(rung);
            Numbers::F32(rows(xs, length, |row| how.run(device, row))?)
        }
        Numbers::I32(xs) if mask.0.iter().all(|&weight| whole(weight)) => {
            let weights: Vec<i32> = mask.0.iter().map(|&weight| weight as i32).collect();
            let how = Convolve1d::new(&weights).border(border).variant(rung);
            Numbers::I32(rows(xs, length, |row| how.run(device, row))?)
        }
        other => {
            let xs: Vec<f64> = with_numbers!(other, xs => xs.iter().map(|x| x.value().to_f64()).collect());
            let how = Convolve1d::new(&mask.0).border(border).variant(rung);
            Numbers::F64(rows(&xs, length, |row| how.run(device, row))?)
        }
    };
    Ok(Array { shape: array.shape.clone(), numbers })
}

/// The results of all rows, one after the other.
fn rows<T: Clone>(
    xs: &[T],
    length: usize,
    one: impl Fn(&[T]) -> Result<Vec<T>, warpwise::Error>,
) -> Result<Vec<T>, AppError> {
    let mut out = Vec::with_capacity(xs.len());
    for row in xs.chunks(length) {
        out.extend(one(row)?);
    }
    Ok(out)
}
