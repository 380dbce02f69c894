//! `reduce`, `scan`, `histogram` and `compact` of files that are larger than `--memory`.

use super::{ends_with, folder, json, mistake, npy, write};
use std::path::Path;

/// More than four times the memory that is asked for.
const COUNT: usize = 5_000_000;
const MEMORY: [&str; 2] = ["--memory", "4000000"];

fn floats() -> Vec<u8> {
    (0..COUNT).flat_map(|i| (1.0 / (i as f32 + 1.5)).to_le_bytes()).collect()
}

#[test]
fn windows_give_the_bits_of_the_whole() {
    let here = folder("windows");
    let file = write(&here, "x.npy", npy("<f4", &format!("({COUNT},)"), &floats()));
    for more in [&["--op", "sum"][..], &["--op", "max"], &["--op", "argmin"], &["--map", "x * x"]] {
        let call = [&["reduce", &file, "--device", "cpu", "--json"], more].concat();
        let (whole, cut) = (json(0, &call), json(0, &[&call[..], &MEMORY].concat()));
        assert_eq!(whole["value"], cut["value"], "{more:?}");
        assert_eq!((&whole["type"], &whole["shape"], &whole["op"]), (&cut["type"], &cut["shape"], &cut["op"]));
        assert!(whole["windows"].is_null() && cut["windows"].as_u64().unwrap() > 30, "{cut}");
    }
    for more in [&["--op", "sum"][..], &["--op", "min", "--exclusive"], &["--map", "x > 0.001"]] {
        let [whole, cut] = ["whole.npy", "cut.npy"].map(|name| here.join(name).display().to_string());
        let call = [&["scan", &file, "--device", "cpu", "--json"], more].concat();
        let report = json(0, &[&call[..], &["--out", &whole]].concat());
        let other = json(0, &[&call[..], &["--out", &cut], &MEMORY].concat());
        assert_eq!(report["result"], other["result"]);
        assert!(std::fs::read(whole).unwrap() == std::fs::read(cut).unwrap(), "{more:?}");
    }
}

#[test]
fn windows_count_and_keep_what_the_whole_has() {
    let here = folder("sifted-windows");
    let file = write(&here, "x.npy", npy("<f4", &format!("({COUNT},)"), &floats()));
    for more in [&["--bins", "7"][..], &["--bins", "1000", "--range", "0,0.5"], &["--map", "sqrt(x)"]] {
        let call = [&["histogram", &file, "--device", "cpu", "--json"], more].concat();
        let (whole, cut) = (json(0, &call), json(0, &[&call[..], &MEMORY].concat()));
        assert_eq!((&whole["counts"], &whole["edges"]), (&cut["counts"], &cut["edges"]), "{more:?}");
        assert_eq!(whole["verified"]["ok"], true);
        assert!(whole["windows"].is_null() && cut["windows"].as_u64().unwrap() > 30, "{cut}");
    }
    let [whole, cut] = ["whole.npy", "cut.npy"].map(|name| here.join(name).display().to_string());
    let call = ["compact", &file, "--device", "cpu", "--json", "--where", "(x < 0.001) | (x > 0.25)"];
    let report = json(0, &[&call[..], &["--out", &whole]].concat());
    let other = json(0, &[&call[..], &["--out", &cut], &MEMORY].concat());
    assert_eq!((&report["result"], &report["kept"]), (&other["result"], &other["kept"]));
    assert_eq!(report["kept"], COUNT - 999 + 3);
    assert!(std::fs::read(whole).unwrap() == std::fs::read(cut).unwrap());
}

