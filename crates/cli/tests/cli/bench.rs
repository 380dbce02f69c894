//! `bench` and `compare`.

use super::{ends_with, folder, json, mistake, write};
use std::path::Path;
use std::process::Command;

/// As quick as possible: the fewest samples.
const QUICK: [&str; 2] = ["--time-limit", "0"];

fn bench<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["bench"], arguments, &QUICK].concat()
}

/// A command that runs in a folder.
fn in_folder(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_warpwise")).args(arguments).current_dir(folder).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn json_has_the_keys_that_other_programs_read() {
    let arguments = ["reduce", "--variant", "all", "--device", "cpu", "-n", "1000,2^12", "--type", "f32", "--json"];
    let report = json(0, &bench(&arguments));
    assert_eq!(report["schema"], 1);
    assert!(report["host"]["cores"].as_u64().unwrap() > 0);
    assert!(report["device"]["copy_gb_per_s"].as_f64().unwrap() > 0.0);
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    for row in results {
        for key in ["primitive", "variant", "device", "type", "stopped_by"] {
            assert!(row[key].is_string(), "{key}: {row}");
        }
        for key in ["n", "samples", "calls_per_sample"] {
            assert!(row[key].as_u64().unwrap() > 0, "{key}: {row}");
        }
        for key in ["median_ms", "gb_per_s", "gflop_per_s", "elements_per_s", "percent_of_copy"] {
            assert!(row[key].as_f64().unwrap() > 0.0, "{key}: {row}");
        }
        assert!(row["ok"] == true && row["max_error"].is_number() && row["noise_pct"].is_number(), "{row}");
        assert!(row["stages_ms"]["kernel"].is_number() && row["samples"].as_u64() >= Some(10), "{row}");
    }
}

#[test]
fn grids_have_rows_columns_and_iterations() {
    let arguments = ["heat", "--variant", "cpu-seq", "--size", "20x30", "--iterations", "3", "--json"];
    let report = json(0, &bench(&arguments));
    let row = &report["results"][0];
    assert_eq!((&row["rows"], &row["cols"], &row["iterations"]), (&20.into(), &30.into(), &3.into()));
    assert!(row.get("n").is_none(), "{row}");
}

#[test]
fn emulated_rows_are_marked_and_have_no_rates() {
    let arguments = ["reduce", "--variant", "all", "--device", "emulator", "-n", "3000", "--json"];
    let report = json(0, &bench(&arguments));
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 11);
    for row in results {
        assert!(row["emulated"] == true && row["ok"] == true && row["device"] == "emulator", "{row}");
        assert!(row.get("gb_per_s").is_none() && row.get("percent_of_copy").is_none(), "{row}");
    }
}

#[test]
fn a_table_a_page_values_and_a_chart() {
    let here = folder("bench-files");
    let path = |name: &str| here.join(name).display().to_string();
    let (csv, html, svg) = (path("r.csv"), path("r.html"), path("r.svg"));
    let arguments = ["scan", "--variant", "all", "--device", "cpu", "-n", "2^10..2^11", "--baseline", "cpu-seq"];
    let (stdout, _) =
        ends_with(0, &bench(&[&arguments[..], &["--csv", &csv, "--html", &html, "--svg", &svg]].concat()));
    assert!(stdout.starts_with("scan (sum), input random, on cpu: a copy moves "), "{stdout}");
    assert!(stdout.contains("| variant | type |    n |") && stdout.contains("1.00x |"), "{stdout}");
    let read = |file: &str| std::fs::read_to_string(file).unwrap();
    assert_eq!(read(&csv).lines().count(), 5);
    assert!(read(&html).contains("<svg") && read(&html).contains("cpu-par"));
    assert!(read(&svg).starts_with("<svg "));
}

