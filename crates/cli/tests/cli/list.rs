//! `list` shows the primitives and their variants.

use super::{ends_with, json, mistake};

#[test]
fn the_text_has_ideas() {
    let (stdout, _) = ends_with(0, &["list"]);
    for part in ["reduce  (i32 u32 i64 u64 f32 f64)", "gpu-1-interleaved", "divergent warps"] {
        assert!(stdout.contains(part), "`{part}` in:\n{stdout}");
    }
}

#[test]
fn the_json_has_every_variant() {
    let list = json(0, &["list", "--json"]);
    assert_eq!(list["schema"], 1);
    let primitives = list["primitives"].as_array().unwrap();
    let reduce = primitives.iter().find(|p| p["name"] == "reduce").unwrap();
    let keys: Vec<_> = reduce.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["name", "types", "variants"]);
    assert_eq!(reduce["types"].as_array().unwrap().len(), 6);
    assert_eq!(reduce["variants"][0]["name"], "cpu-seq");
    assert_eq!(reduce["variants"][0]["device"], "cpu");
    let rung = &reduce["variants"][2];
    assert_eq!((rung["name"].as_str(), rung["device"].as_str()), (Some("gpu-1-interleaved"), Some("gpu")));
    assert!(rung["idea"].as_str().unwrap().contains("divergent"));
}

#[test]
fn an_emulated_gpu_is_described_in_full() {
    let (stdout, _) = ends_with(0, &["devices", "--gpu", "h200,gtx-480"]);
    for part in ["gtx-480", "h200", "CUDA cores", "16896", "largest grid", "warp schedulers per SM", "constant memory"]
    {
        assert!(stdout.contains(part), "`{part}` in: {stdout}");
    }
    let error = mistake(&["devices", "--gpu", "h201"]);
    assert!(error.contains("--gpu: there is no h201: use all, or some of a100"), "{error}");
}
