//! Programs with one mistake each: exactly that is found, at its line, and nothing in the same program without it.
//!
//! The programs are in `tests/programs/faulty`. The first lines of each say what is found, words that the report has,
//! and with which options; a comment, `// here`, marks the line. Given an argument, a program does the same without
//! the mistake.

use super::{folder, nvcc};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program and what is wrong with it.
struct Faulty {
    file: PathBuf,
    finds: String,
    /// Words of the finding or its advice.
    says: String,
    options: Vec<String>,
    line: u64,
}

fn programs() -> Vec<Faulty> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/faulty");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "cu"));
    files.sort();
    files.into_iter().map(read).collect()
}

fn read(file: PathBuf) -> Faulty {
    let text = std::fs::read_to_string(&file).unwrap();
    let told = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let line = text.lines().position(|line| line.contains("// here")).expect("a line is marked");
    let finds = told("// Finds:").expect("it says what is found").to_owned();
    let says = told("// Says:").unwrap_or("").to_owned();
    let options = told("// Options:").unwrap_or("").split_whitespace().map(str::to_owned).collect();
    Faulty { file, finds, says, options, line: line as u64 + 1 }
}

/// The exit status of a program and its findings: kind and line.
fn run(program: &Faulty, cache: &Path, right: bool) -> (Option<i32>, Vec<(String, u64)>, String) {
    let report = cache.join("report.json");
    let _ = std::fs::remove_file(&report);
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.arg("exec").args(&program.options).arg("--json").arg(&report).arg(&program.file);
    command.env("XDG_CACHE_HOME", cache);
    if right {
        command.args(["--", "right"]);
    }
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = std::fs::read_to_string(&report).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    let report: Value = serde_json::from_str(&text).unwrap();
    let findings = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (finding["kind"].as_str().unwrap().to_owned(), finding["line"].as_u64().unwrap_or(0)));
    (output.status.code(), findings.collect(), stderr)
}

#[test]
fn each_mistake_is_found_and_nothing_else() {
    if !nvcc() {
        return;
    }
    let cache = folder("faulty");
    let programs = programs();
    assert!(programs.len() >= 30, "{}", programs.len());
    let mut wrong = Vec::new();
    for program in &programs {
        let name = program.file.file_name().unwrap().to_string_lossy().into_owned();
        let (status, findings, stderr) = run(program, &cache, false);
        if (status, &findings[..]) != (Some(1), &[(program.finds.clone(), program.line)][..]) {
            let expected = format!("{} at line {}", program.finds, program.line);
            wrong.push(format!("{name}: expected {expected}, found {findings:?}, status {status:?}\n{stderr}"));
        } else if !stderr.contains(&program.says) {
            wrong.push(format!("{name}: expected the words `{}`\n{stderr}", program.says));
        }
        let (status, findings, stderr) = run(program, &cache, true);
        if status != Some(0) || !findings.is_empty() {
            wrong.push(format!("{name}, without the mistake: found {findings:?}, status {status:?}\n{stderr}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
