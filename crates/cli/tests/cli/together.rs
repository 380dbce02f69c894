//! Blocks that run together: `--cooperative` and `--cluster`.

use super::{data, ends_with, json, mistake};
use serde_json::json;

/// A verb, an entry of `together.ptx` and its launch.
fn launch<'a>(verb: &'a str, file: &'a str, entry: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let given = [verb, file, "--entry", entry, "--block", "1", "--arg", "u32[16]:zeros"];
    given.iter().chain(more).copied().collect()
}

#[test]
fn a_cooperative_grid_meets() {
    let file = data("together.ptx");
    let sum = |more: &[&'static str]| [&["--grid", "8", "--json"], more].concat();
    let report = json(0, &launch("run", &file, "grid_sum", &sum(&["--cooperative"])));
    assert_eq!(report["buffers"][0]["head"], json!([0, 1, 1, 3, 2, 5, 3, 7, 4, 9, 5, 11, 6, 13, 7, 7]));
    let report = json(0, &launch("check", &file, "grid_sum", &sum(&["--cooperative"])));
    assert_eq!(report["findings"], json!([]));
    ends_with(0, &launch("explain", &file, "grid_sum", &sum(&["--cooperative"])));
    let report = json(1, &launch("run", &file, "grid_sum", &sum(&[])));
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("the launch must be cooperative"), "{message}");
}

#[test]
fn a_cooperative_grid_that_does_not_fit_is_refused() {
    let file = data("together.ptx");
    let given = launch("run", &file, "grid_sum", &["--grid", "100000", "--cooperative", "--json"]);
    let report = json(2, &given);
    assert_eq!(report["findings"][0]["kind"], "launch_limit");
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("100000 blocks") && message.contains("4224 of them at once"), "{message}");
}

#[test]
fn clusters_share_their_memory() {
    let file = data("together.ptx");
    for (cluster, sums) in [("4", [6, 22, 0]), ("2,1,1", [1, 5, 9])] {
        for verb in ["run", "check"] {
            let given = launch(verb, &file, "cluster_sum", &["--grid", "8", "--cluster", cluster, "--json"]);
            let report = json(0, &given);
            assert_eq!(report["findings"], json!([]));
            if verb == "run" {
                assert_eq!(report["buffers"][0]["head"].as_array().unwrap()[..3], sums.map(|sum| json!(sum)));
            }
        }
        ends_with(0, &launch("explain", &file, "cluster_sum", &["--grid", "8", "--cluster", cluster]));
    }
}

#[test]
fn clusters_beyond_the_limits_are_refused() {
    let file = data("together.ptx");
    for (more, text) in [
        (&["--grid", "16", "--cluster", "16"][..], "h200 allows at most 8 in a cluster"),
        (&["--grid", "9", "--cluster", "2"][..], "not made of whole clusters"),
        (&["--grid", "8", "--cluster", "2", "--gpu", "a100"][..], "clusters need compute capability 9.0"),
    ] {
        let report = json(2, &launch("run", &file, "cluster_sum", &[more, &["--json"]].concat()));
        let message = report["findings"][0]["message"].as_str().unwrap();
        assert!(message.contains(text), "{message}");
    }
    let message = mistake(&launch("run", &file, "cluster_sum", &["--grid", "8", "--cluster", "two"]));
    assert!(message.contains("--cluster"), "{message}");
    for flag in [&["--cooperative"][..], &["--cluster", "2"]] {
        let message = mistake(&[&["check", "reduce", "gpu-1-interleaved", "-n", "64"], flag].concat());
        assert!(message.contains(flag[0]) && message.contains("kernels of your own"), "{message}");
    }
}
