//! Which kernel of a file is meant.

use super::error::RunError;
use super::program::KernelFile;
use super::signature::Signature;
use std::fmt::Write;

/// Finds the kernel that `--entry` names, or the only one if there is no `--entry`.
pub(super) fn find(file: &KernelFile, entry: Option<&str>) -> Result<Signature, RunError> {
    let kernels: Vec<Signature> = file.sources.program.kernels().iter().map(|k| Signature::of(k, file)).collect();
    let Some(entry) = entry.map(str::trim) else {
        return match kernels.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(error("the file has no kernel that can run".to_owned(), &[], file)),
            _ => {
                let problem = format!("the file has {} kernels: choose one with --entry", kernels.len());
                Err(error(problem, &kernels, file))
            }
        };
    };
    let instance = file.compiled.as_ref().and_then(|c| c.instance.as_ref());
    if let Some(kernel) = kernels.iter().find(|k| Some(&k.symbol) == instance || k.symbol == entry) {
        return Ok(kernel.clone());
    }
    // From the most to the least exact reading: the first that fits exactly one kernel is meant.
    type Reading = fn(&Signature) -> Option<String>;
    let readings: [Reading; 3] = [
        |k| k.demangled.as_ref().map(ToString::to_string),
        |k| Some(k.name.clone()),
        |k| k.demangled.as_ref().map(|d| d.base.clone()),
    ];
    let wanted = squeeze(entry);
    for reading in readings {
        let fitting: Vec<Signature> =
            kernels.iter().filter(|k| reading(k).is_some_and(|r| squeeze(&r) == wanted)).cloned().collect();
        match fitting.as_slice() {
            [] => {}
            [only] => return Ok(only.clone()),
            _ => return Err(error(format!("--entry {entry} fits {} kernels", fitting.len()), &fitting, file)),
        }
    }
    let template = file.compiled.iter().flat_map(|c| &c.kernels).find(|k| k.is_template && squeeze(&k.name) == wanted);
    let problem = match template {
        Some(_) => {
            let launched = file.compiled.iter().flat_map(|c| &c.launched_instances);
            let mut launched = launched.filter(|l| squeeze(l).split('<').next().is_some_and(|n| n.ends_with(&wanted)));
            let example = launched.next().cloned().unwrap_or_else(|| format!("{entry}<float>"));
            format!("`{entry}` is a template: ask for an instance, such as --entry '{example}'")
        }
        None => format!("there is no kernel `{entry}`"),
    };
    Err(error(problem, &kernels, file))
}

fn error(problem: String, kernels: &[Signature], file: &KernelFile) -> RunError {
    let mut list = String::new();
    for kernel in kernels {
        let _ = write!(list, "\n  {kernel}");
        let overloaded = kernels.iter().filter(|k| k.name == kernel.name).count() > 1;
        if overloaded {
            let _ = write!(list, "  (--entry {})", kernel.symbol);
        }
    }
    for template in file.compiled.iter().flat_map(|c| &c.kernels).filter(|k| k.is_template) {
        let _ = write!(list, "\n  {}", template.declaration);
    }
    let list = if list.is_empty() { String::new() } else { format!(". The kernels are:{list}") };
    RunError::Entry { problem, list }
}

/// The name without spaces, which mean nothing in it.
fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
