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
