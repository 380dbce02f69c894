//! Launch files, on the kernels of `tests/launches`.

use super::{ends_with, folder, json, mistake, nvrtc, write};
use serde_json::{Value, json};
use std::path::Path;

/// A file beside the kernels.
fn here(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/launches").join(name).display().to_string()
}

/// A launch file of its own for a test, with kernels by their full path.
fn own(name: &str, text: &str) -> String {
    let text = text.replace("kernels.ptx", &here("kernels.ptx")).replace("kernels.cu", &here("kernels.cu"));
    write(&folder(name), "launches.toml", text)
}

fn results(report: &Value) -> Vec<(&str, &str)> {
    let launches = report["launches"].as_array().unwrap();
    launches.iter().map(|one| (one["name"].as_str().unwrap(), one["result"].as_str().unwrap())).collect()
}

const SCALE: &str = "[[launch]]\nname = 'scale'\nfile = 'kernels.ptx'\nkernel = 'scale'\ngrid = 1\nblock = 32\n\
    args = ['f32[32]:iota', 'f32=2', 'i32=32']\n";

#[test]
fn good_launches_are_a_table() {
    let (stdout, stderr) = ends_with(0, &["check", &here("good.toml")]);
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!((lines.len(), stderr.as_str()), (7, ""), "{stdout}");
    let words = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(0), "launch kernel result findings instructions time");
    assert!(words(1).starts_with("scale scale good none "), "{stdout}");
    assert!(words(3).starts_with("shift, with its race shift good 1 expected "), "{stdout}");
    assert!(words(4).starts_with("any negative any_negative good 1 suppressed "), "{stdout}");
    assert_eq!((lines[5], lines[6]), ("", "4 launches: 4 good"));
    let column = |line: &str, word: &str| line.find(word).unwrap_or_else(|| panic!("{word} in {line}"));
    assert!((1..5).all(|line| column(lines[line], " good ") == column(lines[0], " result")), "aligned:\n{stdout}");
}

#[test]
fn the_json_has_every_launch() {
    let report = json(0, &["check", &here("good.toml"), "--json"]);
    let keys: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["schema", "files", "ok", "good", "broken", "errors", "launches"]);
    assert_eq!(
        (&report["ok"], &report["good"], &report["files"][0]),
        (&json!(true), &json!(4), &json!(here("good.toml")))
    );
    let first = &report["launches"][0];
    assert_eq!((&first["line"], &first["kernel"], &first["findings"]), (&json!(4), &json!("scale"), &json!([])));
    assert_eq!(first["counters"]["global_load_sectors"], 125);
    assert!(first["time_ms"].as_f64().unwrap() >= 0.0);
    let race = &report["launches"][2]["findings"][0];
    assert_eq!((&race["kind"], &race["line"]), (&json!("race"), &json!(31)));
    assert_eq!(race["suppressed"], json!({"by": "launch_file", "line": 33}));
    assert_eq!(report["launches"][3]["findings"][0]["suppressed"]["by"], "comment");
}

#[test]
fn what_breaks_a_launch_is_told() {
    let file = here("broken.toml");
    let report = json(1, &["check", &file, "--json"]);
    let broken = ["a value", "a counter", "a finding", "no finding", "a bad access"].map(|name| (name, "broken"));
    assert_eq!(results(&report), [&broken[..], &[("a good one", "good")]].concat());
    assert_eq!((&report["ok"], &report["broken"], &report["errors"]), (&json!(false), &json!(5), &json!(0)));
    let told = |at: usize| report["launches"][at]["broken"][0]["message"].as_str().unwrap_or_default();
    assert_eq!(told(0), "argument 0: 1 of 4 elements differ; element 2 is 1, but should be 1.25");
    assert_eq!(told(1), "shared_load_conflicts is 992, but should be 0");
    assert_eq!(report["launches"][2]["broken"], json!([]), "the finding itself is what is wrong");
    assert_eq!(told(3), "race was expected at line 5, but not found");
    assert_eq!(report["launches"][4]["findings"][0]["kind"], "out_of_bounds");
    assert_eq!(report["launches"][4]["broken"], json!([]), "the finding itself is what is wrong");
    assert_eq!(report["launches"][1]["broken"][0]["line"], 19);
    let (stdout, _) = ends_with(1, &["check", &file]);
    for piece in [
        "a value:\nerror: expectation: argument 0: 1 of 4 elements differ",
        &format!("  at {file}:10\n"),
        "a finding:\nerror: race ",
        "\n6 launches: 1 good, 5 broken\n",
    ] {
        assert!(stdout.contains(piece), "`{piece}` in:\n{stdout}");
    }
    assert!(!stdout.contains("a good one:"), "{stdout}");
}

