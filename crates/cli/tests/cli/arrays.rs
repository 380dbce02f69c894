//! `reduce`, `scan` and `matmul` on files.

use super::{ends_with, folder, json, mistake, npy, write};

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn reduce_prints_the_value_alone() {
    let here = folder("reduce");
    let csv = write(&here, "a.csv", "3,1,4\n1,5,9\n");
    for (op, value) in
        [("sum", "23\n"), ("product", "540\n"), ("min", "1\n"), ("max", "9\n"), ("argmin", "1\n"), ("argmax", "5\n")]
    {
        assert_eq!(ends_with(0, &["reduce", &csv, "--op", op]).0, value, "{op}");
        assert_eq!(ends_with(0, &["reduce", &csv, "--op", op, "--device", "emulator"]).0, value, "{op}");
    }
    let bytes = write(&here, "b.npy", npy("|u1", "(3,)", &[200, 200, 200]));
    assert_eq!(ends_with(0, &["reduce", &bytes]).0, "600\n", "bytes do not wrap");
    let halves = write(&here, "c.npy", npy("<f4", "(2, 2)", &floats(&[0.5, 1.0, 2.0, -4.0])));
    let report = json(0, &["reduce", &halves, "--variant", "gpu-8-shuffle", "--json"]);
    assert_eq!((&report["value"], &report["device"]), (&(-0.5).into(), &"emulator".into()));
    assert_eq!(report["shape"], serde_json::json!([2, 2]));
    let out = here.join("sum.csv").display().to_string();
    ends_with(0, &["reduce", &csv, "--out", &out]);
    assert_eq!(std::fs::read_to_string(out).unwrap(), "23\n");
}

#[test]
fn scan_writes_files_that_it_reads() {
    let here = folder("scan");
    let csv = write(&here, "a.csv", "1,2\n3,4\n");
    let path = |name: &str| here.join(name).display().to_string();
    let (stdout, _) = ends_with(0, &["scan", &csv, "--out", &path("b.npy")]);
    assert!(stdout.contains("1 3 6 10") && stdout.contains("written to"), "{stdout}");
    ends_with(
        0,
        &["scan", &path("b.npy"), "--exclusive", "--op", "max", "--device", "emulator", "--out", &path("c.csv")],
    );
    assert_eq!(std::fs::read_to_string(path("c.csv")).unwrap(), "-9223372036854775808,1\n3,6\n");
    let report = json(0, &["scan", &csv, "--exclusive", "--json"]);
    assert_eq!(report["kind"], "exclusive");
    assert_eq!(report["result"]["head"], serde_json::json!([0, 1, 3, 6]));
    assert_eq!(report["result"]["last"], 6);
}

#[test]
fn scan_with_an_operator_of_ones_own() {
    let here = folder("scan-own");
    let csv = write(&here, "a.csv", "3,0,0\n5,0,2\n");
    for device in ["cpu", "emulator"] {
        let scan = |more: &[&str]| {
            let arguments = [&["scan", &csv, "--device", device, "--json"], more].concat();
            json(0, &arguments)
        };
        // The last number that is not zero: the order matters.
        let report = scan(&["--op", "where(b != 0, b, a)", "--identity", "0"]);
        assert_eq!(report["result"]["head"], serde_json::json!([3, 3, 3, 5, 5, 2]));
        assert_eq!(report["op"], "where(b != 0, b, a)");
        let report = scan(&["--op", "min(a, b)", "--identity", "100", "--exclusive", "--map", "x - k", "--let", "k=1"]);
        assert_eq!(report["result"]["head"], serde_json::json!([100, 2, -1, -1, -1, -1]));
        let report = scan(&["--op", "max(a, b)", "--identity", "-9"]);
        assert_eq!(report["result"]["last"], 5);
    }
    let wrong = |more: &[&str]| mistake(&[&["scan", &csv], more].concat());
    assert!(wrong(&["--op", "a * b"]).contains("--op: there is no a * b: use one of sum"));
    assert!(wrong(&["--op", "sum", "--identity", "0"]).contains("--identity: sum has its own"));
    assert!(wrong(&["--op", "a * c", "--identity", "1"]).contains("--op: "));
    assert!(wrong(&["--op", "a / b", "--identity", "1"]).contains("--op: "));
    assert!(wrong(&["--op", "a * b", "--identity", "one"]).contains("--"));
    let rung = wrong(&["--op", "a * b", "--identity", "1", "--variant", "gpu-7-look-back"]);
    assert!(rung.contains("--variant: an operator of one's own has no rungs"), "{rung}");
}

