//! Filters.

use crate::Error;

/// The most rows and columns of a filter.
///
/// ```
/// use warpwise::convolve2d::{Filter, MAX_SIDE};
///
/// assert!(Filter::new(&[1.0; MAX_SIDE], 1, MAX_SIDE).is_ok());
/// assert!(Filter::new(&[1.0; MAX_SIDE + 2], 1, MAX_SIDE + 2).is_err());
/// ```
pub const MAX_SIDE: usize = 31;

/// The weights of a convolution, row after row; the numbers of rows and columns are odd.
///
/// The default is 5 x 5: rings of weight 1, 2, 3 from outside in, divided by their sum, 35.
///
/// ```
/// use warpwise::convolve2d::Filter;
///
/// let smooth = Filter::default();
/// assert_eq!(smooth.weights()[12], 3.0 / 35.0);
/// let edges = Filter::new(&[-1.0, 0.0, 1.0], 1, 3)?;
/// assert_eq!(edges.columns(), 3);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    weights: Vec<f32>,
    rows: usize,
    columns: usize,
}

impl Filter {
    /// A filter with the given weights.
    ///
    /// # Errors
    ///
    /// [`Error::Odd`] for an even side or one longer than [`MAX_SIDE`], [`Error::Length`] when there are not
    /// `rows * columns` weights.
    ///
    /// ```
    /// use warpwise::convolve2d::Filter;
    ///
    /// assert!(Filter::new(&[0.25, 0.5, 0.25], 3, 1).is_ok());
    /// assert!(Filter::new(&[0.5, 0.5], 2, 1).is_err());
    /// ```
    pub fn new(weights: &[f32], rows: usize, columns: usize) -> Result<Self, Error> {
        Error::check_odd("filter height", rows, MAX_SIDE)?;
        Error::check_odd("filter width", columns, MAX_SIDE)?;
        Error::check_length("the filter", weights.len(), rows * columns)?;
        Ok(Self { weights: weights.to_vec(), rows, columns })
    }

    /// The number of rows.
    ///
    /// ```
    /// use warpwise::convolve2d::Filter;
    ///
    /// assert_eq!(Filter::new(&[0.25, 0.5, 0.25], 3, 1)?.rows(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    ///
    /// ```
    /// use warpwise::convolve2d::Filter;
    ///
    /// assert_eq!(Filter::new(&[0.25, 0.5, 0.25], 3, 1)?.columns(), 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All weights, row after row.
    ///
    /// ```
    /// use warpwise::convolve2d::Filter;
    ///
    /// assert_eq!(Filter::new(&[0.25, 0.5, 0.25], 3, 1)?.weights(), [0.25, 0.5, 0.25]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

impl Default for Filter {
    fn default() -> Self {
        let ring = |i: usize| (i + 1).min(5 - i);
        let weights = (0..25).map(|k| ring(k / 5).min(ring(k % 5)) as f32 / 35.0).collect();
        Self { weights, rows: 5, columns: 5 }
    }
}
