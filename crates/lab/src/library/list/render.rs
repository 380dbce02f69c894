//! The catalogue as text.

use super::Catalogue;
use crate::output::{Align, Report, Style, Table, View};
use std::fmt::Write;

impl Report for Catalogue {
    const VIEWS: &'static [View<Self>] = &[View::Records(rungs)];

    fn text(&self, _: Style) -> String {
        render(self)
    }
}

/// One row per rung.
fn rungs(catalogue: &Catalogue) -> Table {
    let headings = ["primitive", "types", "variant", "device", "idea"].map(|name| (name, Align::Left));
    let rows = catalogue.primitives.iter().flat_map(|primitive| {
        let types = primitive.types.join(" ");
        let row = move |rung: &super::Rung| {
            [primitive.name, &types, rung.name, rung.device, rung.idea].map(str::to_owned).to_vec()
        };
        primitive.variants.iter().map(row)
    });
    Table::new("list", &headings, rows)
}

/// Every primitive with its types, and its rungs with their ideas.
fn render(catalogue: &Catalogue) -> String {
    let rungs = || catalogue.primitives.iter().flat_map(|p| &p.variants);
    let width = rungs().map(|v| v.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (i, primitive) in catalogue.primitives.iter().enumerate() {
        let gap = if i == 0 { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{}  ({})", primitive.name, primitive.types.join(" "));
        for rung in &primitive.variants {
            let _ = writeln!(out, "  {:<width$}  {}", rung.name, rung.idea);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;

    #[test]
    fn every_rung_is_there() {
        let text = render(&catalogue());
        for part in ["reduce  (i32 u32 i64 u64 f32 f64)", "  cpu-seq", "gpu-9-single-pass", "16-byte loads"] {
            assert!(text.contains(part), "`{part}` in:\n{text}");
        }
    }
}