#[test]
fn arrays_are_counted_in_parts_of_a_range() {
    let here = folder("parts");
    let file = write(&here, "x.csv", "1,2\n2.5,4\n");
    let (stdout, _) = ends_with(0, &["histogram", &file, "--bins", "3"]);
    assert!(stdout.starts_with("1.00 to 2.00  1 ") && stdout.contains("4 numbers are in the range"), "{stdout}");
    let (stdout, _) = ends_with(0, &["histogram", &file, "--numbers", "--range", "-1,2", "--format", "csv"]);
    assert!(stdout.starts_with("even,count\n-1,0\n"), "{stdout}");
    assert!(mistake(&["histogram", &file, "--range", "2,1"]).contains("--range"));
    assert!(mistake(&["histogram", &file, "--bins", "0"]).contains("--bins"));
    assert!(mistake(&["compact", &file, "--where", "x +"]).contains("--where"));
    assert!(mistake(&["compact", &file, "--where", "x + 1"]).contains("such as 'x > 0'"));
}

#[test]
fn integers_in_windows_are_as_wide_as_at_once() {
    let here = folder("wide-windows");
    let numbers: Vec<u8> = (0..COUNT).flat_map(|i| ((i % 2_000_000) as i32 * 1000).to_le_bytes()).collect();
    let file = write(&here, "x.bin", numbers);
    let call = ["reduce", &file, "--raw", "i32", "--device", "cpu"];
    let whole = ends_with(0, &call).0;
    assert_eq!(ends_with(0, &[&call[..], &MEMORY].concat()).0, whole);
    let bytes = write(&here, "b.npy", npy("|u1", &format!("({COUNT},)"), &vec![200; COUNT]));
    assert_eq!(ends_with(0, &[&["reduce", &bytes, "--device", "cpu"], &MEMORY[..]].concat()).0, "1000000000\n");
    let sums = here.join("sums.npy").display().to_string();
    let call = ["scan", &bytes, "--device", "cpu", "--json", "--out", &sums];
    let report = json(0, &[&call[..], &MEMORY].concat());
    assert_eq!((&report["result"]["type"], &report["result"]["last"]), (&"u64".into(), &1_000_000_000.into()));
}

#[test]
fn what_cannot_be_cut_is_said() {
    let here = folder("uncut");
    let file = write(&here, "x.npy", npy("<f4", &format!("({COUNT},)"), &floats()));
    let error = mistake(&["reduce", &file, "--device", "cpu", "--memory", "1000"]);
    assert!(error.contains("--memory") && error.contains("2^22"), "{error}");
    let error = mistake(&["reduce", &file, "--device", "emulator", "--memory", "4000000"]);
    assert!(error.contains("--memory") && error.contains("--device cpu"), "{error}");
    let error = mistake(&["reduce", &file, "--device", "cpu", "--memory", "4000000", "--verify"]);
    assert!(error.contains("--verify"), "{error}");
    let csv = here.join("out.csv").display().to_string();
    let error = mistake(&["scan", &file, "--device", "cpu", "--memory", "4000000", "--out", &csv]);
    assert!(error.contains(".npy"), "{error}");
    let odd = write(&here, "odd.bin", [0_u8; 7]);
    assert!(mistake(&["reduce", &odd, "--raw", "f32"]).contains("7 bytes"));
    assert!(mistake(&["reduce", &odd, "--raw", "f16"]).contains("--raw"));
}

/// A run that is killed leaves what was there before.
#[test]
#[cfg(target_os = "linux")]
fn a_run_that_is_killed_leaves_nothing_half_written() {
    let here = folder("killed");
    // Zeros that take no room on the disk.
    let file = here.join("x.bin");
    std::fs::File::create(&file).unwrap().set_len(1 << 28).unwrap();
    let out = write(&here, "out.npy", "as before");
    let (file, is_part) = (file.display().to_string(), |name: &str| name.ends_with(".part"));
    let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(["scan", &file, "--raw", "f32", "--device", "cpu", "--memory", "4000000", "--out", &out])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    };
    while run.try_wait().unwrap().is_none() && !names(&here).iter().any(|name| is_part(name)) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    run.kill().unwrap();
    if run.wait().unwrap().success() {
        // It was quicker.
        assert_eq!(std::fs::metadata(&out).unwrap().len(), 128 + (1 << 28));
    } else {
        assert_eq!(std::fs::read_to_string(&out).unwrap(), "as before");
    }
}
