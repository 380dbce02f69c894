//! Text for people.

use super::{Exporter, Form};

pub(super) const EXPORTER: Exporter =
    Exporter { name: "text", about: "For people", forms: &[Form::Text(std::convert::identity)] };
