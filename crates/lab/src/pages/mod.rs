//! Pages for a browser.
//!
//! - [`tour`] shows everything, and writes one page about it.
//! - [`plot`] draws charts, as SVG.

pub mod plot;
pub mod tour;

mod embedded;
pub(crate) mod report;