#[test]
fn bad_input_names_the_flag() {
    for (arguments, parts) in [
        (&["redcue"][..], &["redcue", "vecadd, reduce, scan"][..]),
        (&["hello"], &["no primitive hello to time"]),
        (&["reduce", "--variant", "gpu-99"], &["--variant", "gpu-99", "cpu-seq"]),
        (&["reduce", "--variant", "gpu-8-shuffle", "--device", "cpu"], &["--variant", "on this --device", "cpu-par"]),
        (&["reduce", "--type", "u8"], &["--type", "u8", "i32, u32"]),
        (&["reduce", "-n", "2^60", "--device", "cpu"], &["-n", "2^60", "use a smaller size"]),
        (&["reduce", "-n", "0"], &["-n", "at least 1"]),
        (&["reduce", "-n", "-5"], &["-n", "not a number from 0"]),
        (&["reduce", "-n", "9", "--csv", "."], &["not a file name"]),
        (&["reduce", "-n", "5..9"], &["-n", "powers of two"]),
        (&["reduce", "--size", "3x4"], &["--size", "use -n"]),
        (&["heat", "--size", "3"], &["--size", "ROWSxCOLS"]),
        (&["heat", "--size", "3x3", "--iterations", "0"], &["--iterations", "at least 1"]),
        (&["reduce", "--input", "purple"], &["--input", "purple", "random, sorted"]),
        (&["radiator", "--input", "random"], &["--input", "2019, 2023, 2025"]),
        (&["reduce", "--baseline", "cpu"], &["--baseline", "cpu-seq"]),
        (&["histogram", "-n", "9", "--bins", "0"], &["--bins", "1 to 1048576"]),
        (&["reduce", "-n", "9", "--time-limit", "-1"], &["--time-limit", "seconds"]),
        (&["reduce", "-n", "9", "--save-baseline", "../x"], &["--save-baseline", "../x"]),
        (&["reduce", "-n", "9", "--csv", "/no/such/folder/x.csv"], &["/no/such/folder/x.csv", "no folder"]),
        (&["vecadd", "-n", "2000", "--variant", "gpu-one-block", "--device", "emulator"], &["gpu-one-block", "launch"]),
    ] {
        // If no device is named, a line about the missing GPU may come first.
        let device: &[&str] = if arguments.contains(&"--device") { &[] } else { &["--device", "cpu"] };
        let error = mistake(&[&["bench"], arguments, device].concat());
        for part in parts {
            assert!(error.contains(part), "`{part}` in: {error}");
        }
    }
}

#[test]
fn what_a_variant_does_not_take_is_a_note() {
    let (stdout, _) = ends_with(0, &bench(&["scan", "--variant", "all", "--device", "emulator", "-n", "5000"]));
    assert!(stdout.contains("note: gpu-1-hillis-steele i32 5000 was not run: "), "{stdout}");
}

#[test]
fn baselines_are_saved_and_compared() {
    let here = folder("bench-baselines");
    let arguments = bench(&["vecadd", "--device", "cpu", "-n", "1000", "--save-baseline", "first"]);
    let (status, _, stderr) = in_folder(&here, &arguments);
    assert_eq!(status, Some(0), "{stderr}");
    assert!(stderr.contains("saved as .warpwise/baselines/first.json"), "{stderr}");
    let (status, stdout, _) = in_folder(&here, &["compare", "first", "first", "--fail-if-slower"]);
    assert_eq!(status, Some(0), "{stdout}");
    assert!(stdout.contains("0 faster, 1 the same, 0 slower"), "{stdout}");
    let (status, _, stderr) = in_folder(&here, &["compare", "first", "second"]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("no file and no baseline second") && stderr.contains("(first)"), "{stderr}");
}

/// A report with one row of the given time.
fn results(variant: &str, ms: f64) -> String {
    format!(
        r#"{{"schema":1,"results":[{{"primitive":"reduce","variant":"{variant}","device":"cpu","type":"f32","n":8,
        "ok":true,"samples":10,"median_ms":{ms},"noise_pct":1.0}}]}}"#
    )
}

