//! Kernels that run to the end.

use super::{data, ends_with, folder, json};
use serde_json::json;
use std::process::{Command, Stdio};

const ADD: [&str; 12] = [
    "--grid",
    "4",
    "--block",
    "256",
    "--arg",
    "f32[1000]:iota",
    "--arg",
    "f32[1000]:ones",
    "--arg",
    "f32[1000]:zeros",
    "--arg",
    "i32=1000",
];

fn add<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    ["run", file].iter().chain(&ADD).chain(more).copied().collect()
}

#[test]
fn the_json_is_the_documented_one() {
    let file = data("vecadd.ptx");
    let report = json(0, &add(&file, &["--json"]));
    let keys: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["schema", "kernel", "device", "grid", "block", "ok", "time_ms", "counters", "findings", "buffers"]
    );
    assert_eq!(report["kernel"], "vecAdd");
    assert_eq!(report["device"], "emulator");
    assert_eq!(report["grid"], json!([4, 1, 1]));
    assert_eq!(report["block"], json!([256, 1, 1]));
    assert_eq!(report["ok"], true);
    assert!(report["time_ms"].as_f64().unwrap() >= 0.0);
    assert_eq!(report["findings"], json!([]));
    let head: Vec<f64> = (1..=16).map(f64::from).collect();
    assert_eq!(report["buffers"][2], json!({"arg": 2, "type": "f32", "len": 1000, "head": head, "last": 1000.0}));
}

/// Every name and every count: a kernel this small can be counted by hand. 32 warps, the last with 24 lanes past the end, which alone jump.
#[test]
fn the_counters_are_the_documented_ones() {
    let file = data("vecadd.ptx");
    let report = json(0, &add(&file, &["--json"]));
    let counters = report["counters"].as_object().unwrap();
    let expected = [
        ("warp_instructions", 22 * 32),
        ("thread_instructions", 1024 * 10 + 24 + 1000 * 11),
        ("branches", 32),
        ("divergent_branches", 1),
        ("global_load_requests", 64),
        ("global_load_sectors", 250),
        ("global_store_requests", 32),
        ("global_store_sectors", 125),
        ("shared_load_requests", 0),
        ("shared_load_wavefronts", 0),
        ("shared_load_conflicts", 0),
        ("shared_store_requests", 0),
        ("shared_store_wavefronts", 0),
        ("shared_store_conflicts", 0),
        ("global_atomics", 0),
        ("shared_atomics", 0),
        ("barriers", 0),
    ];
    let keys: Vec<_> = counters.keys().map(String::as_str).collect();
    assert_eq!(keys[..expected.len()], expected.map(|(name, _)| name));
    for (name, value) in expected {
        assert_eq!(counters[name], value, "{name}");
    }
    assert_eq!(counters["global_load_bytes"], 8000);
}

#[test]
fn findings_of_checks_make_a_run_fail() {
    let file = data("race.ptx");
    let smooth = ["run", &file, "--entry", "smooth", "--grid", "1", "--block", "256", "--json"];
    let given = ["--arg", "f32[256]:iota", "--arg", "f32[256]:zeros"];
    let report = json(0, &[&smooth[..], &given].concat());
    assert_eq!((&report["ok"], &report["findings"]), (&json!(true), &json!([])), "no check unless asked for");
    for checks in ["races", "all", "sync,races"] {
        let report = json(1, &[&smooth[..], &given, &["--check", checks]].concat());
        assert_eq!((&report["ok"], &report["findings"][0]["kind"]), (&json!(false), &json!("race")));
        assert!(report["buffers"].is_array() && report["counters"].is_object(), "it ran to its end all the same");
    }
    let report = json(0, &[&smooth[..], &given, &["--check", "none"]].concat());
    assert_eq!(report["findings"], json!([]));
}

#[test]
fn zeros_are_zeros() {
    let file = data("vecadd.ptx");
    let given = ["--arg", "f32[20]:zeros", "--arg", "f32[20]:list:1,2", "--arg", "f32[20]:zeros", "--arg", "i32=20"];
    let report = json(0, &[&["run", &file, "--grid", "1", "--block", "32", "--json"], &given[..]].concat());
    let head: Vec<f64> = [1.0, 2.0].into_iter().chain([0.0; 14]).collect();
    assert_eq!(report["buffers"][2]["head"], json!(head));
}

