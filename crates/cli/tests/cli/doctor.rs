//! `doctor` reports what it found on any machine.

use super::{ends_with, json};

#[test]
fn the_table_has_every_part() {
    let (stdout, _) = ends_with(0, &["doctor"]);
    for part in ["driver", "GPU", "NVRTC", "nvcc", "CUDA headers", "Python", "cores", "SIMD", "emulator", "h200"] {
        assert!(stdout.contains(part), "`{part}` in:\n{stdout}");
    }
}

#[test]
fn the_json_has_every_part() {
    let checkup = json(0, &["doctor", "--json"]);
    let keys: Vec<_> = checkup.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["schema", "driver", "gpus", "nvrtc", "cuda_headers", "python", "cpu", "emulator", "nvcc"]);
    assert!(checkup["cpu"]["cores"].as_u64().unwrap() >= 1);
    assert!(!checkup["nvrtc"]["looked_in"].as_array().unwrap().is_empty());
    assert_eq!(checkup["nvcc"]["found"], checkup["nvcc"].get("version").is_some());
    assert_eq!(checkup["nvrtc"]["found"], checkup["nvrtc"].get("version").is_some());
}
