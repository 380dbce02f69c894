//! `check` on files and rungs.

use super::{data, ends_with, folder, json, mistake, warpwise};
use serde_json::{Value, json};

fn smooth(file: &str) -> Vec<&str> {
    let arguments = ["--grid", "4", "--block", "256", "--arg", "f32[1024]:iota", "--arg", "f32[1024]:uninit"];
    [&["check", file, "--entry", "smooth"], &arguments[..]].concat()
}

#[test]
fn a_race_is_shown_with_both_lines() {
    let file = data("race.ptx");
    let (stdout, stderr) = ends_with(1, &smooth(&file));
    for piece in [
        "error: race",
        "race.cu:7 (PTX line ",
        "     7 |     float left = threadIdx.x > 0 ? tile[threadIdx.x - 1] : 0.0f;\n",
        "race.cu:6 by thread (",
        "     6 |     tile[threadIdx.x] = in[i];\n",
        "  try: ",
        "smooth: 1 error; checked for races, memory, init, sync, ",
    ] {
        assert!(stdout.contains(piece), "`{piece}` in:\n{stdout}");
    }
    assert!(!stdout.contains('\x1b') && stderr.is_empty(), "{stderr}");
}

#[test]
fn the_json_has_the_documented_findings() {
    let file = data("race.ptx");
    for arguments in [&["--json"][..], &["--format", "json"]] {
        let report = json(1, &[&smooth(&file), arguments].concat());
        assert_eq!(report["ok"], false);
        assert_eq!(report["kernel"], "smooth");
        assert_eq!(report["checks"], json!(["races", "memory", "init", "sync"]));
        let finding = report["findings"][0].as_object().unwrap();
        let keys: Vec<_> = finding.keys().map(String::as_str).collect();
        assert_eq!(keys[..5], ["kind", "severity", "line", "message", "count"]);
        assert_eq!((&finding["kind"], &finding["severity"]), (&json!("race"), &json!("error")));
        assert_eq!((&finding["line"], &finding["other_line"]), (&json!(7), &json!(6)));
        assert_eq!(finding["space"], "shared");
        assert!(finding["count"].as_u64().unwrap() > 100, "all of them are counted");
        assert!(finding.values().all(|v| !v.is_null()), "missing parts are omitted: {finding:?}");
    }
}

#[test]
fn buffers_are_named_by_their_parameter() {
    let file = data("race.ptx");
    let count = ["--entry", "count", "--grid", "1", "--block", "256", "--json"];
    let given = ["--arg", "i32[256]:iota", "--arg", "i32[8]:zeros", "--arg", "i32=256"];
    let report = json(1, &[&["check", &file], &count[..], &given].concat());
    let finding = &report["findings"][0];
    assert_eq!((&finding["argument"], &finding["space"]), (&json!(1), &json!("global")), "{finding}");
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("argument 1") && message.contains("i32[8]"), "{message}");
}

#[test]
fn nothing_found_says_what_was_looked_for() {
    let file = data("race.ptx");
    let twice = ["--grid", "4", "--block", "256", "--arg", "f32[1024]:iota", "--arg", "f32[1024]:uninit"];
    let arguments = [&["check", &file, "--entry", "twice"], &twice[..]].concat();
    let (stdout, _) = ends_with(0, &arguments);
    assert!(stdout.starts_with("twice: no findings; checked for races, memory, init, sync"), "{stdout}");
    assert_eq!(stdout.lines().count(), 1);
    let (stdout, _) = ends_with(0, &[&smooth(&file)[..], &["--check", "memory,sync"]].concat());
    assert!(stdout.contains("no findings; checked for memory, sync"), "{stdout}");
    let report = json(0, &[&arguments[..], &["--format", "json"]].concat());
    assert_eq!((&report["ok"], &report["findings"]), (&json!(true), &json!([])));
}

#[test]
fn rungs_are_checked_too() {
    let (stdout, _) = ends_with(0, &["check", "reduce", "gpu-5-unroll-last-warp", "-n", "5000"]);
    assert!(stdout.starts_with("reduce gpu-5-unroll-last-warp, n = 5000, 2 launches: no findings"), "{stdout}");
    let report = json(0, &["check", "convolve2d", "gpu-4-tiled", "--size", "40x50", "--type", "u8", "--json"]);
    assert_eq!((&report["primitive"], &report["type"]), (&json!("convolve2d"), &json!("u8")));
    assert_eq!(report["size"], "40 x 50");
}

