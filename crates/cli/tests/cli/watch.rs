//! `watch` on files and rungs.

use super::{ends_with, folder, json, mistake, nvrtc};

#[test]
fn a_rung_becomes_a_page() {
    let page = folder("watch").join("page.html").display().to_string();
    let (stdout, stderr) = ends_with(0, &["watch", "reduce", "gpu-2-strided", "-n", "512", "--out", &page]);
    for piece in
        ["reduce gpu-2-strided (n = 512, i32)\n  8 warps, ", "(bank conflicts)", "not recorded: 1 other block "]
    {
        assert!(stdout.contains(piece), "`{piece}` in:\n{stdout}");
    }
    assert!(stdout.ends_with(&format!("the page is {page}\n")) && stderr.is_empty(), "{stdout}{stderr}");
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!doctype html>") && text.contains("a bank gives one at a time"));
}

#[test]
fn two_rungs_are_recorded_beside_each_other() {
    let arguments = ["watch", "reduce", "gpu-1-interleaved", "--compare", "gpu-2-strided", "-n", "256", "--json"];
    let report = json(0, &[&arguments[..], &["--warps", "0-1"]].concat());
    assert_eq!(report["schema"], 1);
    let records = report["records"].as_array().unwrap();
    assert_eq!(records.iter().map(|r| r["warps"].as_array().unwrap().len()).collect::<Vec<_>>(), [2, 2]);
    for record in records {
        let steps = record["steps"].as_array().unwrap();
        assert_eq!(record["counters"]["warp_instructions"], steps.len());
        assert_eq!((&steps[0]["t"], &steps[1]["w"]), (&0.into(), &1.into()));
    }
}

#[test]
fn a_race_in_a_file_names_its_steps() {
    if !nvrtc() {
        return;
    }
    let report = json(0, &["watch", "../../examples/race.cu", "--grid", "1", "--block", "256", "--json"]);
    let record = &report["records"][0];
    let race = &record["findings"][0];
    assert_eq!((&race["kind"], &race["line"]), (&"race".into(), &5.into()));
    let kinds = ["step", "other_step"].map(|at| {
        let step = &record["steps"][race[at].as_u64().unwrap() as usize];
        step["a"][0]["kind"].as_str().unwrap()
    });
    assert!(kinds.contains(&"store"), "{kinds:?}");
    let lines = record["sources"][0]["lines"].as_array().unwrap();
    assert!(lines.iter().any(|line| line.as_str().unwrap().contains("data[threadIdx.x] += data[threadIdx.x + half]")));
}

#[test]
fn mistakes_name_the_flag() {
    let rung = ["watch", "reduce", "gpu-1-interleaved", "-n", "256", "--json"];
    let said = |more: &[&str]| mistake(&[&rung[..], more].concat());
    assert!(said(&["--block-of", "3"]).contains("--block-of 3: the grid has 1 block\n"));
    assert!(said(&["--warps", "9"]).contains("--warps 9: a block has 8 warps"));
    assert!(said(&["--warps", "x"]).contains("--warps"));
    assert!(said(&["--steps", "0"]).contains("use at least 1"));
    assert!(said(&["--launch-number", "5"]).contains("--launch-number 5: there"));
    assert!(said(&["--out", "no/such/folder/page.html"]).contains("there is no folder"));
    assert!(said(&["--grid", "3"]).contains("--grid is for kernels of your own"));
    assert!(mistake(&["watch", "reduce", "cpu-seq"]).contains("has no kernel"));
}
