//! Where the PTX of a module comes from.

mod ptx_text;

pub use ptx_text::PtxText;

use std::borrow::Cow;

/// The PTX of a module, provided kernel by kernel, so that a device reads and compiles only what is launched.
///
/// All texts name variables and files alike, and their lines have the same numbers as in [`ModuleSource::whole`].
pub trait ModuleSource: std::fmt::Debug + Send + Sync {
    /// A kernel, the functions that it can call, and the declarations of the module: PTX that can be read by itself.
    /// `None` if there is no such kernel.
    fn text_for(&self, entry: &str) -> Option<Cow<'_, str>>;

    /// What all kernels share: version and target, variables, files, and the functions that variables point to.
    fn declarations(&self) -> Cow<'_, str>;

    /// Everything.
    fn whole(&self) -> Cow<'_, str>;

    /// The text of a file that the module was compiled from, by the path in its line information, if it is known.
    fn file(&self, _path: &str) -> Option<Cow<'_, str>> {
        None
    }
}
