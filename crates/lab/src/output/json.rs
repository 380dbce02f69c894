//! JSON: one object on one line.

use super::{Exporter, Form};

pub(super) const EXPORTER: Exporter =
    Exporter { name: "json", about: "One object", forms: &[Form::Json(|json| json + "\n")] };
