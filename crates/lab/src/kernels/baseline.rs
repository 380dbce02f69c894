//! Findings that are known already: those of a SARIF log that was written before.

use crate::files::{self, FileError};
use crate::output::Findings;
use crate::output::sarif::{FINGERPRINT, fingerprint};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// The fingerprints of known findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    prints: HashSet<String>,
}

impl Baseline {
    /// Reads a log that `--format sarif` wrote.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = files::read(path)?;
        Self::parse(&bytes).map_err(|problem| FileError::Content { path: path.to_owned(), problem })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        const AGAIN: &str = "write one with --format sarif";
        let log: Value = serde_json::from_slice(bytes).map_err(|_| format!("it is not a SARIF log; {AGAIN}"))?;
        let runs = log["runs"].as_array().ok_or_else(|| format!("it is not a SARIF log: it has no `runs`; {AGAIN}"))?;
        let results: Vec<&Value> = runs.iter().filter_map(|run| run["results"].as_array()).flatten().collect();
        let print = |result: &&Value| result["partialFingerprints"][FINGERPRINT].as_str().map(str::to_owned);
        let prints: HashSet<String> = results.iter().filter_map(print).collect();
        match prints.is_empty() && !results.is_empty() {
            true => Err(format!("its results have no fingerprint `{FINGERPRINT}`; {AGAIN}")),
            false => Ok(Self { prints }),
        }
    }

    /// Which findings it has, in their order.
    pub(crate) fn has(&self, findings: &Findings<'_>) -> Vec<bool> {
        findings.all.iter().map(|finding| self.prints.contains(&fingerprint(finding, findings))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_of_every_run_are_read() {
        let log = r#"{"runs": [{"results": [{"partialFingerprints": {"warpwise/v1": "a"}}, {"ruleId": "x"}]},
            {"results": [{"partialFingerprints": {"warpwise/v1": "b"}}]}, {}]}"#;
        let expected = HashSet::from(["a".to_owned(), "b".to_owned()]);
        assert_eq!(Baseline::parse(log.replace("warpwise/v1", FINGERPRINT).as_bytes()).unwrap().prints, expected);
        assert_eq!(Baseline::parse(br#"{"runs": [{"results": []}]}"#).unwrap(), Baseline::default());
    }

    #[test]
    fn other_files_are_refused() {
        for (text, problem) in [
            ("hello", "not a SARIF log; write one"),
            ("[]", "it has no `runs`"),
            (r#"{"runs": 1}"#, "it has no `runs`"),
            (r#"{"runs": [{"results": [{"ruleId": "race"}]}]}"#, "no fingerprint"),
        ] {
            let error = Baseline::parse(text.as_bytes()).unwrap_err();
            assert!(error.contains(problem) && error.contains("--format sarif"), "{text}: {error}");
        }
    }
}
