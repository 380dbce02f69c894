//! `selftest` runs the conformance suite.

use super::{ends_with, json, mistake};

#[test]
fn the_table_has_every_variant() {
    let (stdout, stderr) = ends_with(0, &["selftest", "reduce"]);
    for part in ["primitive  variant  passed  checks  largest error", "cpu-seq", "cpu-par", "checks passed on the cpu"]
    {
        assert!(stdout.contains(part), "`{part}` in:\n{stdout}");
    }
    assert_eq!(stderr, "", "no progress without a terminal");
}

#[test]
fn the_json_counts() {
    let report = json(0, &["selftest", "--device", "emulator", "vecadd", "--json"]);
    let keys: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["schema", "device", "passed", "failed", "failures"]);
    assert_eq!(report["device"], "emulator");
    assert!(report["passed"].as_u64().unwrap() > 0);
    assert_eq!((report["failed"].as_u64(), report["failures"].as_array().unwrap().len()), (Some(0), 0));
}

#[test]
fn what_is_not_there_is_said() {
    let error = mistake(&["selftest", "redcue"]);
    assert!(error.contains("no primitive redcue") && error.contains("reduce") && error.contains("scan"), "{error}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_shows_what_was_checked() {
    let output = super::interrupted(&["selftest", "--device", "emulator", "--full", "--json"], 1000);
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["interrupted"], &report["failed"]), (&true.into(), &0.into()));
}
