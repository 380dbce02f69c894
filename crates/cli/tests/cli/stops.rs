//! Kernels that are stopped: a finding, exit status 1.

use super::{data, ends_with, json};
use serde_json::Value;

#[track_caller]
fn finding(arguments: &[&str], kind: &str) -> Value {
    // A launch that is refused is bad input; everything else is a finding about a kernel that ran.
    let status = if kind == "launch_limit" { 2 } else { 1 };
    let report = json(status, &[&["run"], arguments, &["--json"]].concat());
    assert_eq!(report["ok"], false);
    let finding = &report["findings"][0];
    assert_eq!(finding["kind"], kind, "{report}");
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["count"], 1);
    report
}

fn stops<'a>(file: &'a str, entry: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[file, "--entry", entry, "--grid", "1", "--block", "32"], more].concat()
}

#[test]
fn an_access_outside_a_buffer() {
    let file = data("vecadd.ptx");
    let arguments = [
        &file,
        "--grid",
        "1",
        "--block",
        "64",
        "--arg",
        "f32[64]:ones",
        "--arg",
        "f32[64]:ones",
        "--arg",
        "f32[40]:zeros",
        "--arg",
        "i32=64",
    ];
    let report = finding(&arguments, "out_of_bounds");
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("0x"), "the address: {message}");
    assert!(message.contains("thread (40"), "the thread: {message}");
    assert!(message.contains("block (0"), "the block: {message}");
    assert_eq!(report["findings"][0]["line"], 38, "the line of the store in the PTX file");
    let (stdout, _) = ends_with(1, &[&["run"], &arguments[..]].concat());
    assert!(stdout.contains("error: out_of_bounds: ") && stdout.contains("st.global.f32 [%rd10], %f3;"), "{stdout}");
}

#[test]
fn an_endless_kernel() {
    let report = finding(&stops(&data("stops.ptx"), "endless", &["--max-instructions", "1e5"]), "timeout");
    assert!(report["findings"][0]["message"].as_str().unwrap().contains("100000"));
}

#[test]
fn a_kernel_that_takes_too_long() {
    let file = data("stops.ptx");
    let report = finding(&stops(&file, "endless", &["--time-limit", "0.05"]), "timeout");
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("the limit (--time-limit) is 0.05 s"), "{message}");
    assert!(message.contains("threads were at PTX line 9 (32 threads)"), "{message}");
    let stopped = ["--entry", "endless", "--grid", "1", "--block", "32", "--time-limit", "0.05"];
    let report = json(1, &[&["check", &file, "--json"], &stopped[..]].concat());
    assert_eq!(report["findings"][0]["kind"], "timeout");
    let (_, stderr) = ends_with(2, &[&["explain", &file], &stopped[..]].concat());
    assert!(stderr.contains("the kernel did not end") && stderr.contains("--time-limit"), "{stderr}");
    // A grid of short blocks is stopped too.
    let many = ["--entry", "short", "--grid", "2147483647", "--block", "1", "--time-limit", "0.05", "--json"];
    let report = json(1, &[&["run", &file], &many[..]].concat());
    assert!(report["findings"][0]["message"].as_str().unwrap().contains("of 2147483647 blocks were started"));
    for limit in ["0", "-1", "soon", "inf", "nan"] {
        let error = super::mistake(&[&["run", &file], &stopped[..6], &["--time-limit", limit]].concat());
        assert!(error.contains("--time-limit") && error.contains("above 0"), "{error}");
    }
}

#[test]
fn a_barrier_that_never_fills() {
    finding(&stops(&data("stops.ptx"), "waits", &[]), "deadlock");
}

#[test]
fn a_trap() {
    finding(&stops(&data("stops.ptx"), "traps", &[]), "trap");
}

#[test]
fn an_instruction_nobody_knows() {
    let report = finding(&stops(&data("stops.ptx"), "unknown", &[]), "unsupported");
    assert!(report["findings"][0]["message"].as_str().unwrap().contains("frobnicate"));
}

#[test]
fn a_misaligned_access() {
    finding(&stops(&data("stops.ptx"), "misaligned", &["--arg", "u32[4]:zeros"]), "misaligned");
}

#[test]
fn launches_past_the_limits() {
    let file = data("stops.ptx");
    let limit = |arguments: &[&str]| {
        let report = finding(arguments, "launch_limit");
        assert!(report.get("buffers").is_none() && report.get("time_ms").is_none());
        report["findings"][0]["message"].as_str().unwrap().to_owned()
    };
    let threads = limit(&[&file, "--entry", "traps", "--grid", "1", "--block", "1025"]);
    assert!(threads.contains("1024"), "{threads}");
    let depth = limit(&[&file, "--entry", "traps", "--grid", "1", "--block", "1,1,65"]);
    assert!(depth.contains("64"), "{depth}");
    let height = limit(&[&file, "--entry", "traps", "--grid", "1,65536", "--block", "1"]);
    assert!(height.contains("65535"), "{height}");
    let shared = limit(&[&file, "--entry", "traps", "--grid", "1", "--block", "1", "--shared", "228*1024"]);
    assert!(shared.contains("232448"), "{shared}");
    limit(&[&file, "--entry", "traps", "--grid", "0", "--block", "1"]);
    // The same launch on a smaller GPU.
    let big = ["--entry", "traps", "--grid", "1", "--block", "1", "--shared", "64*1024"];
    finding(&[&[file.as_str()], &big[..], &["--gpu", "h200"]].concat(), "trap");
    limit(&[&[file.as_str()], &big[..], &["--gpu", "gtx-970"]].concat());
}