/// The parts that the SARIF 2.1.0 schema requires, and those that code hosts need.
#[test]
fn sarif_has_its_required_parts() {
    let file = data("race.ptx");
    let log = json(1, &[&smooth(&file)[..], &["--format", "sarif"]].concat());
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &log["runs"].as_array().unwrap()[0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "warpwise");
    assert_eq!(driver["version"], env!("CARGO_PKG_VERSION"));
    let rules: Vec<&Value> = driver["rules"].as_array().unwrap().iter().map(|r| &r["id"]).collect();
    assert!(driver["rules"].as_array().unwrap().iter().all(|r| r["shortDescription"]["text"].is_string()));
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    let result = &results[0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("race"), &json!("error")));
    assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize], "race");
    assert!(!result["message"]["text"].as_str().unwrap().is_empty());
    let place = |location: &Value| {
        let physical = &location["physicalLocation"];
        let uri = physical["artifactLocation"]["uri"].as_str().unwrap().to_owned();
        (uri, physical["region"]["startLine"].as_u64().unwrap())
    };
    let (uri, line) = place(&result["locations"][0]);
    assert!(uri.ends_with("tests/data/race.cu") && line == 7, "{uri}:{line}");
    assert_eq!(place(&result["relatedLocations"][0]).1, 6);
    let print = result["partialFingerprints"]["warpwise/v1"].as_str().unwrap();
    assert!(print.len() == 16 && print.bytes().all(|b| b.is_ascii_hexdigit()), "{print}");
    let clean = json(0, &["check", "vecadd", "gpu-grid", "-n", "100", "--format", "sarif"]);
    assert_eq!(clean["runs"][0]["results"], json!([]), "no findings are an empty list, not a missing one");
}

#[test]
fn names_that_are_hostile_do_no_harm() {
    let place = folder("hostile check \"names\"");
    let file = place.join("a b'\"<&>\u{1b}[31m.ptx");
    std::fs::copy(data("race.ptx"), &file).unwrap();
    let file = file.display().to_string();
    let log = json(1, &[&smooth(&file)[..], &["--format", "sarif"]].concat());
    let uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str();
    assert!(uri.unwrap().bytes().all(|b| b.is_ascii_graphic() && !b"\"<> ".contains(&b)), "{uri:?}");
    let (stdout, _) = ends_with(1, &smooth(&file));
    assert!(!stdout.contains('\x1b'), "{stdout}");
    assert_eq!(json(1, &[&smooth(&file)[..], &["--json"]].concat())["file"], file);
}

#[test]
fn what_stops_a_kernel_is_found_and_what_is_refused_is_bad_input() {
    let file = data("stops.ptx");
    let (stdout, _) = ends_with(1, &["check", &file, "--entry", "traps", "--grid", "1", "--block", "32"]);
    assert!(stdout.contains("error: trap") && stdout.contains("traps: 1 error"), "{stdout}");
    let refused = warpwise(&["check", &file, "--entry", "traps", "--grid", "1", "--block", "2000"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn bad_input() {
    let file = data("race.ptx");
    for (arguments, piece) in [
        (vec!["check", &file, "--entry", "smooth", "--block", "1"], "--grid is missing"),
        (vec!["check", "nofile.cu"], "cannot read nofile.cu: "),
        (vec!["check", &file, "--entry", "smooth", "--grid", "1", "--block", "1", "-n", "5"], "-n is for rungs"),
        (vec!["check", "reduce"], "say which rung of reduce: gpu-1-interleaved"),
        (vec!["check", "redcue"], "neither a file nor a primitive"),
        (vec!["check", "reduce", "gpu-3"], "gpu-3-sequential"),
        (vec!["check", "reduce", "gpu-3-sequential", "--grid", "4"], "--grid is for kernels of your own"),
        (vec!["check", "reduce", "gpu-3-sequential", "--check", "none"], "nothing to look for"),
        (vec!["check", "reduce", "gpu-3-sequential", "--check", "typos"], "`typos` is no check"),
        (vec!["check", "reduce", "gpu-3-sequential", "--type", "f16"], "use one of i32"),
        (vec!["check", "gone.ptx", "--grid", "1", "--block", "1"], "cannot read gone.ptx"),
    ] {
        let error = mistake(&arguments);
        assert!(error.contains(piece), "`{piece}` in: {error}");
    }
}

/// The same PTX, a branch to the end of the kernel: the source beside it tells which is meant.
#[test]
fn a_barrier_that_others_exit_around_is_a_warning_and_an_early_return_is_not() {
    let ptx = format!("{}/../simt/tests/defects/barriers/divergent.ptx", env!("CARGO_MANIFEST_DIR"));
    let launch = |entry| {
        let launch = ["check", &ptx, "--entry", entry, "--grid", "1", "--block", "64", "--json"];
        [&launch[..], &["--arg", "u32[64]:iota", "--arg", "u32[64]:zeros", "--arg", "u32=50"]].concat()
    };
    let report = json(1, &launch("exit_around"));
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{report}");
    let found = &findings[0];
    assert_eq!((&found["kind"], &found["severity"]), (&"barrier_divergence".into(), &"warning".into()), "{found}");
    assert_eq!(found["line"].as_u64().unwrap(), found["other_line"].as_u64().unwrap() + 2, "barrier and condition");
    assert!(found["message"].as_str().unwrap().contains("thread 50 of block 0 never comes to"), "{found}");
    assert!(found["advice"].as_str().unwrap().contains("move __syncthreads() out of the condition"), "{found}");
    let report = json(0, &launch("early_exit_with_a_word"));
    assert_eq!(report["findings"].as_array().unwrap().len(), 0, "{report}");
    // Without the source, nothing is said.
    let alone = folder("barrier-alone").join("divergent.ptx");
    std::fs::copy(&ptx, &alone).unwrap();
    let (arguments, alone) = (launch("exit_around"), alone.display().to_string());
    let arguments: Vec<&str> = arguments.into_iter().map(|word| if word == ptx { &alone } else { word }).collect();
    assert_eq!(json(0, &arguments)["findings"].as_array().unwrap().len(), 0);
}
