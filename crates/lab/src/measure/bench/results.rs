//! Reading results back: from a file, or from a named baseline.

use super::report::{Report, SCHEMA};
use crate::files::FileError;
use crate::output::Report as _;
use std::path::{Path, PathBuf};

/// Where baselines are kept, in the current folder.
pub const BASELINES: &str = ".warpwise/baselines";

/// Maximum bytes of a file of results.
const MOST_BYTES: u64 = 256 << 20;

/// Results that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// Neither a file nor a baseline.
    #[error(
        "there is no file and no baseline {name}: give a file written by `bench --json`, or a name given to --save-baseline{known}"
    )]
    Missing {
        /// What was given.
        name: String,
        /// The existing baselines.
        known: String,
    },
    /// A file that cannot be read.
    #[error("cannot read {path}: {problem}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Incomplete, or not results.
    #[error("{path} is not a complete file of results ({problem}): write it again with `warpwise bench ... --json`")]
    Form {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// From a later version.
    #[error("{path} has schema {found}, and this version reads up to {SCHEMA}: use a newer warpwise")]
    Future {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u64,
    },
    /// An invalid name.
    #[error("--save-baseline: {name} is not a valid name: use letters, digits, dots, dashes and underscores")]
    Name {
        /// What was given.
        name: String,
    },
    /// A file that cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
}

/// Reads a file of results, or a baseline.
pub fn load(name: &str) -> Result<Report, ResultsError> {
    let path = find(name)?;
    let read = |problem: String| ResultsError::Read { path: path.clone(), problem };
    let size = std::fs::metadata(&path).map_err(|e| read(e.to_string()))?.len();
    if size > MOST_BYTES {
        return Err(read(format!("{size} bytes are too many for a file of results")));
    }
    let bytes = std::fs::read(&path).map_err(|e| read(e.to_string()))?;
    parse(&path, &bytes)
}

/// Parses results.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Report, ResultsError> {
    let form = |problem: String| ResultsError::Form { path: path.to_owned(), problem };
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|e| form(e.to_string()))?;
    match value.get("schema").and_then(serde_json::Value::as_u64) {
        Some(schema) if schema == u64::from(SCHEMA) => {}
        Some(found) if found > u64::from(SCHEMA) => {
            return Err(ResultsError::Future { path: path.to_owned(), found });
        }
        _ => return Err(form("it has no schema".into())),
    }
    let report: Report = serde_json::from_value(value).map_err(|e| form(e.to_string()))?;
    let sane = |value: Option<f64>, least: f64| value.is_none_or(|x| x.is_finite() && x >= least);
    for row in &report.results {
        if !sane(row.median_ms, f64::MIN_POSITIVE) || !sane(row.noise_pct, 0.0) {
            return Err(form(format!("a time of {} is not a positive number", row.configuration.variant)));
        }
    }
    Ok(report)
}

fn find(name: &str) -> Result<PathBuf, ResultsError> {
    let file = PathBuf::from(name);
    if file.is_file() {
        return Ok(file);
    }
    if is_name(name) {
        let baseline = baseline(name);
        if baseline.is_file() {
            return Ok(baseline);
        }
    }
    let mut known: Vec<String> = std::fs::read_dir(BASELINES)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".json").map(str::to_owned))
        .collect();
    known.sort();
    let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
    Err(ResultsError::Missing { name: name.to_owned(), known })
}

/// Whether a baseline can have that name.
pub fn check_name(name: &str) -> Result<(), ResultsError> {
    if is_name(name) { Ok(()) } else { Err(ResultsError::Name { name: name.to_owned() }) }
}

fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(letter)
}

fn baseline(name: &str) -> PathBuf {
    Path::new(BASELINES).join(format!("{name}.json"))
}

/// Keeps results under a name, and returns the file.
pub fn save_baseline(name: &str, report: &Report) -> Result<PathBuf, ResultsError> {
    check_name(name)?;
    let path = baseline(name);
    let made = std::fs::create_dir_all(BASELINES);
    made.map_err(|problem| FileError::Write { path: PathBuf::from(BASELINES), problem })?;
    crate::files::save(&path, (report.to_json() + "\n").as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(Path::new("r.json"), text.as_bytes()).unwrap_err().to_string()
    }

    const ROW: &str = r#"{"primitive":"reduce","variant":"cpu-seq","device":"cpu","type":"f32","n":8,"ok":true"#;

    #[test]
    fn what_is_not_a_whole_file_of_results() {
        assert!(parse(Path::new("r.json"), format!(r#"{{"schema":1,"results":[{ROW}}}]}}"#).as_bytes()).is_ok());
        for text in ["", "{", "[]", "3", r#"{"results":[]}"#, r#"{"schema":1}"#, r#"{"schema":1,"results":[{}]}"#] {
            assert!(error(text).starts_with("r.json is not a complete file of results ("), "{text}: {}", error(text));
        }
        for time in ["-1", "0", "1e999", "\"x\""] {
            let text = format!(r#"{{"schema":1,"results":[{ROW},"median_ms":{time}}}]}}"#);
            assert!(error(&text).contains("not a complete file of results"), "{time}: {}", error(&text));
        }
    }

    #[test]
    fn what_is_from_the_future() {
        assert_eq!(
            error(r#"{"schema":7,"results":"other"}"#),
            "r.json has schema 7, and this version reads up to 1: use a newer warpwise"
        );
    }

    #[test]
    fn names_of_baselines() {
        assert!(check_name("main-2.1_a").is_ok());
        for name in ["", "..", ".x", "a/b", "a b", "ä", &"x".repeat(101)] {
            assert!(check_name(name).is_err(), "{name}");
        }
        let error = load("no such thing").unwrap_err().to_string();
        assert!(error.contains("there is no file and no baseline no such thing"), "{error}");
    }
}
