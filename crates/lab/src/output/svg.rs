//! Charts.

use super::{Exporter, Form};

pub(super) const EXPORTER: Exporter =
    Exporter { name: "svg", about: "A chart", forms: &[Form::Chart(std::convert::identity)] };
