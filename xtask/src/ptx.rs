//! Prepares the compiler's PTX for checking in: small, the same on every machine, loadable by old drivers, and with
//! line information that names the lines of kernels.

use anyhow::{Context, Result, ensure};
use std::collections::HashMap;
use std::fmt::Write;

/// A place in a source file: file number, line, column.
type Place = (u32, u32, u32);

/// The text to check in.
///
/// - Instructions of inlined helpers from headers are given the line of the kernel that called them, and the
///   notes on inlining (which need PTX ISA 7.2, and name helpers by mangled strings at the end of the file) are
///   removed. `sources` are the files that kernels may be written in, the main one first.
/// - File names are relative to the root of the repository.
/// - The PTX ISA is declared as `isa`.
pub(crate) fn tidy(text: &str, sources: &[String], package: &str, isa: &str) -> Result<String> {
    let source = sources.first().context("there is a source file")?;
    let own = own_files(text, sources)?;
    let numbers: HashMap<u32, u32> = own.iter().map(|&(number, _)| number).zip(1..).collect();
    let (compiler, version) = package.split_once("==").context("the package is pinned")?;
    let mut out =
        format!("// Compiled from {source} by `cargo xtask kernels`\n// ({compiler} {version}). Do not edit.\n\n");
    let mut outer: HashMap<Place, Place> = HashMap::new();
    let mut shown: Option<Place> = None;
    let mut pending: Option<Place> = None;
    let mut in_section = false;
    for line in text.lines() {
        let code = line.trim();
        if in_section || code.starts_with(".section") {
            in_section = code != "}";
            continue;
        }
        if code.starts_with("//") || code.starts_with(".file\t") || (code.is_empty() && out.ends_with("\n\n")) {
            continue;
        }
        if let Some(rest) = code.strip_prefix(".loc\t") {
            let (place, caller) = location(rest).with_context(|| format!("cannot read `{code}`"))?;
            if let Some(caller) = caller {
                outer.insert(place, caller);
            }
            // The compiler uses line 0 for code that belongs to no line: it stays with the line before it.
            let place = own_place(place, &numbers, &outer);
            pending = numbers.get(&place.0).map(|&file| (file, place.1, place.2)).filter(|p| p.1 > 0).or(pending);
            continue;
        }
        if code.starts_with(".version") {
            let _ = writeln!(out, ".version {isa}");
            continue;
        }
        if code == "}" {
            (shown, pending) = (None, None);
        }
        // Only the last of several consecutive locations counts, and only if it is a new one.
        if let Some(place) = pending.take_if(|_| is_instruction(code))
            && shown.replace(place) != Some(place)
        {
            let _ = writeln!(out, "\t.loc\t{} {} {}", place.0, place.1, place.2);
        }
        // A label can be reached from elsewhere, where another location applied.
        if is_label(code) {
            pending = pending.or(shown);
            shown = None;
        }
        out.push_str(line);
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    for (file, (_, source)) in (1..).zip(own) {
        let _ = writeln!(out, "\t.file\t{file} \"{source}\"");
    }
    Ok(out)
}

/// The names of the kernels in a PTX text.
pub(crate) fn kernels(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|l| l.trim().strip_prefix(".visible .entry "))
        .map(|l| l.trim_end_matches(['(', ')', ' ']))
        .collect()
}

/// The sources that the compiler names in its `.file` directives, with the numbers that it gave them, the main one first.
fn own_files<'a>(text: &str, sources: &'a [String]) -> Result<Vec<(u32, &'a String)>> {
    let files: Vec<&str> = text.lines().filter_map(|l| l.trim().strip_prefix(".file\t")).collect();
    let mut own = Vec::new();
    for source in sources {
        // Headers are named as they are included, after the folder that the compiler ran in.
        let is = |name: &str| name.ends_with(&**source) || !name.contains("..") && base(name) == base(source);
        if let Some((number, _)) =
            files.iter().filter_map(|file| file.split_once(' ')).find(|(_, name)| is(name.trim_matches('"')))
        {
            own.push((number.parse()?, source));
        }
    }
    ensure!(own.first().is_some_and(|(_, first)| *first == &sources[0]), "the PTX names no source file");
    Ok(own)
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Reads `1 20 5, function_name $L__info_string0, inlined_at 1 30 9`.
fn location(rest: &str) -> Option<(Place, Option<Place>)> {
    let place = |text: &str| {
        let mut numbers = text.split_whitespace().map_while(|n| n.parse().ok());
        Some((numbers.next()?, numbers.next()?, numbers.next()?))
    };
    let mut parts = rest.split(',');
    let own = place(parts.next()?)?;
    let caller = parts.find_map(|p| p.trim().strip_prefix("inlined_at"));
    Some((own, caller.and_then(place)))
}

/// The place in the kernel sources that a place in another header was inlined at. The compiler lists callers first.
fn own_place(mut place: Place, own: &HashMap<u32, u32>, outer: &HashMap<Place, Place>) -> Place {
    for _ in 0..outer.len() {
        match outer.get(&place) {
            Some(&caller) if !own.contains_key(&place.0) => place = caller,
            _ => break,
        }
    }
    place
}

/// A label, which may be reached from elsewhere.
fn is_label(code: &str) -> bool {
    code.ends_with(':')
}

fn is_instruction(code: &str) -> bool {
    !code.is_empty() && !is_label(code) && !code.starts_with(['{', '}', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//\n// Compiler Build ID: 1\n.version 8.8\n.target sm_70\n\n\n.visible .entry k(\n)\n{\n\
        \t.loc\t2 9 1\n\t.loc\t2 10 5, function_name $L__info_string0, inlined_at 2 9 1\n\
        \t.loc\t1 3 2, function_name $L__info_string1, inlined_at 2 10 5\n\tmov.u32 \t%r1, 1;\n\
        \t.loc\t2 0 5\n\tmov.u32 \t%r2, 1;\n\tret;\n}\n\
        \t.file\t1 \"/home/me/../kernels.cuh\"\n\t.file\t2 \"/home/me/crates/x/kernels.cu\"\n\
        \t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95,0\n\n\t}\n";

    #[test]
    fn ptx_is_tidied() {
        let text = tidy(TEXT, &["crates/x/kernels.cu".into()], "nvrtc==1.2", "6.0").unwrap();
        let expected = "// Compiled from crates/x/kernels.cu by `cargo xtask kernels`\n// (nvrtc 1.2). Do not edit.\n\n\
            .version 6.0\n.target sm_70\n\n.visible .entry k(\n)\n{\n\t.loc\t1 10 5\n\tmov.u32 \t%r1, 1;\n\
            \tmov.u32 \t%r2, 1;\n\tret;\n}\n\t.file\t1 \"crates/x/kernels.cu\"\n";
        assert_eq!(text, expected);
        assert_eq!(kernels(&text), ["k"]);
    }

    #[test]
    fn headers_with_kernels_have_their_own_lines() {
        let text = TEXT.replace("../kernels.cuh", "tiles.cuh");
        let sources = ["crates/x/kernels.cu", "crates/x/tiles.cuh"].map(String::from);
        let text = tidy(&text, &sources, "nvrtc==1.2", "6.0").unwrap();
        for line in ["\t.loc\t2 3 2\n", "\t.file\t1 \"crates/x/kernels.cu\"\n\t.file\t2 \"crates/x/tiles.cuh\"\n"] {
            assert!(text.contains(line), "{line} in {text}");
        }
    }
}
