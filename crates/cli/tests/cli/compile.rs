//! CUDA C++ programs. They need NVRTC, found as the tool finds it; without it these tests say so, and fail in CI.

use super::{data, ends_with, folder, json, mistake, nvrtc};
use serde_json::json;
use std::process::Command;

#[test]
fn a_whole_program_runs() {
    if !nvrtc() {
        return;
    }
    let file = data("program.cu");
    let arguments = [
        "run",
        &file,
        "--entry",
        "add",
        "--grid",
        "4",
        "--block",
        "256",
        "--arg",
        "i32[1024]:iota",
        "--arg",
        "i32[1024]:ones",
        "--arg",
        "i32[1024]:zeros",
    ];
    let (stdout, _) = ends_with(0, &arguments);
    assert!(stdout.starts_with("adding 1024 numbers\nkernel  add\n"), "{stdout}");
    let report = json(0, &[&arguments[..], &["--json"]].concat());
    assert_eq!(report["printed"], "adding 1024 numbers\n");
    assert_eq!(report["buffers"][2]["last"], 1024);
}

#[test]
fn a_template_instance_runs() {
    if !nvrtc() {
        return;
    }
    let file = data("program.cu");
    let report = json(
        0,
        &[
            "run",
            &file,
            "--entry",
            "reverse<int,256>",
            "--grid",
            "1",
            "--block",
            "256",
            "--json",
            "--arg",
            "i32[256]:iota",
        ],
    );
    assert_eq!(report["kernel"], "reverse<int, 256>");
    assert_eq!(report["buffers"][0]["last"], 0);
    assert_eq!(report["buffers"][0]["head"][0], 255);
    let error = mistake(&["run", &file, "--entry", "reverse", "--grid", "1", "--block", "256"]);
    assert!(error.contains("template") && error.contains("--entry 'reverse<int, 256>'"), "{error}");
    let error = mistake(&["run", &file, "--entry", "reverse<int>", "--grid", "1", "--block", "256"]);
    assert!(error.contains("no template instance `reverse<int>`"), "{error}");
}

#[test]
fn findings_name_the_source_line() {
    if !nvrtc() {
        return;
    }
    let file = data("program.cu");
    let arguments = [
        "run",
        &file,
        "--entry",
        "add",
        "--grid",
        "4",
        "--block",
        "256",
        "--arg",
        "i32[1000]:iota",
        "--arg",
        "i32[1024]:ones",
        "--arg",
        "i32[1024]:zeros",
    ];
    let report = json(1, &[&arguments[..], &["--json"]].concat());
    assert_eq!(report["findings"][0]["kind"], "out_of_bounds");
    assert_eq!(report["findings"][0]["line"], 13);
    let (stdout, _) = ends_with(1, &arguments);
    assert!(stdout.contains("program.cu:13") && stdout.contains("    13 |     c[i] = a[i] + b[i];"), "{stdout}");
}

#[test]
fn the_signature_is_the_declaration() {
    if !nvrtc() {
        return;
    }
    let error =
        mistake(&["run", &data("program.cu"), "--entry", "add", "--grid", "1", "--block", "1", "--arg", "i32=1"]);
    assert!(error.contains("__global__ void add(const int *a, const int *b, int *c)"), "{error}");
}

#[test]
fn macros_headers_and_errors() {
    if !nvrtc() {
        return;
    }
    let here = folder("compile");
    std::fs::create_dir_all(here.join("inc")).unwrap();
    std::fs::write(
        here.join("inc/value.h"),
        "#include <iostream>\ninline void show() { std::cout << VALUE; }\nconst int value = VALUE;\n",
    )
    .unwrap();
    let file = here.join("k.cu").display().to_string();
    let text = "#include <value.h>\n#include <nowhere.h>\nextern \"C\" __global__ void k(int *a) { a[threadIdx.x] = value; }\n";
    std::fs::write(&file, text).unwrap();
    let include = here.join("inc").display().to_string();
    let arguments = [
        "run",
        &file,
        "--grid",
        "1",
        "--block",
        "4",
        "--arg",
        "i32[4]:zeros",
        "--json",
        "-D",
        "VALUE=42",
        "-I",
        &include,
    ];
    let (stdout, stderr) = ends_with(0, &arguments);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["buffers"][0]["head"], json!([42, 42, 42, 42]));
    assert!(stderr.contains("note: not found and left out: nowhere.h"), "{stderr}");

    std::fs::write(&file, "__global__ void k(int *a) {\n    a[0] = nonsense;\n}\n").unwrap();
    let error = mistake(&["run", &file, "--grid", "1", "--block", "1"]);
    assert!(error.contains("k.cu:2: identifier \"nonsense\" is undefined\n     2 |     a[0] = nonsense;"), "{error}");
}

#[test]
fn without_a_compiler_the_error_says_how_to_get_one() {
    let home = folder("bare");
    let output = Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(["run", &data("program.cu"), "--entry", "add", "--grid", "1", "--block", "1"])
        .env_clear()
        .env("WARPWISE_NVRTC", home.join("nothing"))
        .current_dir(&home)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    if stderr.starts_with("error: add takes 3 arguments") {
        println!("skipped: the system or target/ has NVRTC");
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    for piece in ["NVRTC", "pip install nvidia-cuda-nvrtc", "WARPWISE_NVRTC", "Looked in:", "nothing"] {
        assert!(stderr.contains(piece), "`{piece}` in: {stderr}");
    }
}
