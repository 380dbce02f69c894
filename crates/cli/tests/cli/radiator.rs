//! `radiator` runs both sides and compares them.

use super::{ends_with, json, mistake};

#[test]
fn both_sides_agree_for_every_preset() {
    for preset in ["2019", "2023", "2025"] {
        for more in [&[][..], &["--double"], &["--variant", "gpu-1-naive", "-b", "128"], &["--variant", "cpu-seq"]] {
            let report =
                json(0, &[&["radiator", "-n", "5", "-m", "37", "-a", "--json", "--preset", preset], more].concat());
            assert_eq!((&report["ok"], &report["preset"]), (&true.into(), &preset.into()));
            assert_eq!((&report["comparison"]["cells"], &report["comparison"]["differing"]), (&185.into(), &0.into()));
            assert_eq!(report["cpu"]["averages"].as_array().unwrap().len(), 5);
            assert_eq!(report["comparison"]["differing_averages"], 0);
        }
    }
}

#[test]
fn a_block_has_at_most_1024_threads() {
    let error = mistake(&["radiator", "-b", "1025"]);
    assert!(error.contains("-b: 1025 threads per block are too many: use at most 1024"), "{error}");
    json(0, &["radiator", "-n", "2^3", "-m", "1e1", "-p", "0x2", "-b", "2^7", "--json"]);
}

#[test]
fn the_text_has_what_is_asked_for() {
    let (stdout, _) = ends_with(0, &["radiator", "-n", "3", "-m", "4", "-p", "0", "-v", "-a", "-t"]);
    for part in [
        "CPU:\n0.333333 0.266667 0.000000 0.000000\n",
        "GPU:\n",
        "row       CPU       GPU\n  0  0.150000  0.150000\n",
        "iterations",
        "download",
        "radiator 2019, f32, 3 x 4, 0 iterations",
        "all 12 cells agree within 1e-5",
    ] {
        assert!(stdout.contains(part), "`{part}` in:\n{stdout}");
    }
    let alone = json(0, &["radiator", "-g", "--json"]);
    assert!(alone.get("gpu").is_none() && alone.get("comparison").is_none());
    assert!(json(0, &["radiator", "-c", "--json"]).get("cpu").is_none());
}

#[test]
fn mistakes_name_the_flag() {
    for (arguments, parts) in [
        (&["-c", "-g"][..], &["-c and -g", "nothing is left"][..]),
        (&["-c", "--device", "cpu"], &["nothing is left"]),
        (&["-n", "0"], &["-n: 0"]),
        (&["-b", "0"], &["-b: 0"]),
        (&["--preset", "2024"], &["--preset", "2019, 2023, 2025"]),
        (&["-n", "9999999999", "-m", "9999999999"], &["use a smaller size"]),
        (&["--variant", "gpu-7"], &["--variant: radiator has no variant gpu-7", "gpu-3-resident"]),
    ] {
        let error = mistake(&[&["radiator"], arguments].concat());
        for part in parts {
            assert!(error.contains(part), "`{part}` in: {error}");
        }
    }
}
