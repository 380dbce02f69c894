//! What decides the exit status of `check` and `run`: severities, a baseline, comments in the source.

use super::{data, ends_with, folder, json, mistake, write};
use serde_json::{Value, json};
use std::path::Path;

const IDLE: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry idle() { bar.sync 0; ret; }\n";

fn smooth<'a>(verb: &'a str, file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let launch = ["--grid", "4", "--block", "256", "--arg", "f32[1024]:iota", "--arg", "f32[1024]:uninit"];
    [&[verb, file, "--entry", "smooth"], &launch[..], more].concat()
}

fn count<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let launch =
        ["--grid", "1", "--block", "256", "--arg", "i32[256]:iota", "--arg", "i32[8]:zeros", "--arg", "i32=256"];
    [&["check", file, "--entry", "count"], &launch[..], more].concat()
}

/// A copy of the kernel with a race at line 7, with another text in that line of its source or in the one above.
fn copy(name: &str, line: usize, text: &str) -> String {
    let here = folder(name);
    std::fs::copy(data("race.ptx"), here.join("race.ptx")).unwrap();
    let source = std::fs::read_to_string(data("race.cu")).unwrap();
    let mut lines: Vec<&str> = source.lines().collect();
    lines[line - 1] = text;
    write(&here, "race.cu", lines.join("\n"));
    here.join("race.ptx").display().to_string()
}

#[test]
fn severities_decide() {
    let here = folder("fail-on");
    let idle = write(&here, "idle.ptx", IDLE);
    let warned = |verb: &'static str, more: &[&str], status: i32| {
        let launch = [verb, &idle, "--grid", "1", "--block", "64", "--check", "idle-barriers"];
        let (stdout, _) = ends_with(status, &[&launch[..], more].concat());
        assert!(stdout.contains("warning: idle_barrier"), "{stdout}");
    };
    warned("check", &[], 1);
    warned("check", &["--fail-on", "warning"], 1);
    warned("check", &["--fail-on", "error"], 0);
    warned("run", &[], 0);
    warned("run", &["--fail-on", "warning"], 1);
    let race = data("race.ptx");
    for verb in ["check", "run"] {
        let found = |severity: &'static str, status: i32| {
            let more = ["--check", "all", "--fail-on", severity, "--json"];
            let report = json(status, &smooth(verb, &race, &more));
            assert_eq!((&report["ok"], &report["findings"][0]["kind"]), (&json!(false), &json!("race")));
        };
        found("error", 1);
        found("warning", 1);
        found("none", 0);
    }
    let error = mistake(&smooth("check", &race, &["--fail-on", "sometimes"]));
    assert!(error.contains("--fail-on") && error.contains("error, warning, none"), "{error}");
    let refused = ["check", &idle, "--grid", "1", "--block", "2000", "--fail-on", "none"];
    assert!(ends_with(2, &refused).0.contains("launch_limit"), "what cannot run is bad input");
}

#[test]
fn what_a_baseline_has_is_known() {
    let (here, race) = (folder("baseline"), data("race.ptx"));
    let (log, _) = ends_with(1, &smooth("check", &race, &["--format", "sarif"]));
    let baseline = write(&here, "known.sarif", log);
    let known = ["--baseline", baseline.as_str()];
    let (stdout, _) = ends_with(0, &smooth("check", &race, &known));
    assert!(stdout.contains("error: race, known (1020 times): "), "{stdout}");
    assert!(stdout.contains("\nsmooth: 1 known; checked for races"), "{stdout}");
    let report = json(0, &smooth("check", &race, &[&known[..], &["--json"]].concat()));
    assert_eq!((&report["ok"], &report["findings"][0]["known"]), (&json!(true), &json!(true)));
    let log = json(0, &smooth("check", &race, &[&known[..], &["--format", "sarif"]].concat()));
    assert_eq!(log["runs"][0]["results"][0]["baselineState"], "unchanged");
    // The race of another kernel is new.
    let report = json(1, &count(&race, &[&known[..], &["--json"]].concat()));
    assert_eq!((&report["ok"], &report["findings"][0]["known"]), (&json!(false), &json!(false)));
    let log = json(1, &count(&race, &[&known[..], &["--format", "sarif"]].concat()));
    assert_eq!(log["runs"][0]["results"][0]["baselineState"], "new");
}

