//! The tests of the workspace: built in one call, then two files of them at a time, because many leave a core idle.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Files that take longest: they begin first, so that none of them is left alone at the end.
const LONGEST: [&str; 4] = ["programs", "silent", "cli", "mpi"];
/// Files that run at a time.
const LANES: usize = 2;
/// The emulator's lane loops run once more as hosts with fewer vector instructions run them.
const LANE_LOOPS: [&str; 2] = ["micro", "kernels"];
const LEVELS: [&str; 2] = ["avx2", "base"];

/// A program of tests.
#[derive(Clone)]
struct Suite {
    /// Its package's folder, where it runs.
    folder: PathBuf,
    /// The name of its file or library.
    name: String,
    program: PathBuf,
    /// The SIMD level to run at, if not the host's.
    level: Option<&'static str>,
}

impl Suite {
    /// From a line that Cargo prints about something that it has built; none if it is not a program of tests.
    fn of(message: &Value) -> Option<Self> {
        let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
        let program = PathBuf::from(message["executable"].as_str().filter(|_| is_test)?);
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
        let name = message["target"]["name"].as_str()?.to_owned();
        Some(Self { folder, name, program, level: None })
    }

    fn title(&self) -> String {
        let folder = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let level = self.level.map(|level| format!(" at SIMD level {level}")).unwrap_or_default();
        format!("{folder}: {}{level}", self.name)
    }

    /// Runs it; whether it passed, and what it said.
    fn run(&self) -> Result<(bool, String)> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.envs(self.level.map(|level| ("WARPWISE_SIMD", level)));
        let out = command.output().with_context(|| format!("cannot start {}", self.program.display()))?;
        let said = [out.stdout, out.stderr].concat();
        Ok((out.status.success(), String::from_utf8_lossy(&said).into_owned()))
    }
}

/// Builds the tests with the words after `cargo`, and runs them, those of the documentation too.
pub(crate) fn run(cargo: &str, words: &str) -> Result<()> {
    let suites = build(cargo, words)?;
    let failed = Mutex::new(Vec::new());
    let next = Mutex::new(in_order(suites));
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                loop {
                    let suite = next.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(suite) = suite else { break };
                    let start = Instant::now();
                    let (passed, said) = suite.run().unwrap_or_else(|problem| (false, format!("{problem:#}")));
                    // In one piece, so that the lanes do not mix.
                    let title = suite.title();
                    eprintln!("--> {title} ({:.1} s)\n{}", start.elapsed().as_secs_f64(), said.trim());
                    if !passed {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(title);
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let documentation = Command::new(cargo).args(words.split(' ')).arg("--doc").status();
    if !documentation.with_context(|| format!("cannot start {cargo}"))?.success() {
        failed.push("documentation".to_owned());
    }
    ensure!(failed.is_empty(), "tests failed: {}", failed.join(", "));
    Ok(())
}

fn build(cargo: &str, words: &str) -> Result<Vec<Suite>> {
    let mut command = Command::new(cargo);
    command.args(words.split(' ')).args(["--no-run", "--message-format", "json-render-diagnostics"]);
    let out = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start {cargo}"))?;
    ensure!(out.status.success(), "the tests cannot be built");
    let lines = String::from_utf8(out.stdout).context("cargo printed what is not text")?;
    let suites: Vec<Suite> = lines.lines().filter_map(|line| Suite::of(&serde_json::from_str(line).ok()?)).collect();
    ensure!(!suites.is_empty(), "cargo named no programs of tests");
    Ok(suites)
}

/// The longest first, and the lane loops at every level.
fn in_order(suites: Vec<Suite>) -> VecDeque<Suite> {
    let lower = suites
        .iter()
        .filter(|suite| LANE_LOOPS.contains(&suite.name.as_str()))
        .flat_map(|suite| LEVELS.map(|level| Suite { level: Some(level), ..suite.clone() }));
    let (first, rest): (Vec<_>, Vec<_>) =
        suites.iter().cloned().chain(lower).partition(|suite| LONGEST.contains(&suite.name.as_str()));
    first.into_iter().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_tests_are_found_and_put_in_order() {
        let artifact = |name: &str, test: bool| {
            serde_json::json!({
                "reason": "compiler-artifact", "manifest_path": "/a/crates/simt/Cargo.toml", "executable": "/a/t",
                "target": {"name": name}, "profile": {"test": test}
            })
        };
        let suites = ["kernels", "silent"].map(|name| Suite::of(&artifact(name, true)).unwrap());
        assert!(Suite::of(&artifact("warpwise", false)).is_none());
        assert!(Suite::of(&serde_json::json!({"reason": "build-finished"})).is_none());
        let titles: Vec<String> = in_order(suites.to_vec()).iter().map(Suite::title).collect();
        let levels = ["simt: kernels at SIMD level avx2", "simt: kernels at SIMD level base"];
        assert_eq!(titles, ["simt: silent", "simt: kernels", levels[0], levels[1]]);
    }
}
