//! The second run of a program, on a GPU, and what it did that the first did not.

use super::comparison::{self, Comparison};
use super::environment::Environment;
use super::libraries::Libraries;
use super::real_driver::RealDriver;
use super::start::{self, Ending};
use super::{ProgramError, cache};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use warpwise_trace::{Finding, HostKind, Witness};

/// A run whose copies back to the host are kept.
pub(super) struct Witnessed {
    /// What the witness is told.
    pub(super) file: PathBuf,
    folder: PathBuf,
}

impl Witnessed {
    /// A run on a driver, with a folder of its own in that of both.
    pub(super) fn new(run: &Path, name: &str, driver: PathBuf) -> Result<Self, ProgramError> {
        let folder = run.join(name);
        cache::make(&folder)?;
        let file = folder.join("witness.json");
        let witness = Witness { driver, folder: folder.clone() };
        let text = serde_json::to_string(&witness).expect("a witness has only paths");
        std::fs::write(&file, text).map_err(|problem| ProgramError::Folder { path: file.clone(), problem })?;
        Ok(Self { file, folder })
    }
}

/// The run on the emulator: what was started, what is kept, and how it ended.
pub(super) struct First<'r> {
    pub(super) command: &'r Command,
    pub(super) witnessed: &'r Witnessed,
    pub(super) ended: Ending,
}

/// Runs a program again, on a GPU, with nothing to read and its output kept from view. `folders` are those of the
/// compiler's runtime.
pub(super) fn again(
    first: &First,
    real: &RealDriver,
    libraries: &Libraries,
    folders: &[PathBuf],
) -> Result<(Comparison, Vec<Finding>), ProgramError> {
    let run = first.witnessed.folder.parent().unwrap_or(Path::new("."));
    let second = Witnessed::new(run, "gpu", real.path.clone())?;
    let before = |name: &str| std::env::var_os(name);
    let ours = [libraries.folder.clone()];
    let folders = if real.is_ours() { &ours[..] } else { folders };
    let mut command = Command::new(first.command.get_program());
    command.args(first.command.get_args()).stdin(Stdio::null()).stdout(Stdio::null());
    let errors = second.folder.join("errors.txt");
    command.stderr(File::create(&errors).map_or_else(|_| Stdio::null(), Stdio::from));
    Environment::real(folders, before).witnessed(libraries, &second.file, before).apply(&mut command);
    let (ended, _) = start::run(&mut command)?;
    let (comparison, mut findings) =
        comparison::compare(&first.witnessed.folder, &second.folder).map_err(ProgramError::Trace)?;
    findings.extend(other_end(first.ended, ended, &std::fs::read_to_string(errors).unwrap_or_default()));
    Ok((comparison, findings))
}

/// A finding, if the second run ended in another way.
fn other_end(first: Ending, second: Ending, errors: &str) -> Option<Finding> {
    if first == second {
        return None;
    }
    let words = |ended: Ending| ended.words().unwrap_or_else(|| "the program ended with status 0".to_owned());
    let mut message = format!("{} on the emulator, and on the GPU {}", words(first), words(second));
    if let Some(last) = errors.lines().rev().find(|line| !line.trim().is_empty()) {
        message += &format!(", where it said last: {}", last.trim());
    }
    Some(Finding::of_host(HostKind::GpuDifference, message, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_differs_is_told_with_the_last_words() {
        assert_eq!(other_end(Ending::Exit(0), Ending::Exit(0), "x"), None);
        let told = other_end(Ending::Exit(0), Ending::Exit(3), "one\nno memory\n\n").expect("it differs").message;
        let expected = "the program ended with status 0 on the emulator, and on the GPU the program ended with status 3, \
                        where it said last: no memory";
        assert_eq!(told, expected);
    }
}
