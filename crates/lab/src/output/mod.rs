//! What results look like on their way out.

mod style;
pub(crate) mod table;

pub use style::Style;
pub(crate) use style::clean;
