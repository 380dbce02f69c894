//! `explain` on files and rungs.

use super::{data, ends_with, json, mistake, nvcc};
use serde_json::json;

fn smooth(file: &str) -> Vec<&str> {
    let arguments = ["--grid", "4", "--block", "256", "--arg", "f32[1024]:iota", "--arg", "f32[1024]:uninit"];
    [&["explain", file, "--entry", "smooth"], &arguments[..]].concat()
}

#[test]
fn a_rung_is_explained_in_words() {
    let (stdout, stderr) = ends_with(0, &["explain", "reduce", "gpu-2-strided", "-n", "2^16"]);
    for piece in [
        "reduce gpu-2-strided  i32, n = 65536: the first threads do the work",
        "Bank conflicts: an access to shared memory takes ",
        "estimated",
        "bank conflicts ",
        "What costs most, in the order to mend it\n1. Bank conflicts: ",
        "   try: ",
        "instructions   lanes     sectors   conflicts   divergent    line",
    ] {
        assert!(stdout.contains(piece), "`{piece}` in:\n{stdout}");
    }
    assert!(!stdout.contains('\x1b') && stderr.is_empty());
}

/// The figures of a kernel on an H200, with the assembler that a variable names, or the nearest.
fn figures(file: &str, assembler: Option<&str>) -> serde_json::Value {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_warpwise"));
    command.args(smooth(file)).args(["--json", "--gpu", "h200"]).env("CUDA_VISIBLE_DEVICES", "");
    match assembler {
        Some(path) => command.env("WARPWISE_PTXAS", path),
        None => command.env_remove("WARPWISE_PTXAS"),
    };
    let output = command.output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    report["kernels"][0]["figures"].clone()
}

#[test]
fn registers_are_those_of_the_assembler() {
    let file = data("race.ptx");
    for none in ["", "/no/such/ptxas", "/bin/false"] {
        assert_eq!(figures(&file, Some(none))["assembled"], false, "`{none}`");
    }
    if !nvcc() {
        return;
    }
    let nvcc = json(0, &["doctor", "--json"])["nvcc"]["path"].as_str().unwrap().to_owned();
    let assembler = std::path::Path::new(&nvcc).canonicalize().unwrap().with_file_name("ptxas");
    let output = std::process::Command::new(&assembler)
        .args(["-v", "-arch", "sm_90", "-o", "/dev/null", &file])
        .output()
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    let own = words.split_once("entry function '_Z6smooth").unwrap().1.split_once("Used ").unwrap().1;
    let registers = own.split(' ').next().unwrap().parse::<u32>().unwrap();
    for named in [assembler.to_str(), None] {
        let figures = figures(&file, named);
        assert_eq!((&figures["assembled"], &figures["registers"]), (&true.into(), &registers.into()), "{named:?}");
    }
}

#[test]
fn the_json_has_everything() {
    let report = json(0, &["explain", "reduce", "gpu-1-interleaved", "-n", "2^16", "--type", "f32", "--json"]);
    let keys: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let of_rung = ["schema", "primitive", "variant", "type", "size", "idea", "gpu", "launches", "estimated_us"];
    assert_eq!(keys, [&of_rung[..], &["diagnoses", "causes", "kernels", "bound"]].concat());
    let figures = &report["kernels"][0]["figures"];
    assert!(figures["kernel_us"].as_f64().unwrap() > 0.0 && figures["occupancy_percent"] == 100.0, "{figures}");
    let first = &report["diagnoses"][0];
    assert_eq!(first["subject"], "divergence");
    assert!(first["sentence"].as_str().unwrap().starts_with("Divergence: "));
    assert!(first["places"][0]["line"].as_u64().unwrap() > 0);
    let kernel = &report["kernels"][0];
    assert_eq!(kernel["kernel"], "reduce_1_interleaved_sum_f32");
    assert_eq!(kernel["grid"], json!([256, 1, 1]));
    assert_eq!(kernel["counters"]["global_load_sectors"], 8192 + 32, "both launches");
    assert!(kernel["measures"].as_array().unwrap().iter().any(|m| m["name"] == "bank conflicts" && m["ideal"] == 0.0));
    assert!(kernel["lines"].as_array().unwrap().len() > 5);
}

