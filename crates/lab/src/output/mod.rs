//! All output: a [`Report`] offers views, an [`Exporter`] turns one of them into a format, and [`EXPORTERS`] lists
//! all formats.
//!
//! A new format is a file here with an `EXPORTER` in it, and its name in the list below.

mod exporter;
pub(crate) mod number;
mod report;
mod style;
mod table;

pub use exporter::{Exporter, NoView};
pub use html::page_of;
pub use report::{Case, Findings, Problem, Report, Suite, View};
pub use style::Style;
pub use table::Table;

pub(crate) use exporter::Form;
pub(crate) use style::clean;
pub(crate) use table::Align;

macro_rules! exporters {
    ($($name:ident,)*) => {
        $(pub(crate) mod $name;)*

        /// Every format, in the order shown by the help.
        pub const EXPORTERS: &[Exporter] = &[$($name::EXPORTER,)*];
    };
}

exporters! {
    text,
    json,
    csv,
    html,
    svg,
    sarif,
    markdown,
    junit,
}
