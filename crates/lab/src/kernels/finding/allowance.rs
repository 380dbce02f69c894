//! Findings that do not count: a comment in the source allows them, or a launch file expects them.
//!
//! The comment is `// warpwise: allow race`, on the line of the finding, or alone on the line above. Several kinds are
//! separated by commas; a reason follows a dash or a colon.

use super::kinds::kinds;
use crate::kernels::source::{Line, SourceMap};
use serde::Serialize;

/// Why a finding does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suppression {
    /// What says so.
    pub by: SuppressedBy,
    /// Its line: of the comment, or of the launch file.
    pub line: u32,
    /// The reason that it gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What may say that a finding does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SuppressedBy {
    /// A comment in the source.
    Comment,
    /// A launch file that expects it.
    LaunchFile,
}

/// What a comment says.
#[derive(Debug, PartialEq, Eq)]
struct Allowance<'a> {
    kinds: Vec<&'a str>,
    reason: Option<&'a str>,
}

impl<'a> Allowance<'a> {
    /// The allowance in a line of source.
    fn in_line(line: &'a str) -> Option<Self> {
        let (before, after) = line.split_once("warpwise:")?;
        let listed = after.trim_start().strip_prefix("allow")?;
        if !before.trim_end().ends_with("//") || !listed.starts_with([' ', '\t']) {
            return None;
        }
        let (names, reason) = match listed.split_once(['-', '–', '—', ':']) {
            Some((names, reason)) => (names, reason.trim().trim_start_matches('-').trim_start()),
            None => (listed, ""),
        };
        let kinds = names.split(',').map(str::trim).collect();
        Some(Self { kinds, reason: Some(reason).filter(|reason| !reason.is_empty()) })
    }
}

/// The comment that allows findings of a kind at a line; `text` knows the texts of lines.
pub(crate) fn at<'t>(text: impl Fn(&Line) -> Option<&'t str>, line: &Line, kind: &str) -> Option<Suppression> {
    let above = Line { number: line.number.saturating_sub(1), ..line.clone() };
    let own = text(line).map(|text| (line.number, text));
    // A comment after code is about that code, not about the line below it.
    let alone = text(&above).filter(|text| text.trim_start().starts_with("//"));
    [own, alone.map(|text| (above.number, text))].into_iter().flatten().find_map(|(line, text)| {
        let allowance = Allowance::in_line(text).filter(|allowance| allowance.kinds.contains(&kind))?;
        Some(Suppression { by: SuppressedBy::Comment, line, reason: allowance.reason.map(str::to_owned) })
    })
}

/// What is wrong with the comments of these sources: kinds that do not exist, which therefore allow nothing.
pub(crate) fn mistakes(sources: &SourceMap) -> Vec<String> {
    let ptx = (&sources.ptx_name, &sources.ptx);
    let files = sources.files.iter().map(|(name, text)| (name, text)).chain([ptx]);
    let marked = files.filter(|(_, text)| text.contains("warpwise:"));
    let mut all = Vec::new();
    for (file, text) in marked {
        for (line, allowance) in text.lines().enumerate().filter_map(|(i, l)| Some((i + 1, Allowance::in_line(l)?))) {
            let known = kinds();
            for unknown in allowance.kinds.into_iter().filter(|kind| !known.contains(kind)) {
                let known = known.join(", ");
                all.push(format!(
                    "{file}:{line}: `{unknown}` is not a kind of finding that can be allowed: use {known}"
                ));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use warpwise_simt::Program;

    fn sources(text: &str) -> SourceMap {
        let ptx = ".version 7.0\n.target sm_70\n.address_size 64\n".to_owned();
        SourceMap {
            program: Arc::new(Program::load(&ptx).expect("an empty module")),
            ptx,
            ptx_name: "k.ptx".to_owned(),
            files: vec![("k.cu".to_owned(), text.to_owned())],
        }
    }

    fn allowed(text: &str, number: u32, kind: &str) -> Option<(u32, Option<String>)> {
        let (line, sources) = (Line { file: "k.cu".to_owned(), number }, sources(text));
        at(|line| sources.text(line), &line, kind).map(|found| (found.line, found.reason))
    }

    #[test]
    fn on_the_line_or_alone_above_it() {
        let text = "a(); // warpwise: allow race\nb();\n  // warpwise: allow race, trap: all write 1\nc();\n\nd();\n";
        assert_eq!(allowed(text, 1, "race"), Some((1, None)));
        assert_eq!(allowed(text, 1, "trap"), None, "another kind");
        assert_eq!(allowed(text, 2, "race"), None, "the comment is about the line that it follows");
        assert_eq!(allowed(text, 4, "trap"), Some((3, Some("all write 1".to_owned()))));
        assert_eq!(allowed(text, 6, "race"), None, "two lines below");
        assert_eq!(allowed("//warpwise:allow race - why not", 1, "race"), Some((1, Some("why not".to_owned()))));
    }

    #[test]
    fn other_comments_allow_nothing() {
        for text in [
            "// warpwise: allowed race",
            "// warpwise: race",
            "warpwise: allow race",
            "// allow race",
            "// warpwise: allow",
            "// warpwise: allow races",
        ] {
            assert_eq!(allowed(text, 1, "race"), None, "{text}");
        }
    }

    #[test]
    fn unknown_kinds_are_named_with_the_known_ones() {
        let told = mistakes(&sources("x();\n// warpwise: allow rase, trap - typing\n// warpwise: allow race\n"));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("k.cu:2: `rase` is not a kind") && told[0].contains("use race, "), "{told:?}");
        let told = mistakes(&sources("// warpwise: allow race trap\n"));
        assert!(told[0].contains("`race trap`"), "{told:?}");
    }
}
