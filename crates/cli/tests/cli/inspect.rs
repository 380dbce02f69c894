//! `warpwise inspect`.

use super::{data, ends_with, folder, json, mistake, nvrtc, write};
use serde_json::json;

#[test]
fn a_module_is_listed() {
    let file = data("symbols.ptx");
    let report = json(0, &["inspect", &file, "--json"]);
    let about = json!([report["language"], report["ptx_version"], report["target"], report["line_info"]]);
    assert_eq!(about, json!(["PTX", "7.0", "sm_70", false]));
    let kernels = report["kernels"].as_array().unwrap();
    let names: Vec<_> = kernels.iter().map(|k| k["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["add_taps", "counts", "scale"]);
    assert_eq!(kernels[0]["variables"], json!(["taps", "offset"]));
    let scale = &kernels[2]["parameters"];
    assert_eq!(
        scale[0],
        json!({"name": "job", "type": ".b8[16]", "ptx_type": ".b8[16]", "bytes": 16, "offset": 0,
        "arg": "{MEMBER, ...}"})
    );
    assert_eq!(scale[1]["arg"], "TYPE[LEN]:zeros");
    let offset = &report["variables"][1];
    assert_eq!(
        (&offset["name"], &offset["type"], &offset["initialized"]),
        (&json!("offset"), &json!(".u32"), &json!(true))
    );
    let (stdout, stderr) = ends_with(0, &["inspect", &file]);
    assert!(stdout.contains("--arg '{MEMBER, ...}' --arg 'TYPE[LEN]:zeros'") && stderr.is_empty(), "{stdout}");
    let (stdout, _) = ends_with(0, &["inspect", &file, "--format", "csv"]);
    assert_eq!(stdout.lines().count(), 4, "one line for each parameter: {stdout}");
}

#[test]
fn files_that_are_not_valid() {
    let here = folder("inspect");
    let wrong = write(&here, "wrong.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n  ret\n}\n");
    let error = mistake(&["inspect", &wrong]);
    assert!(error.contains("wrong.ptx: line 7, column 1"), "{error}");
    assert!(mistake(&["inspect", &write(&here, "a.txt", "x")]).contains(".ptx file"));
    assert!(mistake(&["inspect", &here.join("none.ptx").display().to_string()]).contains("cannot read"));
    assert!(mistake(&["inspect", &data("symbols.ptx"), "--gpu", "voodoo2"]).contains("voodoo2"));
}

#[test]
fn compiled_code_is_listed() {
    let compiled = |name: &str| format!("{}/../fatbin/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let report = json(0, &["inspect", &compiled("scale-13.fatbin"), "--json"]);
    assert_eq!((&report["container"], &report["kernels"][0]["name"]), (&json!("fatbinary"), &json!("scale")));
    assert_eq!(report["images"].as_array().unwrap().len(), 2);
    let (stdout, stderr) = ends_with(0, &["inspect", &compiled("scale-sass.fatbin")]);
    assert!(stdout.contains("machine code for sm_80") && stderr.contains("no PTX"), "{stdout}{stderr}");
    let whole = std::fs::read(compiled("scale-13.fatbin")).unwrap();
    let cut = folder("inspect-cut").join("cut.fatbin");
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    assert!(mistake(&["inspect", &cut.display().to_string()]).contains("damaged"));
}

#[test]
fn a_program_has_its_declared_types() {
    if !nvrtc() {
        return;
    }
    let report = json(0, &["inspect", &data("program.cu"), "--json"]);
    assert_eq!((&report["language"], &report["line_info"]), (&json!("CUDA C++"), &json!(true)));
    let add = report["kernels"].as_array().unwrap().iter().find(|k| k["name"] == "add").expect("it is there");
    let args: Vec<_> = add["parameters"].as_array().unwrap().iter().map(|p| p["arg"].as_str().unwrap()).collect();
    assert_eq!(args, ["i32[LEN]:zeros", "i32[LEN]:zeros", "i32[LEN]:zeros"]);
    assert!(report["templates"][0].as_str().unwrap().contains("reverse"), "{report}");
    let (stdout, _) = ends_with(0, &["inspect", &data("program.cu"), "--entry", "reverse<int,256>"]);
    assert!(stdout.contains("reverse<int, 256>"), "{stdout}");
    let report = json(0, &["inspect", &data("symbols.cu"), "--json"]);
    let variables = report["variables"].as_array().unwrap();
    assert_eq!(variables.len(), 1, "constants of the standard library are not shown: {report}");
    assert_eq!(variables[0]["argument"], "weights=f32[4]:FILL");
    let wrong = write(&folder("inspect-cu"), "wrong.cu", "__global__ void k(int *x) {\n  x[0] = y;\n}\n");
    let error = mistake(&["inspect", &wrong]);
    assert!(error.contains("does not compile") && error.contains('2'), "{error}");
}