#[test]
fn a_kernel_of_ones_own() {
    let file = data("race.ptx");
    let (stdout, _) = ends_with(0, &smooth(&file));
    assert!(stdout.starts_with("smooth  of ") && stdout.contains("tile[threadIdx.x] = in[i];"), "{stdout}");
    let report = json(0, &[&smooth(&file)[..], &["--json", "--gpu", "rtx-3090"]].concat());
    assert_eq!((&report["kernel"], &report["gpu"]), (&json!("smooth"), &json!("rtx-3090")));
}

#[test]
fn two_side_by_side() {
    let rungs = ["explain", "reduce", "gpu-1-interleaved", "--compare", "gpu-2-strided", "-n", "2^14"];
    let (stdout, _) = ends_with(0, &rungs);
    for piece in ["gpu-1-interleaved", "gpu-2-strided", "ratio", "What changed", "divergent branches"] {
        assert!(stdout.contains(piece), "`{piece}` in:\n{stdout}");
    }
    let comparison = json(0, &[&rungs[..], &["--json"]].concat());
    assert!(comparison["ratios"].as_array().unwrap().iter().all(|r| r["name"].is_string() && r["left"].is_number()));
    let file = data("race.ptx");
    let comparison = json(0, &[&smooth(&file)[..], &["--compare", "twice", "--json"]].concat());
    assert_eq!((&comparison["left"]["kernel"], &comparison["right"]["kernel"]), (&json!("smooth"), &json!("twice")));
    let other =
        json(0, &["explain", "vecadd", "gpu-grid", "--compare", "reduce gpu-8-shuffle", "-n", "4096", "--json"]);
    assert_eq!(other["right"]["primitive"], "reduce");
}

#[test]
fn bad_input() {
    let file = data("race.ptx");
    let compared = [&smooth(&file)[..], &["--compare", "gone"]].concat();
    for (arguments, piece) in [
        (vec!["explain", "reduce", "cpu-par"], "runs on the CPU"),
        (vec!["explain", "reduce", "gpu-2-strided", "-n", "0"], "at least one"),
        (vec!["explain", "matmul", "gpu-2-naive", "--size", "3x4"], "the side of square matrices"),
        (vec!["explain", "reduce", "gpu-2-strided", "--compare", "gpu-22"], "gpu-9-single-pass"),
        (vec!["explain", "reduce", "gpu-2-strided", "--gpu", "voodoo2"], "there is no GPU voodoo2"),
        (vec!["explain", "scan", "gpu-1-hillis-steele", "-n", "5000"], "use gpu-5-three-phase"),
        (compared, "no kernel `gone`"),
    ] {
        let error = mistake(&arguments);
        assert!(error.contains(piece), "`{piece}` in: {error}");
    }
    let traps = data("stops.ptx");
    let error = mistake(&["explain", &traps, "--entry", "traps", "--grid", "1", "--block", "32"]);
    assert!(error.contains("nothing to explain; trap"), "{error}");
}

#[test]
fn several_gpus_side_by_side() {
    let on = ["explain", "vecadd", "gpu-grid", "-n", "2^14", "--gpu", "h200,gtx-970"];
    let (stdout, _) = ends_with(0, &on);
    for piece in ["vecadd gpu-grid", "h200", "gtx-970", "held by", "times the first"] {
        assert!(stdout.contains(piece), "`{piece}` in:\n{stdout}");
    }
    let report = json(0, &[&on[..], &["--json"]].concat());
    let gpus: Vec<_> = report["gpus"].as_array().unwrap().iter().map(|e| e["gpu"].as_str().unwrap()).collect();
    assert_eq!(gpus, ["h200", "gtx-970"]);
    let (_, stderr) = ends_with(2, &["explain", "vecadd", "gpu-grid", "-n", "2^14", "--gpu", "h200,voodoo2"]);
    assert!(stderr.contains("voodoo2"), "{stderr}");
    let (_, stderr) = ends_with(2, &[&on[..], &["--compare", "gpu-vec4"]].concat());
    assert!(stderr.contains("--gpu: "), "{stderr}");
}

