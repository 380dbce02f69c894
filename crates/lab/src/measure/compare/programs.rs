//! Two programs against each other, in turns.
//!
//! Two processes of one program differ: in where their memory lies, in what else the machine does. So each program runs
//! in several processes, and the two take turns, the order changing every time, so that a slow minute meets both. A
//! difference counts if it is larger than what the turns differ among themselves.

use super::{Comparison, Pair};
use crate::measure::bench::{self, Configuration, Report, Row};
use crate::measure::stats::{Turns, Verdict};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Two programs to compare.
#[derive(Clone, Debug)]
pub struct Programs {
    /// The first.
    pub before: PathBuf,
    /// The second.
    pub after: PathBuf,
    /// The arguments of both.
    pub arguments: Vec<String>,
    /// How often each runs.
    pub rounds: usize,
}

/// Why programs cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It cannot be started.
    #[error("{}: it cannot be started: {problem}", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        problem: std::io::Error,
    },
    /// It ended with an error.
    #[error("{} ended with {status}: {said}; its arguments come after --", .program.display())]
    Failed {
        /// The program.
        program: PathBuf,
        /// Its status.
        status: String,
        /// The last thing it said.
        said: String,
    },
    /// Too few rounds.
    #[error("--rounds: {0} is too few to tell noise from a difference: use at least 3")]
    Rounds(usize),
}

/// Whether a name is that of a program, and not of results.
///
/// ```
/// use warpwise_lab::measure::compare::is_program;
///
/// assert!(!is_program("Cargo.toml".as_ref()) && !is_program("no-such-file".as_ref()));
/// ```
pub fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let executable =
        |facts: &std::fs::Metadata| std::os::unix::fs::PermissionsExt::mode(&facts.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let executable = |_: &std::fs::Metadata| path.extension().is_some_and(|ending| ending == "exe");
    let json = path.extension().is_some_and(|ending| ending == "json");
    !json && std::fs::metadata(path).is_ok_and(|facts| facts.is_file() && executable(&facts))
}

/// What one process took: a time for each configuration that it measured, or of the whole process.
type Times = Vec<(Configuration, f64)>;

/// Runs the programs in turns and compares them. `progress` is called after every process; when `interrupted` returns
/// true, the rounds so far are compared.
pub fn alternate(
    programs: &Programs,
    progress: &dyn Fn(usize, usize),
    interrupted: &dyn Fn() -> bool,
) -> Result<Comparison, ProgramError> {
    if programs.rounds < 3 {
        return Err(ProgramError::Rounds(programs.rounds));
    }
    let all = 2 * programs.rounds + 2;
    // The first process of each fills caches and counts for nothing.
    for (at, program) in [&programs.before, &programs.after].into_iter().enumerate() {
        run(program, &programs.arguments)?;
        progress(at + 1, all);
    }
    let mut rounds: Vec<(Times, Times)> = Vec::new();
    for round in 0..programs.rounds {
        if interrupted() {
            break;
        }
        let mut done = 2 * round + 2;
        let mut one = |program: &Path| {
            let times = run(program, &programs.arguments);
            done += 1;
            progress(done, all);
            times
        };
        rounds.push(if round % 2 == 0 {
            let before = one(&programs.before)?;
            (before, one(&programs.after)?)
        } else {
            let after = one(&programs.after)?;
            (one(&programs.before)?, after)
        });
    }
    Ok(judge(&rounds))
}

/// Starts a program, waits for it, and returns what it measured.
fn run(program: &Path, arguments: &[String]) -> Result<Times, ProgramError> {
    let mut command = Command::new(absolute(program));
    command.args(arguments).stdin(Stdio::null());
    if arguments.first().is_some_and(|verb| verb == "bench") && !arguments.iter().any(|word| word == "--json") {
        command.arg("--json");
    }
    let started = Instant::now();
    let output = command.output().map_err(|problem| ProgramError::Start { program: program.to_owned(), problem })?;
    let took = started.elapsed().as_secs_f64() * 1e3;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let said = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        let (program, status) = (program.to_owned(), output.status.to_string());
        return Err(ProgramError::Failed { program, status, said: said.trim().to_owned() });
    }
    let measured: Option<Report> = bench::parse_results(program, &output.stdout).ok();
    let timed = |row: Row| row.median_ms.filter(|_| !row.emulated).map(|ms| (row.configuration, ms));
    let times: Times = measured.map_or_else(Vec::new, |report| report.results.into_iter().filter_map(timed).collect());
    if !times.is_empty() {
        return Ok(times);
    }
    let variant = arguments.join(" ");
    let whole =
        Configuration { primitive: "program".into(), variant, device: "process".into(), ..Configuration::default() };
    Ok(vec![(whole, took)])
}

