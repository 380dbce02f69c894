//! `--format`: every verb writes what its report offers, and refuses the rest.

use super::{data, ends_with, json, mistake};

#[test]
fn json_is_json_by_either_name() {
    assert_eq!(json(0, &["list", "--format", "json"]), json(0, &["list", "--json"]));
    let message = mistake(&["list", "--json", "--format", "csv"]);
    assert!(message.contains("cannot be used with"), "{message}");
}

#[test]
fn data_is_comma_separated() {
    let (csv, _) = ends_with(0, &["list", "--format", "csv"]);
    assert!(csv.starts_with("primitive,types,variant,device,idea\n"), "{csv}");
    assert!(csv.contains("\nreduce,i32 u32 i64 u64 f32 f64,gpu-1-interleaved,gpu,"), "{csv}");
    let (csv, _) = ends_with(0, &["heat", "-n", "5", "-m", "5", "-r", "-k", "1", "-i", "3", "--format", "csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines[0], lines.len()), ("iterations,min,max,diff,avg,time_s,flop_per_s", 4), "{csv}");
    let rungs = ["bench", "reduce", "--variant", "gpu-1-interleaved,gpu-2-strided", "--device", "emulator", "-n", "64"];
    let (csv, _) = ends_with(0, &[&rungs[..], &["--format", "csv"]].concat());
    assert!(csv.starts_with("primitive,variant,device,type,n,") && csv.lines().count() == 3, "{csv}");
    let (chart, _) = ends_with(0, &[&rungs[..], &["--format", "svg"]].concat());
    assert!(chart.starts_with("<svg"), "{chart}");
}

#[test]
fn tables_are_pages_too() {
    for verb in ["list", "devices", "doctor"] {
        let (page, _) = ends_with(0, &[verb, "--format", "html"]);
        assert!(page.starts_with("<!doctype html>") && page.contains("<table>"), "{page}");
    }
}

#[test]
fn what_a_run_found_is_sarif_too() {
    let file = data("race.ptx");
    let launch = ["--grid", "4", "--block", "256", "--arg", "f32[1024]:iota", "--arg", "f32[1024]:uninit"];
    let arguments = [&["run", &file, "--entry", "smooth", "--check", "all"], &launch[..]].concat();
    let found = json(1, &[&arguments[..], &["--json"]].concat())["findings"].as_array().unwrap().len();
    let log = json(1, &[&arguments[..], &["--format", "sarif"]].concat());
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), found);
    let place = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(place.as_str().unwrap().ends_with("race.cu"), "{place}");
}

#[test]
fn what_there_is_not_is_refused_with_what_there_is() {
    let message = mistake(&["list", "--format", "sarif"]);
    assert!(message.contains("text, json, csv, html"), "{message}");
    let like = ["bench", "--like", "reduce-ladder", "--device", "emulator", "-n", "64", "--format", "svg"];
    let message = mistake(&like);
    assert!(message.contains("there is no svg of this: use text, json, csv, html"), "{message}");
}
