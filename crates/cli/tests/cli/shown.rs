//! Commands and outputs in the README and the documentation match what the program does.
//!
//! A block that begins with `$ warpwise ...` is run at the root of the repository, and what it prints is compared line
//! by line. A line `…` stands for any lines. Times, rates and addresses differ from run to run: they are masked.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A command with its documented output.
struct Shown {
    at: String,
    command: String,
    output: Vec<String>,
}

/// The blocks of a page that show a command and its output.
fn shown(page: &Path) -> Vec<Shown> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut all = Vec::new();
    for (at, block) in text.split("```").enumerate().filter(|(at, _)| at % 2 == 1) {
        let mut lines = block.lines().skip(1);
        let Some(command) = lines.next().and_then(|line| line.strip_prefix("$ ")) else { continue };
        let line = text.split("```").take(at).map(|part| part.matches('\n').count()).sum::<usize>() + 2;
        let at = format!("{}:{line}", page.file_name().unwrap().to_string_lossy());
        all.push(Shown { at, command: command.to_owned(), output: lines.map(str::to_owned).collect() });
    }
    all
}

/// Masks everything in a line that differs from run to run: numbers before a unit of time or rate, and addresses.
fn masked(line: &str) -> String {
    const UNITS: [&str; 9] = ["ns", "us", "ms", "s", "k", "M", "G", "GB/s", "GFLOP/s"];
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    for i in 0..words.len() {
        let timed = words.get(i + 1).is_some_and(|unit| UNITS.contains(&unit.trim_end_matches([',', ';', '.'])));
        // Estimates are computed from counters, and do not vary.
        let estimated = i > 0 && words[i - 1] == "at";
        if timed && !estimated && words[i].parse::<f64>().is_ok() {
            (words[i], words[i + 1]) = ("#".into(), "#".into());
        }
        if words[i].starts_with("0x") {
            words[i] = "0x#".into();
        }
    }
    words.join(" ")
}

/// Checks that the printed lines are the documented ones; the error says where they differ.
fn compare(output: &[String], printed: &[String]) -> Result<(), String> {
    let mut at = 0;
    let mut skipping = false;
    for line in output {
        if line.trim() == "…" {
            skipping = true;
            continue;
        }
        let rest = &printed[at..];
        let found =
            if skipping { rest.iter().position(|p| p == line) } else { (rest.first() == Some(line)).then_some(0) };
        let Some(found) = found else {
            return Err(format!("shown:   {line}\nprinted: {}", rest.first().map_or("", String::as_str)));
        };
        (at, skipping) = (at + found + 1, false);
    }
    if skipping || at == printed.len() { Ok(()) } else { Err(format!("not shown: {}", printed[at])) }
}

#[test]
fn pages_show_what_the_program_prints() {
    let root = root();
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for folder in ["docs", "docs/checks", "docs/decisions"] {
        let files = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    pages.sort();
    let program = Path::new(env!("CARGO_BIN_EXE_warpwise")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let mut wrong = Vec::new();
    let mut count = 0;
    for shown in pages.iter().filter(|page| page.exists()).flat_map(|page| shown(page)) {
        let is_program = shown.command.starts_with("warpwise exec");
        if (is_program && !super::nvcc()) || (!is_program && shown.command.contains(".cu ") && !super::nvrtc()) {
            continue;
        }
        count += 1;
        let out = Command::new("sh")
            .args(["-c", &format!("{} 2>&1", shown.command)])
            .current_dir(&root)
            .env("PATH", &path)
            .env("CUDA_VISIBLE_DEVICES", "")
            // Estimates with an assembler differ from those without.
            .env("WARPWISE_PTXAS", "")
            .output()
            .unwrap();
        // Notes are about the machine.
        let text = String::from_utf8_lossy(&out.stdout);
        let printed: Vec<String> = text.lines().filter(|line| !line.starts_with("note: ")).map(masked).collect();
        let expected: Vec<String> = shown.output.iter().map(|line| masked(line)).collect();
        if let Err(why) = compare(&expected, &printed) {
            wrong.push(format!("{}: $ {}\n{why}", shown.at, shown.command));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 3, "only {count} commands were found");
}

#[test]
fn times_are_masked_and_counts_are_not() {
    assert_eq!(masked("time    0.214 ms on the host"), "time # # on the host");
    assert_eq!(masked("work    640 warp instructions, 3.0 M a second"), "work 640 warp instructions, # # a second");
    assert_eq!(masked("3 launches, estimated at 15.2 us on an h200"), "3 launches, estimated at 15.2 us on an h200");
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(compare(&lines("a\n…\nd"), &lines("a\nb\nc\nd")).is_ok());
    assert!(compare(&lines("a\nb"), &lines("a\nc")).is_err());
    assert!(compare(&lines("a"), &lines("a\nb")).is_err());
}
