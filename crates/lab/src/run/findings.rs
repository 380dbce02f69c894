//! Faults of the emulator as findings with their source lines.

use super::KernelFile;
use super::report::Finding;
use std::path::Path;
use warpwise_simt::Fault;

/// A fault as a finding.
pub(super) fn from_fault(fault: &Fault, file: &KernelFile, path: &Path) -> Finding {
    // Reports name the kind before the message.
    let prefix = format!("{}: ", fault.kind.name());
    let mut finding = Finding {
        kind: fault.kind.name(),
        severity: "error",
        line: None,
        message: fault.message.strip_prefix(&prefix).unwrap_or(&fault.message).to_owned(),
        count: 1,
        place: None,
        excerpt: None,
        instruction: None,
    };
    let Some(place) = &fault.place else { return finding };
    if !finding.message.contains("thread (") {
        let shape = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
        let (thread, block) = (shape(place.thread), shape(place.block));
        finding.message = format!("{}, by thread {thread} of block {block}", finding.message.trim_end_matches('.'));
    }
    let line_of = |text: &str, line: u32| text.lines().nth((line as usize).checked_sub(1)?).map(str::to_owned);
    match place.source {
        Some(source) => {
            let source_path = file.program.file(source.file).unwrap_or("");
            let known = file.compiled.as_ref().and_then(|_| source_named(file, source_path));
            let shown = known.map_or(source_path, |(name, _)| name.as_str());
            finding.line = Some(source.line);
            finding.place = Some(format!("{shown}:{} (PTX line {})", source.line, place.ptx_line));
            finding.excerpt = known.and_then(|(_, text)| line_of(text, source.line));
            if !shown.is_empty() && shown != path.display().to_string() {
                finding.message = format!("{} (in {shown})", finding.message.trim_end_matches('.'));
            }
        }
        None => {
            finding.line = Some(place.ptx_line);
            let shown = if file.compiled.is_some() { "the compiled PTX".into() } else { path.display().to_string() };
            finding.place = Some(format!("{shown}:{}", place.ptx_line));
        }
    }
    finding.instruction = Some(place.instruction.to_string());
    finding
}

/// The source that a path of the module's line information means: compilers write it whole.
fn source_named<'f>(file: &'f KernelFile, path: &str) -> Option<&'f (String, String)> {
    let wanted = Path::new(path);
    let exact = |name: &str| Path::new(name) == wanted;
    let same = |name: &str| matches!((Path::new(name).canonicalize(), wanted.canonicalize()), (Ok(a), Ok(b)) if a == b);
    let ending = |name: &str| wanted.ends_with(name.trim_start_matches("./").trim_start_matches("../"));
    let find = |fits: &dyn Fn(&str) -> bool| file.sources.iter().find(|(name, _)| fits(name));
    find(&exact).or_else(|| find(&same)).or_else(|| find(&ending))
}
