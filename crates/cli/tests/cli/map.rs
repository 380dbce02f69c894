//! `map`, and `--map` of other verbs.

use super::{ends_with, folder, json, mistake, npy, write};

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn map_writes_what_a_formula_gives() {
    let here = folder("map");
    let path = |name: &str| here.join(name).display().to_string();
    let xs = write(&here, "x.npy", npy("<f4", "(2, 2)", &floats(&[3.0, 0.5, -1.0, 6.0])));
    let ys = write(&here, "y.npy", npy("<f4", "(2, 2)", &floats(&[4.0, 0.0, 0.0, 8.0])));
    for device in ["cpu", "emulator"] {
        let (stdout, _) = ends_with(0, &["map", "sqrt(x**2 + y**2)", &xs, &ys, "--device", device]);
        assert!(stdout.contains("as f32") && stdout.contains("\n5 0.5 1 10\n"), "{stdout}");
    }
    let report = json(0, &["map", "where(x > limit, limit, x)", &xs, "--let", "limit=2", "--json"]);
    assert_eq!(report["result"]["head"], serde_json::json!([2.0, 0.5, -1.0, 2.0]));
    assert_eq!(report["result"]["shape"], serde_json::json!([2, 2]));
    assert_eq!(report["expression"], "where(x > limit, limit, x)");
    ends_with(0, &["map", "i32(x) * 2", &xs, "--out", &path("out.csv")]);
    assert_eq!(std::fs::read_to_string(path("out.csv")).unwrap(), "6,0\n-2,12\n");
}

#[test]
fn other_verbs_take_a_formula_first() {
    let here = folder("map-first");
    let csv = write(&here, "a.csv", "1,2,3\n4,5,6\n");
    for device in ["cpu", "emulator"] {
        let sum = |map: &str| ends_with(0, &["reduce", &csv, "--map", map, "--device", device]).0;
        assert_eq!(sum("(x - 3)**2"), "19\n");
        assert_eq!(sum("x > 2"), "4\n");
        assert_eq!(sum("x / 2"), "10.5\n");
        let argmin = ["reduce", &csv, "--op", "argmin", "--map", "abs(x - c)", "--let", "c=4", "--device", device];
        assert_eq!(ends_with(0, &argmin).0, "3\n");
        let report = json(0, &["scan", &csv, "--map", "x % 2", "--device", device, "--json"]);
        assert_eq!(report["result"]["head"], serde_json::json!([1, 1, 2, 2, 3, 3]));
        assert_eq!(report["map"], "x % 2");
    }
    let text = write(&here, "a.txt", "abcxyz");
    let report = json(0, &["histogram", &text, "--text", "--map", "where(x == 97, 122, x)", "--json"]);
    assert_eq!(report["counts"], serde_json::json!([2, 0, 0, 0, 0, 1, 3]));
}

#[test]
fn wrong_formulas_are_explained() {
    let here = folder("map-wrong");
    let csv = write(&here, "a.csv", "1,2,3\n");
    let other = write(&here, "b.csv", "1,2\n");
    for (arguments, said) in [
        (vec!["map", "x +", &csv], "EXPRESSION: column 4 of the expression: the expression ends too early"),
        (vec!["map", "sin(x)", &csv], "there is no function sin: use abs, sqrt"),
        (vec!["map", "a * x", &csv], "there is no value for a"),
        (vec!["map", "x + y", &csv], "y has no elements: give a second input"),
        (vec!["map", "x + y", &csv, &other], "b.csv: it is 1 x 2, but x is 1 x 3: use files of one shape"),
        (vec!["map", "x", &csv, "--let", "a"], "a is not a name and a number: write, for example, a=0.5"),
        (vec!["map", "x", &csv, "--out", "a.txt"], "a.txt"),
        (vec!["reduce", &csv, "--map", "x & y"], "--map: column 5 of the expression: y has no elements"),
        (vec!["scan", &csv, "--map", "(x"], "--map: column 3 of the expression: the ( of column 1 is not closed"),
        (vec!["histogram", &csv, "--text", "--map", "x / 2"], "--map: in the expression, the result is f64, not u8"),
        (vec!["reduce", &csv, "--let", "a=1"], "--map"),
    ] {
        let error = mistake(&arguments);
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
}
