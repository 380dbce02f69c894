//! Runs every kernel under `tests/defects` with the checks on: defects must be found, at the right place and under
//! the right name, and nothing may be said about their correct look-alikes.
//!
//! The format is described in `defects/README.md`. `WARPWISE_DEFECTS=barriers/ cargo test --test defects` runs only
//! the cases whose file and kernel contain that text; with `WARPWISE_DEFECTS_SHOW=1` and `--nocapture`, all that was
//! found is printed. `WARPWISE_DEFECTS_RUNS=50` repeats each case that often on each number of host threads.

#[path = "support/argument.rs"]
mod argument;
#[path = "defects/case.rs"]
mod case;
#[path = "defects/format.rs"]
mod format;
#[path = "defects/launch.rs"]
mod launch;
#[path = "support/values.rs"]
#[expect(dead_code, reason = "the tolerances are for the micro-kernels")]
mod values;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use case::{Case, Verdict};
use launch::{Launched, launch};
use warpwise_simt::{Checks, Program};

/// Finding kinds, and the check that looks for each.
const KINDS: [(&str, &str); 8] = [
    ("race", "races"),
    ("out_of_bounds", "memory"),
    ("misaligned", "memory"),
    ("uninitialized", "init"),
    ("division_by_zero", "init"),
    ("barrier_divergence", "sync"),
    ("deadlock", "sync"),
    ("timeout", "sync"),
];

/// A source file of the collection.
struct Source {
    /// `KIND/NAME.cu`.
    name: String,
    program: Arc<Program>,
    cases: Vec<Case>,
}

#[test]
fn every_kernel_states_its_outcome() {
    let mut complaints = Vec::new();
    let (mut defects, mut correct) = (0, 0);
    for source in sources() {
        let mut complain = |text: String| complaints.push(format!("{}: {text}", source.name));
        for kernel in source.program.kernels() {
            if !source.cases.iter().any(|case| *case.entry == *kernel.name) {
                complain(format!("{} has no case", kernel.name));
            }
        }
        for case in &source.cases {
            if source.program.kernel(&case.entry).is_none() {
                complain(format!("{} is not in the PTX; compile.py makes it", case.entry));
            }
            let stated = case.expected.iter().chain(&case.allowed);
            for kind in stated.flat_map(|stated| &stated.kinds) {
                if !KINDS.iter().any(|(name, _)| name == kind) {
                    complain(format!("{}: there is no kind `{kind}`", case.name()));
                }
            }
            let races = case.expected.iter().filter(|stated| *stated.kinds == ["race"]);
            if races.into_iter().any(|stated| stated.at.is_empty() || stated.with.is_empty()) {
                complain(format!("{}: a race has two lines", case.name()));
            }
            match case.verdict {
                Verdict::Defect if case.expected.is_empty() => complain(format!("{}: no `expect`", case.name())),
                Verdict::Correct if !(case.expected.is_empty() && case.allowed.is_empty()) => {
                    complain(format!("{}: it is correct", case.name()));
                }
                Verdict::Defect => defects += 1,
                Verdict::Correct => correct += 1,
            }
        }
    }
    println!("{defects} defects, {correct} correct look-alikes");
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
    assert!(defects >= 60 && correct >= defects, "{defects} defects, {correct} correct look-alikes");
}

#[test]
fn defects_are_found_and_correct_kernels_are_not_blamed() {
    each_case(|source, case| {
        let mut complaints = Vec::new();
        // What is found must not depend on how many host threads run the blocks.
        for workers in [1, 4] {
            let Launched { findings, mismatches, .. } = launch(&source.program, case, Checks::ALL, workers)?;
            if workers == 1 && std::env::var_os("WARPWISE_DEFECTS_SHOW").is_some() {
                findings.iter().for_each(|finding| println!("{} {}: {finding}", source.name, case.entry));
            }
            let stated = || case.expected.iter().chain(&case.allowed);
            let surplus = findings.iter().filter(|finding| !stated().any(|stated| finding.is(stated)));
            complaints.extend(surplus.map(|finding| format!("not expected: {finding}")));
            let missed = case.expected.iter().filter(|stated| !findings.iter().any(|finding| finding.is(stated)));
            complaints.extend(missed.map(|stated| format!("not found: {} {:?}", stated.text, stated.lines())));
            complaints.extend(mismatches);
            if !complaints.is_empty() {
                complaints.push(format!("with {workers} host threads"));
                break;
            }
        }
        if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
    });
}

