//! Pages: what is looked at in a browser.
//!
//! - [`tour`] shows everything, and one page has what it saw.
//! - [`plot`] draws charts, as SVG.

pub mod plot;
pub mod tour;

pub(crate) mod report;