#[test]
fn people_get_a_table() {
    let (stdout, stderr) = ends_with(0, &add(&data("vecadd.ptx"), &["--entry", "vecAdd", "--device", "emulator"]));
    for piece in [
        "kernel  vecAdd",
        "grid 4 x block 256 = 1024 threads",
        "warp instructions",
        "global loads   64 requests, 250 sectors of 32 bytes (250 would hold the bytes)\n",
        "  2  f32[1000]  1 2 3 4 5 6 7 8 … 1000\n",
    ] {
        assert!(stdout.contains(piece), "`{piece}` in:\n{stdout}");
    }
    assert!(!stdout.contains('\x1b') && stderr.is_empty());
}

#[test]
fn scalars_and_structs_by_value() {
    let file = data("pair.ptx");
    let scale =
        ["run", &file, "--entry", "scale", "--grid", "1", "--block", "8", "--json", "--arg", "f32[]:list:1,2,nan,-inf"];
    let report = json(0, &[&scale[..], &["--arg", "f32=-0.5", "--arg", "u32=4"]].concat());
    assert_eq!(report["buffers"][0]["head"], json!([-0.5, -1.0, "NaN", "inf"]));
    let fill = ["run", &file, "--entry", "fill", "--grid", "1", "--block", "2", "--json"];
    let report = json(0, &[&fill[..], &["--arg", "u32[4]:uninit", "--arg", "bytes=0700000009000000"]].concat());
    assert_eq!(report["buffers"][0]["head"], json!([7, 9, 7, 9]));
}

#[test]
fn buffers_are_dumped_and_read_back() {
    let out = folder("dump").join("deep");
    let out_text = out.display().to_string();
    let file = data("vecadd.ptx");
    ends_with(0, &add(&file, &["--dump", &out_text]));
    let written = std::fs::read(out.join("arg2.bin")).unwrap();
    let expected: Vec<u8> = (1..=1000).flat_map(|i| (i as f32).to_le_bytes()).collect();
    assert_eq!(written, expected);
    let mut names: Vec<_> = out.read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["arg0.bin", "arg1.bin", "arg2.bin"]);
    let again = format!("f32[]:file:{}", out.join("arg2.bin").display());
    let report = json(
        0,
        &[
            "run",
            &file,
            "--grid",
            "4",
            "--block",
            "256",
            "--json",
            "--arg",
            &again,
            "--arg",
            &again,
            "--arg",
            "f32[1e3]:zeros",
            "--arg",
            "i32=1000",
        ],
    );
    assert_eq!(report["buffers"][2]["last"], 2000.0);
}

#[test]
fn random_data_is_the_same_every_time() {
    let file = data("vecadd.ptx");
    let arguments = [
        "run",
        &file,
        "--grid",
        "1",
        "--block",
        "1",
        "--json",
        "--arg",
        "f32[64]:random:0:1",
        "--arg",
        "f32[64]:random:0:1",
        "--arg",
        "f32[64]:zeros",
        "--arg",
        "i32=0",
    ];
    let (first, second) = (json(0, &arguments), json(0, &arguments));
    assert_eq!(first["buffers"], second["buffers"]);
    assert_ne!(first["buffers"][0]["head"], first["buffers"][1]["head"], "each buffer has its own");
}

#[test]
fn empty_buffers_and_no_last_value() {
    let file = data("vecadd.ptx");
    let report = json(
        0,
        &[
            "run",
            &file,
            "--grid",
            "1",
            "--block",
            "1",
            "--json",
            "--arg",
            "f32[0]:zeros",
            "--arg",
            "f32[0]:ones",
            "--arg",
            "f32[0]:iota",
            "--arg",
            "i32=0",
        ],
    );
    assert_eq!(report["buffers"][0], json!({"arg": 0, "type": "f32", "len": 0, "head": []}));
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let file = data("vecadd.ptx");
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(add(&file, &["--device", "emulator"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