#[test]
fn the_same_is_found_every_time_whatever_the_number_of_host_threads() {
    let runs = std::env::var("WARPWISE_DEFECTS_RUNS").map_or(2, |runs| runs.parse().expect("a number of runs"));
    each_case(|source, case| {
        let first = launch(&source.program, case, Checks::ALL, 1)?.whole;
        for workers in [1, 2, 8].into_iter().flat_map(|workers| std::iter::repeat_n(workers, runs)) {
            let again = launch(&source.program, case, Checks::ALL, workers)?.whole;
            if again != first {
                return Err(format!("with {workers} host threads:\n{again}\ninstead of\n{first}"));
            }
        }
        Ok(())
    });
}

#[test]
fn each_check_finds_its_defects_alone() {
    each_case(|source, case| {
        for stated in &case.expected {
            let mut checks = Checks::NONE;
            for (_, check) in KINDS.iter().filter(|(kind, _)| stated.kinds.iter().any(|stated| stated == kind)) {
                checks = checks.with(check).map_err(|error| error.to_string())?;
            }
            let Launched { findings, .. } = launch(&source.program, case, checks, 0)?;
            if !findings.iter().any(|finding| finding.is(stated)) {
                return Err(format!("with {checks:?} only, not found: {} {:?}", stated.text, stated.lines()));
            }
        }
        Ok(())
    });
}

#[test]
fn without_checks_correct_kernels_give_their_results() {
    each_case(|source, case| {
        let Launched { findings, mismatches, .. } = launch(&source.program, case, Checks::NONE, 0)?;
        let mut complaints = Vec::new();
        if case.verdict == Verdict::Correct {
            complaints.extend(findings.iter().map(ToString::to_string));
            complaints.extend(mismatches);
        } else {
            // Nobody looks for these; the others end a launch by themselves.
            let sought = findings.iter().filter(|finding| ["race", "uninitialized"].contains(&&*finding.kind));
            complaints.extend(sought.map(|finding| format!("nobody asked: {finding}")));
        }
        if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
    });
}

/// Runs `examine` on every case and reports all that it refuses.
fn each_case(examine: impl Fn(&Source, &Case) -> Result<(), String>) {
    let filter = std::env::var("WARPWISE_DEFECTS").unwrap_or_default();
    let mut complaints = Vec::new();
    let (mut examined, mut refused) = (0, 0);
    for source in sources() {
        for case in source.cases.iter().filter(|case| format!("{} {}", source.name, case.entry).contains(&filter)) {
            examined += 1;
            if let Err(text) = examine(&source, case) {
                refused += 1;
                complaints.push(format!("{} {}", source.name, case.name()));
                complaints.extend(text.lines().map(|line| format!("    {line}")));
            }
        }
    }
    assert!(examined > 0, "no case contains `{filter}`");
    assert!(complaints.is_empty(), "{refused} of {examined} cases\n{}", complaints.join("\n"));
}

/// Every file of the collection, in order.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/defects");
    let list = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder can be read").path()).collect();
        paths.sort();
        paths
    };
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let files = list(&root).into_iter().filter(|path| path.is_dir()).flat_map(|folder| list(&folder));
    let sources = files.filter(|path| path.extension().is_some_and(|extension| extension == "cu")).map(|path| {
        let name = path.strip_prefix(&root).expect("found under the root").to_string_lossy().replace('\\', "/");
        let text = read(&path);
        let cases = case::cases(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let program = Program::load(&read(&path.with_extension("ptx")));
        let program = program.unwrap_or_else(|error| panic!("{name}: its PTX does not load: {error}"));
        let own = |file: &str| Path::new(file).file_name() == path.file_name();
        let program = program.with_files(|file| own(file).then(|| text.clone()));
        Source { name, program: Arc::new(program), cases }
    });
    sources.collect()
}
