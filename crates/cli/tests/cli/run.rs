//! Kernels that end well.

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
    assert_eq!(keys, ["schema", "kernel", "device", "grid", "block", "ok", "time_ms", "findings", "buffers"]);
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

#[test]
fn people_get_a_table() {
    let (stdout, stderr) = ends_with(0, &add(&data("vecadd.ptx"), &["--entry", "vecAdd", "--device", "emulator"]));
    for piece in [
        "kernel  vecAdd",
        "grid 4 x block 256 = 1024 threads",
        "warp instructions",
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
        .args(add(&file, &[]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
