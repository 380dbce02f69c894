//! `heat` simulates and reports.

use super::{ends_with, folder, json, mistake, names, write};

#[test]
fn the_table_is_as_c_prints_it() {
    let (stdout, _) = ends_with(0, &["heat"]);
    let lines: Vec<Vec<&str>> = stdout.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["iterations", "T(min)", "T(max)", "T(diff)", "T(avg)", "time", "(s)", "FLOP/s"]);
    assert_eq!((lines.len(), lines[1][0], lines[1][1]), (2, "42", "-1.000000e+02"));
    assert!(lines[1][3].ends_with("e-01"), "{stdout}");
}

#[test]
fn devices_and_reports_agree() {
    let of = |more: &[&str]| {
        let report = json(0, &[&["heat", "-n", "9", "-m", "8", "-i", "12", "-e", "0", "--json"], more].concat());
        let last = report["reports"].as_array().unwrap().last().unwrap().clone();
        ["iterations", "min", "max", "diff", "avg"].map(|key| last[key].as_f64().unwrap())
    };
    let seq = of(&["--variant", "cpu-seq"]);
    assert_eq!(seq[0], 12.0);
    assert_eq!(of(&["--variant", "cpu-par"]), seq);
    assert_eq!(of(&["-r", "-k", "5"]), seq);
    for variant in ["gpu-1-separate-mirror", "gpu-4-fused"] {
        let gpu = of(&["--variant", variant, "-r", "-k", "5"]);
        assert!(gpu.iter().zip(seq).all(|(a, b)| (a - b).abs() < 1e-9), "{variant}: {gpu:?} {seq:?}");
    }
}

#[test]
fn pictures_in_and_out() {
    let here = folder("heat");
    let temperature = write(&here, "t.pgm", "P2\n2 3\n10\n0 10\n5 5\n10 0\n");
    let conductivity = write(&here, "c.pgm", b"P5 2 3 255\n\xff\xff\xff\xff\xff\xff");
    let out = here.join("frames");
    let frames = out.display().to_string();
    let report = json(
        0,
        &[
            "heat",
            "-c",
            &conductivity,
            "-t",
            &temperature,
            "-L",
            "-20",
            "-H",
            "20",
            "-i",
            "4",
            "-k",
            "2",
            "-r",
            "-e",
            "-1",
            "--out",
            &frames,
            "--json",
        ],
    );
    assert_eq!((&report["rows"], &report["cols"]), (&3.into(), &2.into()));
    let last = &report["reports"][1];
    // A conductivity of 1 keeps everything.
    assert_eq!([&last["min"], &last["max"], &last["diff"], &last["avg"]], [-20.0, 20.0, 0.0, 0.0]);
    assert_eq!(names(&out), ["heat-00000002.png", "heat-00000004.png"]);
    let levels = json(0, &["histogram", &out.join("heat-00000004.png").display().to_string(), "--json"]);
    assert_eq!([&levels["counts"][0], &levels["counts"][128], &levels["counts"][255]], [2, 2, 2]);
}

#[test]
fn mistakes_name_the_flag() {
    let here = folder("heat-mistakes");
    let picture = write(&here, "t.pgm", "P2 2 1 10 0 10");
    for (arguments, parts) in [
        (&["-n", "0"][..], &["-n: 0"][..]),
        (&["-k", "0"], &["-k: 0"]),
        (&["-L", "5", "-H", "-5"], &["-L and -H", "5 to -5"]),
        (&["-e", "nan"], &["-e: "]),
        (&["-n", "5", "-t", &picture], &["-t has 1 rows and 2 columns", "leave out -n and -m"]),
        (&["-n", "99999999999", "-m", "99999999999"], &["use a smaller size"]),
        (&["-c", "missing.pgm"], &["cannot read missing.pgm"]),
        (&["--variant", "gpu-9"], &["--variant: heat has no variant gpu-9", "gpu-4-fused"]),
        (&["-i", "many"], &["many", "-i"]),
    ] {
        let error = mistake(&[&["heat"], arguments].concat());
        for part in parts {
            assert!(error.contains(part), "`{part}` in: {error}");
        }
    }
}
