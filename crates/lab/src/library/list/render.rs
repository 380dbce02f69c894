//! The catalogue as text.

use super::Catalogue;
use std::fmt::Write;

/// Every primitive with its types, and its rungs with their ideas.
pub fn render(catalogue: &Catalogue) -> String {
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
