//! Places in a program and its grid.

use warpwise_ptx::ast::SourceLine;

/// Where in the program and the grid something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub function: Box<str>,
    /// One-based line of the PTX text.
    pub ptx_line: u32,
    /// The instruction as written.
    pub instruction: Box<str>,
    /// The line of the source it was compiled from, where the module says.
    pub source: Option<SourceLine>,
    /// The line of a compiler's header that is inlined there, if the instruction is of one.
    pub inner: Option<SourceLine>,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// `threadIdx` of the first lane concerned.
    pub thread: [u32; 3],
}
