//! Jobs that can be done in parts.

use super::Argument;

/// A job on rows of host data: each row of the output is computed from the same row of every input and a few rows
/// around it.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    /// Inputs, with the bytes of a row.
    pub inputs: Vec<(&'a [u8], usize)>,
    /// The output, with the bytes of a row.
    pub output: (&'a mut [u8], usize),
    /// Number of rows in each.
    pub count: usize,
    /// Rows needed before and after each row.
    pub halo: usize,
}

/// What a part's kernels work on: rows of the job, with a halo if it has one.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    /// Where the part's first row is, in each input.
    pub inputs: &'a [Argument],
    /// Where results go; those of halo rows are not used.
    pub output: Argument,
    /// Number of rows.
    pub rows: usize,
}
