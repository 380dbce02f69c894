//! What a kernel is given: files, structs, variables.

use super::{data, ends_with, folder, json, mistake, npy, nvrtc, write};
use serde_json::{Value, json};

/// `run` of a kernel in the test data, with four threads.
fn run(entry: &str, more: &[&str]) -> Value {
    let file = data("symbols.ptx");
    json(0, &[&["run", &file, "--entry", entry, "--grid", "1", "--block", "4", "--json"], more].concat())
}

#[test]
fn buffers_come_from_files_by_their_suffix() {
    let here = folder("given-files");
    let floats: Vec<u8> = [1.5_f32, 2.5, 3.5, 4.5].iter().flat_map(|v| v.to_le_bytes()).collect();
    let files = [
        write(&here, "x.npy", npy("<f4", "(2, 2)", &floats)),
        write(&here, "x.csv", "1.5,2.5\n3.5,4.5\n"),
        write(&here, "x.txt", "# four numbers\n1.5 2.5\n3.5 4.5\n"),
        write(&here, "x.bin", &floats),
    ];
    for file in files {
        let job = format!("{{u32=4, f32=2, ptr:f32[]:file:{file}}}");
        let report = run("scale", &["--arg", &job, "--arg", "f32[4]:zeros"]);
        assert_eq!(report["buffers"][1]["head"], json!([3.0, 5.0, 7.0, 9.0]), "{file}");
        assert_eq!(report["buffers"][0]["len"], 4);
    }
    let wide = write(&here, "wide.npy", npy("<f8", "(1,)", &[0; 8]));
    let argument = format!("f32[]:file:{wide}");
    let given = ["run", &data("vecadd.ptx"), "--grid", "1", "--block", "1", "--arg", &argument];
    let error = mistake(&given);
    assert!(error.contains("--arg") && error.contains("holds f64 values (<f8), not f32"), "{error}");
    let argument = format!("f64[2]:file:{wide}");
    let error = mistake(&["run", &data("vecadd.ptx"), "--grid", "1", "--block", "1", "--arg", &argument]);
    assert!(error.contains("the length is 2, but the file holds 1"), "{error}");
}

#[test]
fn a_struct_is_given_member_by_member() {
    let out = folder("given-struct").join("out");
    let job = "{u32=3, f32=-2, ptr:f32[8]:iota}";
    let report = run("scale", &["--arg", job, "--arg", "f32[4]:zeros", "--dump", &out.display().to_string()]);
    let head: Vec<f64> = (0..8).map(f64::from).collect();
    let inside = json!({"arg": 0, "type": "f32", "len": 8, "head": head, "last": 7.0, "member": "2"});
    assert_eq!(report["buffers"][0], inside);
    assert_eq!(report["buffers"][1]["head"], json!([-0.0, -2.0, -4.0, 0.0]));
    assert!(report["buffers"][1].get("member").is_none());
    assert_eq!(super::names(&out), ["arg0.2.bin", "arg1.bin"]);
    let file = data("symbols.ptx");
    let scale = ["run", &file, "--entry", "scale", "--grid", "1", "--block", "4", "--arg"];
    let (stdout, _) = ends_with(0, &[&scale[..], &[job, "--arg", "f32[4]:zeros"]].concat());
    assert!(stdout.contains("0.2  f32[8]  0 1 2 3 4 5 6 7\n"), "{stdout}");
    let error = mistake(&[&scale[..], &["{u32=3, f32=-2}", "--arg", "f32[4]:zeros"]].concat());
    assert!(error.contains("takes 16 bytes, and these members have 8"), "{error}");
    let error = mistake(&[&scale[..], &["{u32=3, f32=x}", "--arg", "f32[4]:zeros"]].concat());
    assert!(error.contains("member 1 (f32=x): `x` is not a number"), "{error}");
}

#[test]
fn an_access_past_a_member_names_it() {
    let file = data("symbols.ptx");
    let given = ["--arg", "{u32=4, f32=1, ptr:f32[2]:iota}", "--arg", "f32[4]:zeros"];
    let report =
        json(1, &[&["run", &file, "--entry", "scale", "--grid", "1", "--block", "4", "--json"], &given[..]].concat());
    let found = &report["findings"][0];
    assert_eq!((&found["kind"], &found["argument"]), (&json!("out_of_bounds"), &json!(0)));
    assert!(found["message"].as_str().unwrap().contains("member 2"), "{found}");
}

#[test]
fn a_buffer_is_taken_for_any_word() {
    let report = run("scale", &["--arg", "{u32=1, f32=1, ptr:f32[1]:ones}", "--arg", "f32[4]:zeros"]);
    assert_eq!(report["buffers"][1]["head"][0], 1.0, "the parameter is .s64");
}

