//! Sources of kernels.

use super::packed::Packed;

/// A CUDA C++ file that kernels are compiled from.
///
/// ```
/// let vecadd = warpwise::kernel_module("vecadd").expect("it is there");
/// let source: &warpwise::Source = vecadd.sources()[0];
/// assert!(source.text().contains("__global__"));
/// ```
#[derive(Debug)]
pub struct Source {
    pub(super) path: &'static str,
    pub(super) text: Packed,
}

impl Source {
    /// Its path from the root of the repository, as in the PTX's line information.
    ///
    /// ```
    /// let vecadd = warpwise::kernel_module("vecadd").expect("it is there");
    /// assert_eq!(vecadd.sources()[0].path(), "crates/warpwise/src/vecadd/kernels.cu");
    /// ```
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// Its text.
    ///
    /// ```
    /// let hello = warpwise::kernel_module("hello").expect("it is there");
    /// assert!(hello.sources()[0].text().contains("printf"));
    /// ```
    pub fn text(&self) -> &'static str {
        self.text.text()
    }
}
