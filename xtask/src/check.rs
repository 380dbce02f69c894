//! `cargo xtask check`: all checks, one after the other.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::cluster;
use crate::kernels::root;
use crate::suites;
use anyhow::{Context, Result, ensure};

/// A step: what it is and the words after `cargo`.
struct Step {
    name: &'static str,
    words: &'static str,
    /// An environment variable.
    variable: Option<(&'static str, &'static str)>,
    /// Words that the output must not contain; if there are any, the output is not shown.
    without: &'static [&'static str],
}

impl Step {
    const fn new(name: &'static str, words: &'static str) -> Self {
        Self { name, words, variable: None, without: &[] }
    }

    const fn with(self, name: &'static str, value: &'static str) -> Self {
        Self { variable: Some((name, value)), ..self }
    }
}

const STEPS: [Step; 7] = [
    Step::new("format", "fmt --all -- --check"),
    Step::new("clippy", "clippy --workspace --all-targets --quiet -- --deny warnings"),
    // The library with each combination of devices.
    Step::new("no GPU", "clippy -p warpwise --no-default-features --quiet -- --deny warnings"),
    Step::new("CUDA only", "clippy -p warpwise --no-default-features --features cuda --quiet -- --deny warnings"),
    Step::new(
        "emulator only",
        "clippy -p warpwise --no-default-features --features emulator --quiet -- --deny warnings",
    ),
    Step {
        without: &["libloading", "warpwise-simt", "warpwise-gpu"],
        ..Step::new("what no GPU needs", "tree -p warpwise --no-default-features --edges normal,build")
    },
    Step::new("docs", "doc --workspace --no-deps --quiet").with("RUSTDOCFLAGS", "--deny warnings"),
];
/// The words after `cargo` with which the tests are built.
const TESTS: &str = "test --workspace";

/// Folders whose modules a macro declares from a list, so that rustfmt does not find their files by itself.
const LISTED: [&str; 2] = ["crates/cli/src/verbs", "crates/lab/src/output"];

/// The files of those folders.
fn listed() -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in LISTED {
        let folder = root().join(folder);
        for entry in std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            files.push(entry?.path());
        }
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rs"));
    files.sort();
    Ok(files)
}

/// Whether the program that was just built finds NVRTC.
fn nvrtc_is_there() -> bool {
    let program = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let out = Command::new(program.join("debug/warpwise")).args(["doctor", "--json"]).output();
    out.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains(r#""nvrtc":{"found":true"#))
}

impl Step {
    fn run(&self, cargo: &str, words: &str) -> Result<()> {
        let mut command = Command::new(cargo);
        let files = if self.name == "format" { listed()? } else { Vec::new() };
        command.args(words.split(' ')).args(files).envs(self.variable);
        if !self.without.is_empty() {
            command.stdout(Stdio::piped());
        }
        let output = command
            .spawn()
            .and_then(std::process::Child::wait_with_output)
            .with_context(|| format!("cannot start {cargo}"))?;
        ensure!(output.status.success(), "{} failed: cargo {words}", self.name);
        let text = String::from_utf8_lossy(&output.stdout);
        let found = self.without.iter().find(|word| text.contains(**word));
        ensure!(found.is_none(), "{} failed: {} is in the output of cargo {words}", self.name, found.unwrap_or(&""));
        Ok(())
    }
}

/// Runs every step, and then the tests; the first that fails ends it.
pub(crate) fn run() -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut times = Vec::new();
    // With the program for MPI and its tests where MPI is installed, so that everything is built once.
    let mpi = cluster::is_there()?;
    let mut timed = |name: &'static str, words: &str, work: &dyn Fn(&str) -> Result<()>| {
        let words = match mpi {
            true => words.replace("--workspace", &format!("--workspace {}", cluster::FEATURES)),
            false => words.to_owned(),
        };
        eprintln!("==> {name}: cargo {words}");
        let start = Instant::now();
        work(&words)?;
        times.push((name, start.elapsed().as_secs_f64()));
        Ok(())
    };
    let outcome = STEPS
        .iter()
        .try_for_each(|step| timed(step.name, step.words, &|words| step.run(&cargo, words)))
        .and_then(|()| timed("tests", TESTS, &|words| suites::run(&cargo, words)));
    if !nvrtc_is_there() {
        eprintln!("NVRTC was not found: tests that compile CUDA C++ checked nothing (pip install nvidia-cuda-nvrtc)");
    }
    for (name, seconds) in times {
        eprintln!("{name:<26} passed in {seconds:6.1} s");
    }
    outcome
}