#[test]
fn matmul_of_files() {
    let here = folder("matmul");
    let a = write(&here, "a.csv", "1,2,3\n4,5,6\n");
    let b = write(&here, "b.npy", npy("<f4", "(3, 2)", &floats(&[1.0, 0.0, 0.0, 1.0, 2.0, 2.0])));
    let (stdout, _) = ends_with(0, &["matmul", &a, &b]);
    assert!(stdout.contains("C, 2 x 2:\n   7  8\n  16 17\n"), "{stdout}");
    let c = here.join("c.csv").display().to_string();
    for device in ["cpu", "emulator"] {
        ends_with(0, &["matmul", &a, &b, "--device", device, "--out", &c]);
        assert_eq!(std::fs::read_to_string(&c).unwrap(), "7,8\n16,17\n");
    }
    let error = mistake(&["matmul", &b, &b]);
    assert!(error.contains("3 x 2") && error.contains("columns of A"), "{error}");
}

#[test]
fn matmul_as_a_demonstration() {
    let (stdout, _) = ends_with(0, &["matmul", "4", "6", "5", "--print"]);
    for part in ["A, 4 x 6:", "B, 6 x 5:", "C, 4 x 5:", "4 x 6 times 6 x 5, f32, on the cpu"] {
        assert!(stdout.contains(part), "`{part}` in:\n{stdout}");
    }
    let of = |variant: &str| json(0, &["matmul", "33", "20", "17", "--variant", variant, "--json"]);
    assert_eq!(of("cpu-seq")["c"], of("gpu-2-naive")["c"]);
    assert_eq!(json(0, &["matmul", "2", "2", "2", "--double", "--json"])["type"], "f64");
    let error = mistake(&["matmul", "1e9", "1e9", "1e9"]);
    assert!(error.contains("are needed") && error.contains("use a smaller size"), "{error}");
    for few in [&["matmul", "4"][..], &["matmul", "1", "2", "3", "4"]] {
        let error = mistake(few);
        assert!(error.contains("give two files, A B, or three sizes, M K N"), "{error}");
    }
    let error = mistake(&["matmul", "4", "x", "5"]);
    assert!(error.contains("K: `x` is not a whole number"), "{error}");
}

#[test]
fn arrays_are_turned_sorted_and_convolved() {
    let here = folder("array-verbs");
    let file = write(&here, "a.csv", "3,1,2\n6,5,4\n");
    let out = here.join("b.csv").display().to_string();
    for (arguments, expected) in [
        (&["transpose", &file, "--out", &out][..], "3,6\n1,5\n2,4\n"),
        (&["sort", &file, "--descending", "--out", &out], "6,5,4\n3,2,1\n"),
        (&["convolve", &file, "--mask", "0,2,0", "--out", &out], "6,2,4\n12,10,8\n"),
        (&["convolve", &file, "--mask", "-1,0,1", "--border", "replicate", "--out", &out], "-2,-1,1\n-1,-2,-1\n"),
    ] {
        for device in ["cpu", "emulator"] {
            let (stdout, _) = ends_with(0, &[arguments, &["--device", device]].concat());
            assert!(stdout.contains("verified: 6 values agree with plain sequential code exactly"), "{stdout}");
            assert_eq!(std::fs::read_to_string(&out).unwrap(), expected, "{arguments:?} on the {device}");
        }
    }
    let report = json(0, &["sort", &file, "--variant", "gpu-1-bitonic", "--json"]);
    assert_eq!((&report["operation"], &report["verified"]["ok"]), (&"sort".into(), &true.into()));
    assert!(report["stages_ms"]["kernel"].is_number(), "{report}");
    assert!(mistake(&["convolve", &file, "--mask", "1,1"]).contains("--mask"), "two weights have no middle");
    assert!(mistake(&["transpose", "nothing.npy"]).contains("cannot read nothing.npy"));
}

#[test]
fn a_report_becomes_a_page() {
    let here = folder("array-page");
    let (file, page) = (write(&here, "a.csv", "3,1,2\n"), here.join("p.html").display().to_string());
    for arguments in [
        &["sort", &file][..],
        &["explain", "vecadd", "gpu-grid", "-n", "1024"],
        &["sweep", "vecadd", "gpu-grid", "-n", "1024", "--block", "64,128", "--device", "emulator"],
    ] {
        ends_with(0, &[arguments, &["--html", &page]].concat());
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.starts_with("<!doctype html>") && text.ends_with("</html>\n"), "{arguments:?}");
        assert!(text.contains(&format!("<code>warpwise {}", arguments[0])) && text.contains("<table"), "{arguments:?}");
    }
    let nowhere = here.join("no/p.html").display().to_string();
    assert!(mistake(&["explain", "vecadd", "gpu-grid", "--html", &nowhere]).contains("there is no folder"));
}