#[test]
fn launches_that_cannot_run_are_errors_and_the_others_run() {
    let gone = SCALE.replace("'scale'\nfile = 'kernels.ptx'", "'gone'\nfile = 'gone.ptx'");
    let misfit = SCALE.replace("name = 'scale'", "name = 'misfit'").replace(", 'i32=32'", "");
    let file = own("launches-errors", &format!("{SCALE}{gone}{misfit}"));
    let report = json(2, &["check", &file, "--json"]);
    assert_eq!(results(&report), [("scale", "good"), ("gone", "error"), ("misfit", "error")]);
    let told = |at: usize| report["launches"][at]["broken"][0]["message"].as_str().unwrap();
    assert!(told(1).contains("cannot read ") && told(1).contains("gone.ptx"), "{}", told(1));
    assert!(told(2).contains("scale takes 3 arguments, 2 given"), "{}", told(2));
    let log = json(2, &["check", &file, "--format", "sarif"]);
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
    let (stdout, _) = ends_with(2, &["check", &file]);
    assert!(
        stdout.contains("gone:\nerror: bad_launch: cannot read ") && stdout.contains("1 good, 2 cannot run"),
        "{stdout}"
    );
    let refused = SCALE.replace("block = 32", "block = 2000\ncounters = { barriers = 0 }");
    let refused = own("launches-refused", &refused);
    let report = json(1, &["check", &refused, "--json"]);
    assert_eq!(report["launches"][0]["findings"][0]["kind"], "launch_limit");
    let told = report["launches"][0]["broken"][0]["message"].as_str().unwrap();
    assert!(told.contains("barriers should be 0") && told.contains("did not end"), "{told}");
}

#[test]
fn several_files_run_side_by_side() {
    let (good, broken) = (here("good.toml"), here("broken.toml"));
    let with_jobs = |jobs: &str| json(1, &["check", &good, &broken, "--json", "--jobs", jobs]);
    let report = with_jobs("1");
    assert_eq!(report["launches"].as_array().unwrap().len(), 10);
    assert_eq!((&report["good"], &report["broken"]), (&json!(5), &json!(5)));
    let again = with_jobs("4");
    assert_eq!(results(&again), results(&report));
    for (one, other) in report["launches"].as_array().unwrap().iter().zip(again["launches"].as_array().unwrap()) {
        assert_eq!((&one["counters"], &one["broken"]), (&other["counters"], &other["broken"]), "{}", one["name"]);
    }
}

#[test]
fn junit_has_a_case_for_each_launch() {
    let (good, broken) = (here("good.toml"), here("broken.toml"));
    let (xml, _) = ends_with(1, &["check", &good, &broken, "--format", "junit"]);
    assert!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"warpwise\" "), "{xml}");
    assert!(xml.lines().nth(1).unwrap().contains(" tests=\"10\" failures=\"5\" errors=\"0\" "), "{xml}");
    assert_eq!((xml.matches("<testcase ").count(), xml.matches("<failure ").count()), (10, 5), "{xml}");
    assert!(xml.contains(&format!("<testsuite name=\"{good}\" tests=\"4\" failures=\"0\"")), "{xml}");
    assert!(xml.contains("<failure type=\"race\" message=\""), "{xml}");
    let (xml, _) = ends_with(0, &["check", &good, &good, "--format", "junit"]);
    assert_eq!((xml.matches("<testsuite ").count(), xml.matches("<testcase ").count()), (1, 8), "{xml}");
    let single = ["check", "vecadd", "gpu-grid", "-n", "100", "--format", "junit"];
    let (xml, _) = ends_with(0, &single);
    assert!(xml.contains("<testcase name=\"vecadd gpu-grid, n = 100, 1 launch\""), "{xml}");
}