#[test]
fn a_rung_takes_what_bench_takes() {
    let histogram = ["explain", "histogram", "gpu-3-shared", "-n", "2^12", "--bins", "64", "--block", "128", "--json"];
    let report = json(0, &histogram);
    assert_eq!(report["kernels"][0]["block"], json!([128, 1, 1]));
    let few = json(0, &["explain", "heat", "gpu-5-passes", "--size", "32x32", "--iterations", "2", "--json"]);
    let more = json(0, &["explain", "heat", "gpu-5-passes", "--size", "32x32", "--iterations", "20", "--json"]);
    assert!(more["launches"].as_u64() > few["launches"].as_u64(), "{} and {}", few["launches"], more["launches"]);
    for (given, piece) in [
        (["vecadd", "gpu-grid", "--bins", "64"], "--bins: vecadd has no"),
        (["reduce", "gpu-3-sequential", "--op", "mean"], "--op: "),
        (["reduce", "gpu-3-sequential", "--input", "nothing"], "--input: there is no nothing"),
        (["reduce", "gpu-3-sequential", "--block", "64,2"], "--block: a rung takes one number"),
    ] {
        let (_, stderr) = ends_with(2, &[&["explain"][..], &given[..]].concat());
        assert!(stderr.contains(piece), "`{piece}` in:\n{stderr}");
    }
    let (_, stderr) = ends_with(2, &[&smooth(&data("race.ptx"))[..], &["--bins", "9"]].concat());
    assert!(stderr.contains("--bins is for rungs"), "{stderr}");
}

#[test]
fn names_have_their_article_and_lanes_their_bytes() {
    let arguments = ["explain", "matmul", "gpu-2-naive", "-n", "128", "--gpu", "gtx-650"];
    let (stdout, _) = ends_with(0, &arguments);
    assert!(stdout.contains(" us on a gtx-650"), "{stdout}");
    assert!(!stdout.contains("loads of 2 bytes"), "a lane loads f32: {stdout}");
}

#[test]
fn different_sizes_are_compared_per_element() {
    let arguments = ["explain", "vecadd", "gpu-grid", "--compare", "matmul gpu-3-tiled", "-n", "64"];
    let (stdout, _) = ends_with(0, &arguments);
    assert!(stdout.contains("The sizes differ, 64 elements beside 4096: only ratios per element"), "{stdout}");
    assert!(stdout.contains("ratio per element") && stdout.contains("What changed, per element"), "{stdout}");
    let rungs = ["explain", "matmul", "gpu-2-naive", "--compare", "gpu-3-tiled", "-n", "128"];
    let (stdout, _) = ends_with(0, &rungs);
    let changes = stdout.split("What changed\n").nth(1).unwrap();
    assert!(changes.contains("- global load sectors: ") && changes.contains(" times fewer"), "{stdout}");
}

#[test]
fn managed_memory_is_on_its_way_before_the_kernel() {
    let on = |gpu| ["explain", "vecadd", "gpu-grid", "-n", "2^14", "--gpu", gpu, "--managed"];
    let (stdout, _) = ends_with(0, &on("gtx-970"));
    assert!(stdout.contains("(196608 bytes in 3 arrays) comes to the GPU whole, before the first kernel"), "{stdout}");
    let report = json(0, &[&on("h200")[..], &["--json"]].concat());
    assert!(report["managed"]["faults"] == true && report["managed"]["arrays"] == 3, "{report}");
    assert!(report["managed"]["estimated_us"].as_f64() > report["estimated_us"].as_f64(), "{report}");
    let (_, stderr) = ends_with(2, &on("h200,gtx-970"));
    assert!(stderr.contains("--managed: leave these out"), "{stderr}");
}
