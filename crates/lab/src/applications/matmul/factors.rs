//! Where the matrices come from.

use super::AppError;
use crate::files::{Array, FileError, Number, Numbers, read_array};
use crate::machine::memory;
use std::path::{Path, PathBuf};

/// Two matrices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Factors {
    /// From `.npy` or `.csv` files.
    Files(PathBuf, PathBuf),
    /// Made up: an m x k matrix of 0, 1 and 2, and a k x n matrix of 0 and 1, whose product is exact.
    Sizes {
        /// Rows of A.
        m: usize,
        /// Columns of A, rows of B.
        k: usize,
        /// Columns of B.
        n: usize,
        /// `f64` instead of `f32`.
        double: bool,
    },
}

impl Factors {
    /// Reads the positional arguments: `A B`, two files, or `M K N`, three sizes.
    ///
    /// ```
    /// use warpwise_lab::applications::matmul::Factors;
    ///
    /// let sizes = Factors::parse(&["4".into(), "2^3".into(), "5".into()], false)?;
    /// assert_eq!(sizes, Factors::Sizes { m: 4, k: 8, n: 5, double: false });
    /// assert!(Factors::parse(&["a.npy".into()], false).is_err());
    /// # Ok::<(), warpwise_lab::applications::AppError>(())
    /// ```
    pub fn parse(arguments: &[String], double: bool) -> Result<Self, AppError> {
        let size = |flag, text: &str| {
            let n = crate::kernels::run::parse_count(text).map_err(|problem| AppError::flag(flag, problem))?;
            usize::try_from(n).map_err(|_| AppError::flag(flag, format!("{n} is more than this machine can address")))
        };
        match arguments {
            [a, b] => Ok(Self::Files(a.into(), b.into())),
            [m, k, n] => Ok(Self::Sizes { m: size("M", m)?, k: size("K", k)?, n: size("N", n)?, double }),
            _ => Err(AppError::flag("matmul", "give two files, A B, or three sizes, M K N")),
        }
    }

    /// Both matrices, of one floating-point type, and of shapes that can be multiplied.
    pub(super) fn load(&self) -> Result<(Array, Array), AppError> {
        match self {
            Self::Files(a, b) => load_files(a, b),
            &Self::Sizes { m, k, n, double } => {
                let bytes = if double { 8 } else { 4 };
                // C and the space to compute it in, too.
                let cells = [(m, k), (k, n), (m, n), (m, n)].map(|(x, y)| x.saturating_mul(y));
                memory::check(&[cells.iter().fold(0, |sum: usize, &c| sum.saturating_add(c)), bytes])?;
                Ok((made_up(m, k, 3, double), made_up(k, n, 2, double)))
            }
        }
    }
}

/// A matrix of whole numbers below `values`, the same every time.
fn made_up(rows: usize, columns: usize, values: u8, double: bool) -> Array {
    // Multiplying by this (2^64 over the golden ratio) scatters neighbours; the upper bits are scattered best.
    let scatter = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
    #[allow(clippy::cast_possible_truncation, reason = "eight bits are left")]
    let cells = (0..rows * columns).map(|i| scatter(i) as u8 % values);
    let numbers = match double {
        true => Numbers::F64(cells.map(f64::from).collect()),
        false => Numbers::F32(cells.map(f32::from).collect()),
    };
    Array { shape: vec![rows, columns], numbers }
}

fn load_files(a_path: &Path, b_path: &Path) -> Result<(Array, Array), AppError> {
    let (a, b) = (matrix(a_path)?, matrix(b_path)?);
    if a.shape[1] != b.shape[0] {
        let problem = format!(
            "a matrix of {} times one of {} in {} has no meaning: the columns of A must be as many as the rows of B",
            a.shape_text(),
            b.shape_text(),
            b_path.display()
        );
        return Err(FileError::Content { path: a_path.to_owned(), problem }.into());
    }
    memory::check(&[a.shape[0], b.shape[1], 8])?;
    match (a.numbers, b.numbers) {
        // f32 if both are: anything else is exact in f64.
        (x @ Numbers::F32(_), y @ Numbers::F32(_)) => {
            Ok((Array { shape: a.shape, numbers: x }, Array { shape: b.shape, numbers: y }))
        }
        (x, y) => Ok((
            Array { shape: a.shape, numbers: wide(x, a_path)? },
            Array { shape: b.shape, numbers: wide(y, b_path)? },
        )),
    }
}

fn matrix(path: &Path) -> Result<Array, AppError> {
    let array = read_array(path)?;
    if array.shape.len() == 2 {
        return Ok(array);
    }
    let problem = format!("this is not a matrix: it has {} dimensions, give one with 2", array.shape.len());
    Err(FileError::Content { path: path.to_owned(), problem }.into())
}

/// The numbers as `f64`; integers that it cannot hold are refused, not rounded.
fn wide(numbers: Numbers, path: &Path) -> Result<Numbers, AppError> {
    fn exact<T: Number>(xs: &[T], path: &Path) -> Result<Numbers, AppError> {
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        let values: Vec<f64> = xs.iter().map(|x| x.to_f64()).collect();
        if T::IS_FLOAT || values.iter().all(|v| v.abs() <= LARGEST) {
            return Ok(Numbers::F64(values));
        }
        let problem = "it has integers beyond 2^53, which f64 cannot hold: save it as f64".to_owned();
        Err(FileError::Content { path: path.to_owned(), problem }.into())
    }
    crate::files::with_numbers!(&numbers, xs => exact(xs, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_matrices() {
        let (a, b) = Factors::Sizes { m: 2, k: 300, n: 2, double: false }.load().unwrap();
        let values = |array: &Array| match &array.numbers {
            Numbers::F32(xs) => xs.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!((a.shape.as_slice(), b.shape.as_slice()), (&[2, 300][..], &[300, 2][..]));
        for value in [0.0, 1.0, 2.0] {
            assert!(values(&a).contains(&value));
            assert_eq!(values(&b).contains(&value), value < 2.0);
        }
        let error = Factors::Sizes { m: 1 << 40, k: 1 << 40, n: 1, double: true }.load().unwrap_err();
        assert!(error.to_string().contains("use a smaller size"), "{error}");
        let error = Factors::Sizes { m: 1 << 40, k: 0, n: 1 << 40, double: true }.load().unwrap_err();
        assert!(error.to_string().contains("use a smaller size"), "{error}");
    }

    #[test]
    fn integers_are_exact_or_refused() {
        let path = Path::new("a.npy");
        assert_eq!(wide(Numbers::I32(vec![-1]), path).unwrap(), Numbers::F64(vec![-1.0]));
        assert!(wide(Numbers::U64(vec![u64::MAX]), path).unwrap_err().to_string().contains("2^53"));
    }
}