#[test]
fn sarif_has_findings_and_expectations() {
    let log = json(1, &["check", &here("broken.toml"), "--format", "sarif"]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<&str> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    let expected = ["expectation", "expectation", "race", "expectation", "out_of_bounds"];
    assert_eq!(rules, expected);
    let place = |at: usize| &results[at]["locations"][0]["physicalLocation"];
    assert!(place(0)["artifactLocation"]["uri"].as_str().unwrap().ends_with("tests/launches/broken.toml"));
    assert_eq!(place(0)["region"]["startLine"], 10);
    assert!(place(2)["artifactLocation"]["uri"].as_str().unwrap().ends_with("tests/launches/kernels.cu"));
    let log = json(0, &["check", &here("good.toml"), "--format", "sarif"]);
    let kinds: Vec<&Value> =
        log["runs"][0]["results"].as_array().unwrap().iter().map(|result| &result["suppressions"][0]["kind"]).collect();
    assert_eq!(kinds, ["external", "inSource"]);
}

#[test]
fn tables_for_spreadsheets_and_notes() {
    let file = here("broken.toml");
    let (csv, _) = ends_with(1, &["check", &file, "--format", "csv"]);
    let heading = "launch_file,line,name,file,kernel,result,findings,broken,warp_instructions,time_ms\n";
    assert!(csv.starts_with(heading) && csv.lines().count() == 7, "{csv}");
    assert!(csv.contains(",a finding,") && csv.contains(",shift,broken,1,0,"), "{csv}");
    let (notes, _) = ends_with(1, &["check", &file, "--format", "markdown"]);
    assert!(notes.starts_with("### launches\n\n| launch ") && notes.contains("\n### problems\n"), "{notes}");
    assert!(notes.contains("| shared_load_conflicts is 992, but should be 0 "), "{notes}");
    let (notes, _) = ends_with(0, &["check", &here("good.toml"), "--format", "markdown"]);
    assert!(!notes.contains("problems"), "{notes}");
}

#[test]
fn baselines_and_severities_apply() {
    let text = "[[launch]]\nname = 'shift'\nfile = 'kernels.ptx'\nkernel = 'shift'\ngrid = 1\nblock = 128\n\
        args = ['i32[128]:iota', 'i32[128]:uninit']\n";
    let file = own("launches-baseline", text);
    let (log, _) = ends_with(1, &["check", &file, "--format", "sarif"]);
    let baseline = write(Path::new(&file).parent().unwrap(), "known.sarif", log);
    let report = json(0, &["check", &file, "--baseline", &baseline, "--json"]);
    assert_eq!(report["launches"][0]["findings"][0]["known"], true);
    // The same finding of the same kernel, without a launch file.
    let kernel = here("kernels.ptx");
    let single =
        ["--entry", "shift", "--grid", "1", "--block", "128", "--arg", "i32[128]:iota", "--arg", "i32[128]:uninit"];
    ends_with(0, &[&["check", &kernel, "--baseline", &baseline], &single[..]].concat());
    ends_with(0, &["check", &file, "--fail-on", "none"]);
    ends_with(0, &["check", &file, "--check", "memory"]);
}

#[test]
fn paths_in_arguments_are_beside_the_launch_file() {
    let text = SCALE.replace("f32[32]:iota", "f32[]:file:in.bin") + "expect = [{ arg = 0, file = 'out.bin' }]\n";
    let raw = |factor: f32| (0..32u8).flat_map(|i| (f32::from(i) * factor).to_le_bytes()).collect::<Vec<u8>>();
    let place = folder("launches-paths");
    let file = write(&place, "launches.toml", text.replace("kernels.ptx", &here("kernels.ptx")));
    write(&place, "in.bin", raw(1.0));
    write(&place, "out.bin", raw(2.0));
    ends_with(0, &["check", &file]);
    write(&place, "out.bin", raw(3.0));
    let (stdout, _) = ends_with(1, &["check", &file]);
    assert!(stdout.contains("31 of 32 elements differ; element 1 is 2, but should be 3"), "{stdout}");
}

#[test]
fn cuda_programs_are_launched_too() {
    if !nvrtc() {
        return;
    }
    let source = "extern \"C\" __global__ void fill(int* x) { x[threadIdx.x] = VALUE; }\n";
    let place = folder("launches-cuda");
    write(&place, "fill.cu", source);
    let launch = |name: &str, value: &str| {
        format!(
            "[[launch]]\nname = '{name}'\nfile = 'fill.cu'\ngrid = 1\nblock = 32\nargs = ['i32[32]:uninit']\n\
             defines = ['VALUE={value}']\nexpect = [{{ arg = 0, values = [{value}, {value}] }}]\n"
        )
    };
    let file = write(&place, "launches.toml", launch("seven", "7") + &launch("eight", "8"));
    let (stdout, _) = ends_with(0, &["check", &file]);
    assert!(stdout.contains("2 launches: 2 good"), "{stdout}");
}

#[test]
fn bad_input() {
    let (good, text) = (here("good.toml"), own("launches-bad", "[[launch]]\nname = 'x'\ngrdi = 4\n"));
    let counter = own("launches-counter", &format!("{SCALE}counters = {{ barrier = 0 }}\n"));
    for (arguments, piece) in [
        (vec!["check", &text], "launches.toml:3: `grdi` is not a key of a launch; the nearest is `grid`"),
        (vec!["check", &counter], "launches.toml:8: `barrier` is not a key of counters; the nearest is `barriers`"),
        (vec!["check", "gone.toml"], "cannot read gone.toml"),
        (vec!["check", &good, "kernel.cu"], "`kernel.cu` is not a launch file"),
        (vec!["check", &good, "--grid", "4"], "--grid is for a single kernel"),
        (vec!["check", &good, "--arg", "u32=4"], "--arg is for a single kernel"),
        (vec!["check", &good, "-n", "4"], "-n is for rungs"),
        (vec!["check", &good, "--gpu", "voodoo2"], "--gpu: `voodoo2` is not a known GPU"),
        (vec!["check", &good, "--jobs", "0"], "--jobs"),
        (vec!["check", "reduce", "gpu-3-sequential", "--jobs", "2"], "--jobs is for launch files"),
        (vec!["check", &good, "--baseline", "gone.sarif"], "--baseline: cannot read gone.sarif"),
        (vec!["check", "a", "b", "c"], "give a .cu or .ptx file, or a primitive and its rung"),
    ] {
        let error = mistake(&arguments);
        assert!(error.contains(piece), "`{piece}` in: {error}");
    }
}
