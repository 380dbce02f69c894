//! The source of each rung: from the comment that names it to the end of its kernel.

use crate::pages::plot::escape;
use crate::pages::tour::Ladder;
use std::fmt::Write;

/// Lines of a rung's source that are shown.
const MOST: usize = 90;

/// The sources of the rungs of a ladder, each folded away; nothing if there are none.
pub(super) fn list(ladder: &Ladder) -> String {
    let files: Vec<&str> = warpwise::kernels(&ladder.primitive)
        .flat_map(|module| module.sources().iter().map(|source| source.text()))
        .collect();
    let mut items = String::new();
    for rung in &ladder.rungs {
        let Some(text) = files.iter().find_map(|file| of_rung(file, &rung.name)) else { continue };
        let name = escape(&rung.name);
        let _ = writeln!(
            items,
            "<details data-rung=\"{name}\"><summary>{name}</summary>\n<div class=\"wide\" role=\"region\" \
             aria-label=\"Source of {} {name}\" tabindex=\"0\"><pre><code>{}</code></pre></div></details>",
            escape(&ladder.primitive),
            escape(&text)
        );
    }
    if items.is_empty() {
        items
    } else {
        format!("<h3>Source of the rungs</h3>\n<div class=\"sources\">\n{items}</div>\n")
    }
}

/// From the first comment that names a rung to the end of what follows it.
fn of_rung(file: &str, name: &str) -> Option<String> {
    let names = |line: &&str| {
        let rest = line.strip_prefix("// Rung ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with([':', ',', ' ']))
    };
    let lines: Vec<&str> = file.lines().collect();
    let begin = lines.iter().position(names)?;
    let code = begin + lines[begin..].iter().position(|line| !line.starts_with("//"))?;
    // A function ends with a brace at the start of a line.
    let end = code + lines[code..].iter().position(|line| line.starts_with('}'))? + 1;
    let mut text = lines[begin..end.min(begin + MOST)].join("\n");
    if end > begin + MOST {
        text.push_str("\n...");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::tour::Rung;

    #[test]
    fn a_rung_is_cut_out_of_its_file() {
        let file = "// Rung gpu-1-a: one.\n// More.\n__global__ void a() {\n  b();\n}\n\n// Rung gpu-10-x: ten.\nvoid x() {\n}\n";
        assert_eq!(
            of_rung(file, "gpu-1-a").unwrap(),
            "// Rung gpu-1-a: one.\n// More.\n__global__ void a() {\n  b();\n}"
        );
        assert_eq!(of_rung(file, "gpu-1"), None);
    }

    #[test]
    fn rungs_of_the_library_have_their_source() {
        let names = ["cpu-seq", "gpu-1-interleaved", "gpu-7-multi-add"];
        let rungs = names.map(|name| Rung { name: name.into(), idea: String::new() }).into();
        let html = list(&Ladder { primitive: "reduce".into(), rungs });
        assert_eq!(html.matches("<details").count(), 2);
        assert!(html.contains("reduce_1_interleaved(S s, u64 n)") && html.contains("&lt;class S&gt;"), "{html}");
        assert!(list(&Ladder { primitive: "nothing".into(), rungs: Vec::new() }).is_empty());
    }
}