#[test]
fn variables_are_set_before_the_launch() {
    let given = ["--arg", "u32[4]:zeros", "--symbol", "taps=u32[]:list:1,2,3,4", "--symbol", "offset=u32=10"];
    assert_eq!(run("add_taps", &given)["buffers"][0]["head"], json!([11, 12, 13, 14]));
    let here = folder("given-symbols");
    let file = format!("taps=u32[]:file:{}", write(&here, "taps.csv", "5,6\n7,8\n"));
    let report = run("add_taps", &["--arg", "u32[4]:zeros", "--symbol", &file]);
    assert_eq!(report["buffers"][0]["head"], json!([105, 106, 107, 108]), "the other one keeps its value");
    let file = data("symbols.ptx");
    let add = ["run", &file, "--entry", "add_taps", "--grid", "1", "--block", "4", "--arg", "u32[4]:zeros", "--symbol"];
    for (symbol, problem) in [
        (
            "tap=u32=1",
            "no such __constant__ or __device__ variable. The variables are:\n  taps (__constant__, 16 bytes)",
        ),
        ("taps=u32[5]:ones", "has 16 bytes, 20 given"),
        ("offset=u64=1", "has 4 bytes, 8 given"),
        ("offset", "there is no `=`"),
    ] {
        let error = mistake(&[&add[..], &[symbol]].concat());
        assert!(error.contains("--symbol") && error.contains(problem), "{symbol}: {error}");
    }
    let error = mistake(&["check", "reduce", "gpu-1-interleaved", "--symbol", "a=u32=1"]);
    assert!(error.contains("--symbol is for kernels of your own"), "{error}");
}

#[test]
fn a_variable_that_nothing_has_set_is_reported() {
    let file = data("symbols.ptx");
    let file = file.as_str();
    let add = |verb| [verb, file, "--entry", "add_taps", "--grid", "1", "--block", "4", "--arg", "u32[4]:zeros"];
    let report = json(1, &[&add("check")[..], &["--json"]].concat());
    assert_eq!(report["ok"], true, "a warning is no error");
    let found = &report["findings"][0];
    assert_eq!(report["findings"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(
        (&found["kind"], &found["severity"], &found["line"]),
        (&json!("uninitialized"), &json!("warning"), &json!(20))
    );
    assert_eq!(found["variable"], "taps");
    let advice = found["advice"].as_str().unwrap();
    assert!(advice.contains("cudaMemcpyToSymbol(taps, ...)") && advice.contains("taps=u32[4]:FILL"), "{advice}");
    let (_, stderr) = ends_with(0, &add("run"));
    assert!(stderr.contains("note: nothing has set taps (__constant__, 16 bytes)"), "{stderr}");
    ends_with(0, &[&add("check")[..], &["--symbol", "taps=u32[4]:ones"]].concat());
    ends_with(0, &[&add("check")[..], &["--check", "races"]].concat());
    ends_with(0, &["check", file, "--entry", "counts", "--grid", "1", "--block", "1"]);
}

#[test]
fn a_program_says_where_it_sets_its_variable() {
    if !nvrtc() {
        return;
    }
    let file = data("symbols.cu");
    let given = ["--grid", "1", "--block", "32", "--arg", "{u32=8, f32=2, ptr:f32[8]:iota}", "--arg", "f32[8]:zeros"];
    let file = file.as_str();
    let weigh = |verb| [&[verb, file, "--entry", "weigh", "--json"], &given[..]].concat();
    let report = json(1, &weigh("check"));
    let found = &report["findings"][0];
    assert_eq!((&found["kind"], &found["line"]), (&json!("uninitialized"), &json!(14)), "{report}");
    assert!(found["advice"].as_str().unwrap().contains("in line 30 is host code"), "{found}");
    let set = ["--symbol", "weights=f32[]:list:1,10,100,1000"];
    let report = json(0, &[&weigh("run")[..], &set].concat());
    let expected = json!([0.0, 20.0, 400.0, 6000.0, 8.0, 100.0, 1200.0, 14000.0]);
    assert_eq!(report["buffers"][1]["head"], expected);
    json(0, &[&weigh("check")[..], &set].concat());
}

#[test]
fn a_debug_build_of_ptx_is_the_same() {
    let (_, stderr) = ends_with(0, &["inspect", &data("symbols.ptx"), "--debug"]);
    assert_eq!(stderr, "note: --debug has no effect on PTX, which is already compiled\n");
}

#[test]
fn a_debug_build_keeps_what_the_compiler_removes() {
    if !nvrtc() {
        return;
    }
    let file = data("symbols.cu");
    let check =
        ["check", &file, "--entry", "overwritten", "--grid", "1", "--block", "4", "--json", "--arg", "i32[5]:zeros"];
    let lines = |report: &Value| -> Vec<(u64, u64)> {
        let found = report["findings"].as_array().unwrap().iter().filter(|f| f["kind"] == "race");
        found.map(|f| (f["line"].as_u64().unwrap(), f["other_line"].as_u64().unwrap())).collect()
    };
    let optimised = lines(&json(1, &check));
    assert!(!optimised.iter().any(|&(a, b)| a == 18 || b == 18), "the store in line 18 is gone: {optimised:?}");
    let debug = json(1, &[&check[..], &["--debug"]].concat());
    assert!(lines(&debug).iter().any(|&(a, b)| a == 18 || b == 18), "{debug}");
    let report = json(0, &["inspect", &file, "--debug", "--json"]);
    assert_eq!(report["line_info"], true);
}
