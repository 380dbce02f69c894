//! Pages: what is looked at in a browser.
//!
//! - [`tour`] shows everything, and [`report`] makes one page of what it saw.
//! - [`plot`] draws charts, as SVG.

pub mod plot;
pub mod report;
pub mod tour;