/// A name without a folder is a file here, not a command of the search path.
fn absolute(program: &Path) -> PathBuf {
    std::path::absolute(program).unwrap_or_else(|_| program.to_owned())
}

/// Compares the rounds.
fn judge(rounds: &[(Times, Times)]) -> Comparison {
    let of = |times: &Times, wanted: &Configuration| times.iter().find(|(c, _)| c == wanted).map(|(_, ms)| *ms);
    let known: &[(Configuration, f64)] = rounds.first().map_or(&[], |(before, _)| before);
    let common: Vec<(&Configuration, Vec<(f64, f64)>)> = known
        .iter()
        .filter_map(|(configuration, _)| {
            let pairs = rounds.iter().map(|(a, b)| of(a, configuration).zip(of(b, configuration)));
            Some((configuration, pairs.collect::<Option<Vec<_>>>()?))
        })
        .collect();
    let later = rounds.first().map_or(0, |(_, after)| after.len());
    let mut results = Vec::new();
    for (configuration, pairs) in &common {
        let turns = Turns::of(pairs, common.len());
        results.push(Pair {
            configuration: (*configuration).clone(),
            before_ms: turns.before,
            after_ms: turns.after,
            change_pct: 100.0 * turns.change,
            noise_pct: 100.0 * turns.limit,
            verdict: turns.verdict().name(),
        });
    }
    let count = |verdict: Verdict| results.iter().filter(|pair| pair.verdict == verdict.name()).count();
    Comparison {
        schema: 1,
        faster: count(Verdict::Faster),
        same: count(Verdict::Same),
        slower: count(Verdict::Slower),
        unmatched: known.len() + later - 2 * results.len(),
        emulated: 0,
        rounds: Some(rounds.len()),
        results,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(all: &[(&str, f64)]) -> Times {
        let named = |variant: &str| Configuration { variant: variant.into(), ..Configuration::default() };
        all.iter().map(|&(variant, ms)| (named(variant), ms)).collect()
    }

    #[test]
    fn rounds_are_compared_by_configuration() {
        let round = |drift: f64| {
            (times(&[("a", 10.0 * drift), ("b", 5.0 * drift)]), times(&[("b", 10.0 * drift), ("a", 10.0 * drift)]))
        };
        let found = judge(&[round(1.0), round(1.3), round(0.8), round(1.1)]);
        assert_eq!((found.same, found.slower, found.unmatched, found.rounds), (1, 1, 0, Some(4)));
        assert!((found.results[1].change_pct - 100.0).abs() < 1e-9, "drift of the machine meets both: {found:?}");
    }

    #[cfg(unix)]
    #[test]
    fn any_program_is_timed_as_a_whole() {
        let sh = Path::new("/bin/sh");
        assert!(is_program(sh));
        let programs =
            Programs { before: sh.into(), after: sh.into(), arguments: vec!["-c".into(), "true".into()], rounds: 3 };
        let found = alternate(&programs, &|_, _| (), &|| false).unwrap();
        assert_eq!((found.results.len(), found.results[0].configuration.primitive.as_str()), (1, "program"));
        assert!(found.results[0].before_ms > 0.0);
        let failing = Programs { arguments: vec!["-c".into(), "echo no >&2; exit 3".into()], ..programs.clone() };
        let error = alternate(&failing, &|_, _| (), &|| false).unwrap_err().to_string();
        assert!(error.contains("status: 3: no; its arguments"), "{error}");
        let few = alternate(&Programs { rounds: 2, ..programs }, &|_, _| (), &|| false).unwrap_err().to_string();
        assert!(few.starts_with("--rounds: 2 is too few"), "{few}");
    }
}