#[test]
fn verdicts_and_what_is_no_file_of_results() {
    let here = folder("bench-compare");
    let fast = write(&here, "fast.json", results("cpu-par", 1.0));
    let slow = write(&here, "slow.json", results("cpu-par", 1.5));
    let comparison = json(0, &["compare", &fast, &slow, "--json"]);
    assert_eq!((&comparison["slower"], &comparison["results"][0]["verdict"]), (&1.into(), &"slower".into()));
    ends_with(1, &["compare", &fast, &slow, "--fail-if-slower"]);
    assert!(ends_with(0, &["compare", &slow, &fast]).0.contains("1 faster"));
    let (stdout, _) = ends_with(
        0,
        &["compare", &write(&here, "x.json", results("a|b", 1.0)), &write(&here, "y.json", results("a|b", 1.0))],
    );
    assert!(stdout.contains("a\\|b"), "a bar is no new cell: {stdout}");
    for (name, text, part) in [
        ("cut.json", &results("cpu-par", 1.0)[..60], "not a complete file of results"),
        ("future.json", r#"{"schema":2}"#, "schema 2"),
        ("list.json", "[1,2]", "it has no schema"),
        ("empty.json", "", "not a complete file of results"),
    ] {
        let error = mistake(&["compare", &fast, &write(&here, name, text)]);
        assert!(error.contains(part) && error.contains(name), "{error}");
    }
    let other = write(&here, "other.json", results("cpu-seq", 1.0));
    assert!(mistake(&["compare", &fast, &other]).contains("no timed configuration in common"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_what_was_measured() {
    let here = folder("bench-interrupt");
    let csv = here.join("r.csv");
    let file = csv.display().to_string();
    // Years of samples, unless interrupted. It watches for the signal before it measures the copy.
    let arguments = ["bench", "reduce", "--device", "cpu", "-n", "2^10..2^20", "--time-limit", "86400", "--csv", &file];
    let output = super::interrupted(&[&arguments[..], &["--variant", "all", "--json"]].concat(), 1500);
    assert_eq!(output.status.code(), Some(130));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["interrupted"], true);
    let rows = report["results"].as_array().unwrap().len();
    assert!(rows < 22, "it did not measure everything");
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), rows + 1);
}

#[test]
fn published_experiments_are_run_again() {
    let (stdout, _) = ends_with(0, &["bench", "--like", "list"]);
    assert_eq!(stdout.lines().count(), 11);
    assert!(stdout.contains("reduce-ladder") && stdout.contains("RTX 2080 Ti"), "{stdout}");
    let arguments = ["bench", "--like", "matmul-surrey", "--device", "emulator", "-n", "16,32"];
    let (stdout, _) = ends_with(0, &arguments);
    assert!(stdout.contains("| published time |") && stdout.contains("global memory"), "{stdout}");
    let report = json(0, &[&arguments[..], &["--json"]].concat());
    assert_eq!(report["results"].as_array().unwrap().len(), 4);
    assert_eq!(report["results"][0]["published_ms"], 0.008192);
    assert!(mistake(&["bench", "--like", "nothing"]).contains("reduce-ladder"));
    assert!(mistake(&["bench"]).contains("PRIMITIVE"));
}

#[test]
fn sweeps() {
    let here = folder("sweep-files");
    let results = here.join("results.jsonl").display().to_string();
    let arguments = ["sweep", "reduce", "gpu-7-multi-add", "--block", "48,64,128", "--grid", "2,4", "-n", "3000"];
    let arguments = [&arguments[..], &["--device", "emulator", "--results", &results]].concat();
    let (stdout, _) = ends_with(0, &arguments);
    for part in ["block \\ grid", "best: block", "a power of two from 64", "time estimated for the h200"] {
        assert!(stdout.contains(part), "`{part}` in: {stdout}");
    }
    let report = json(0, &[&arguments[..], &["--json"]].concat());
    let points = report["results"].as_array().unwrap();
    assert_eq!(points.len(), 6);
    assert!(points.iter().all(|point| point["reused"] == true), "{report}");
    let error = ends_with(2, &[&arguments[..], &["--save"]].concat()).1;
    assert!(error.contains("--save: only times on a GPU"), "{error}");
    for (more, parts) in [
        (&["gpu-99"][..], &["gpu-99", "gpu-1-interleaved"][..]),
        (&["cpu-par"], &["no launches to sweep"]),
        (&["gpu-8-shuffle", "--budget", "soon"], &["--budget", "90s"]),
        (&["gpu-8-shuffle", "-n", "1,2"], &["-n", "one size"]),
        (&["gpu-8-shuffle", "--block", "64,x"], &["--block", "not a whole number"]),
        (&["gpu-8-shuffle", "--block", "2^40"], &["--block", "too many"]),
        (&["gpu-7-multi-add", "--block", "48", "-n", "99", "--device", "emulator"], &["a power of two from 64"]),
        (&["gpu-8-shuffle", "--results", "/no/such/folder/x"], &["/no/such/folder/x", "no folder"]),
    ] {
        let error = mistake(&[&["sweep", "reduce"], more].concat());
        for part in parts {
            assert!(error.contains(part), "`{part}` in: {error}");
        }
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_sweep_that_goes_on_later() {
    let here = folder("sweep-interrupt");
    let file = here.join("results.jsonl");
    let results = file.display().to_string();
    let grids: Vec<String> = (1..=4000).map(|n| n.to_string()).collect();
    let grids = grids.join(",");
    let arguments = ["sweep", "reduce", "gpu-7-multi-add", "--block", "64", "--grid", &grids, "-n", "2^16", "--json"];
    let arguments = [&arguments[..], &["--device", "emulator", "--results", &results]].concat();
    let output = super::interrupted_after_a_line(&arguments, &file);
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let seen = report["results"].as_array().unwrap().len();
    assert!(report["interrupted"] == true && (1..4000).contains(&seen), "it measured some, not everything: {seen}");
    assert_eq!(std::fs::read_to_string(&results).unwrap().lines().count(), seen, "what was measured is in the file");
    let few = [&arguments[..], &["--budget", "1"]].concat();
    let again = json(0, &few);
    assert_eq!(again["results"][0]["reused"], true, "and is not measured again");
}

#[test]
fn help_has_examples() {
    for verb in ["bench", "compare", "sweep"] {
        let (stdout, _) = ends_with(0, &[verb, "--help"]);
        assert!(stdout.contains("Examples:"), "{stdout}");
    }
}

#[test]
fn several_numbers_of_bins() {
    let arguments = ["histogram", "--variant", "gpu-3-shared", "--device", "emulator", "-n", "1e4", "--bins", "8,2^6"];
    let report = json(0, &bench(&[&arguments[..], &["--json"]].concat()));
    let bins: Vec<_> = report["results"].as_array().unwrap().iter().map(|row| row["bins"].as_u64()).collect();
    assert_eq!(bins, [Some(8), Some(64)]);
    let (stdout, _) = ends_with(0, &bench(&arguments));
    assert!(stdout.starts_with("histogram, input random, on emulator") && stdout.contains("| bins |"), "{stdout}");
}

#[test]
fn a_published_table_has_counters_and_estimates_in_every_row() {
    let report = json(0, &["bench", "--like", "vecadd", "--device", "cpu,emulator", "--json", "--time-limit", "0"]);
    let rows = report["results"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let estimated = &row["estimated"];
        match row["variant"].as_str().unwrap() {
            "gpu-one-block" => assert!(row["fails"].as_str().unwrap().contains("1024"), "{row}"),
            "cpu-seq" => assert!(estimated["counters"]["operations"].as_u64() == Some(1 << 20), "{row}"),
            _ => {
                assert!(estimated["device"] == "gtx-650" && estimated["ms"].as_f64() > Some(0.0), "{row}");
                assert!(estimated["counters"]["warp_instructions"].as_u64() > Some(100_000), "{row}");
            }
        }
    }
    assert!(report["says"][0].as_str().unwrap().contains("the fastest as"), "{report}");
}

#[cfg(unix)]
#[test]
fn two_programs_take_turns() {
    let (stdout, _) = ends_with(0, &["compare", "/bin/sh", "/bin/sh", "--rounds", "3", "--", "-c", "sleep 0.05"]);
    assert!(stdout.contains("the same") && stdout.contains("in 3 rounds of two processes"), "{stdout}");
    let error = mistake(&["compare", "/bin/sh", "/bin/sh", "--rounds", "2"]);
    assert!(error.contains("--rounds: 2 is too few"), "{error}");
    let error = mistake(&["compare", "/bin/sh", "results.json", "--", "-c", "true"]);
    assert!(error.contains("not one of each"), "{error}");
}

#[test]
fn a_sweep_that_cannot_be_kept_does_not_begin() {
    let error = mistake(&["sweep", "reduce", "gpu-8-shuffle", "-n", "2^30", "--device", "emulator", "--save"]);
    assert!(error.contains("--save: only times on a GPU are worth keeping"), "{error}");
}