#[test]
fn baselines_that_cannot_be_used() {
    let (here, race) = (folder("bad-baseline"), data("race.ptx"));
    let refused = |path: &str| mistake(&smooth("check", &race, &["--baseline", path]));
    let gone = here.join("gone.sarif").display().to_string();
    assert!(refused(&gone).contains("--baseline: cannot read "), "{}", refused(&gone));
    for (name, text) in
        [("text.sarif", "hello"), ("list.sarif", "[]"), ("none.sarif", "{\"runs\": [{\"results\": [{}]}]}")]
    {
        let error = refused(&write(&here, name, text));
        assert!(error.contains("--baseline: ") && error.contains(name) && error.contains("--format sarif"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

fn suppressed(file: &str) -> Value {
    let report = json(0, &smooth("check", file, &["--json"]));
    assert_eq!((&report["ok"], &report["warnings"]), (&json!(true), &Value::Null), "{report}");
    report["findings"][0]["suppressed"].clone()
}

#[test]
fn comments_allow_findings() {
    let file = copy("allow", 7, "    float left = 0; // warpwise: allow race - a test: of comments");
    assert_eq!(suppressed(&file), json!({"by": "comment", "line": 7, "reason": "a test: of comments"}));
    let (stdout, stderr) = ends_with(0, &smooth("check", &file, &[]));
    assert!(stdout.contains("error: race, suppressed (1020 times): "), "{stdout}");
    assert!(stdout.contains("  allowed by the comment at line 7: a test: of comments\n"), "{stdout}");
    assert!(stdout.contains("\nsmooth: 1 suppressed; checked for races") && stderr.is_empty(), "{stdout}{stderr}");
    let log = json(0, &smooth("check", &file, &["--format", "sarif"]));
    let expected = json!([{"kind": "inSource", "justification": "a test: of comments"}]);
    assert_eq!(log["runs"][0]["results"][0]["suppressions"], expected);
    ends_with(0, &smooth("run", &file, &["--check", "all"]));
    let above = copy("allow-above", 6, "    // warpwise: allow trap, race");
    assert_eq!(suppressed(&above), json!({"by": "comment", "line": 6}));
    for (name, line, text) in [
        ("allow-other", 7, "    float left = 0; // warpwise: allow trap"),
        ("allow-far", 5, "    // warpwise: allow race"),
        ("allow-code", 6, "    tile[threadIdx.x] = in[i]; // warpwise: allow race"),
    ] {
        ends_with(1, &smooth("check", &copy(name, line, text), &[]));
    }
}

#[test]
fn comments_in_ptx_count_where_there_is_no_source() {
    let here = folder("allow-ptx");
    let allowed = IDLE.replace("{ bar.sync 0;", "{\n// warpwise: allow idle_barrier: a test\nbar.sync 0;");
    for (name, text, status) in [("bare.ptx", IDLE, 1), ("allowed.ptx", allowed.as_str(), 0)] {
        let file = write(&here, name, text);
        let report =
            json(status, &["check", &file, "--grid", "1", "--block", "64", "--check", "idle-barriers", "--json"]);
        assert_eq!(report["findings"][0]["suppressed"].is_object(), status == 0, "{report}");
    }
}

#[test]
fn kinds_that_do_not_exist_are_warned_of() {
    let file = copy("allow-unknown", 7, "    float left = 0; // warpwise: allow rase");
    let (_, stderr) = ends_with(1, &smooth("check", &file, &[]));
    let source = Path::new(&file).with_file_name("race.cu").display().to_string();
    let expected = format!("warning: {source}:7: `rase` is not a kind of finding that can be allowed: use race, ");
    assert!(stderr.starts_with(&expected) && stderr.contains("out_of_bounds"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    let report = json(1, &smooth("check", &file, &["--json"]));
    assert_eq!(report["warnings"].as_array().unwrap().len(), 1, "{report}");
}
