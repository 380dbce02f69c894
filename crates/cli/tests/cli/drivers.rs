//! Drivers that are missing, too old or broken, played by a fake one.

use super::{data, folder};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Compiles a fake driver into a folder of its own.
fn fake(name: &str, defines: &[&str]) -> PathBuf {
    let folder = folder(name);
    let done = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(folder.join("libcuda.so.1"))
        .args(defines)
        .arg(data("fake_driver.c"))
        .status()
        .expect("a C compiler is there: Rust links with it");
    assert!(done.success());
    std::os::unix::fs::symlink("libcuda.so.1", folder.join("libcuda.so")).unwrap();
    folder
}

/// Runs the command with that driver in front of any other; the note says whether it was loaded.
fn with(driver: &Path, arguments: &[&str]) -> (Output, bool) {
    let note = driver.join("loaded");
    let _ = std::fs::remove_file(&note);
    let output = Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(arguments)
        .env("LD_LIBRARY_PATH", driver)
        .env("FAKE_DRIVER_NOTE", &note)
        .output()
        .unwrap();
    (output, note.exists())
}

/// A file of numbers.
fn numbers(folder: &Path) -> String {
    let path = folder.join("numbers.csv");
    std::fs::write(&path, "1,2,3\n").unwrap();
    path.display().to_string()
}

#[test]
fn no_cuda_library_is_touched_unless_asked_for() {
    let driver = fake("driver-untouched", &["-DVERSION=12040", "-DINIT=100"]);
    let numbers = numbers(&driver);
    let kernel = data("vecadd.ptx");
    let emulated = ["run", &kernel, "--grid", "1", "--block", "32", "--device", "emulator"];
    let arguments = ["--arg", "f32[32]:iota", "--arg", "f32[32]:ones", "--arg", "f32[32]:zeros", "--arg", "u32=32"];
    for arguments in [
        &["list"][..],
        &["--help"],
        &["reduce", &numbers, "--device", "cpu"],
        &["reduce", &numbers, "--device", "emulator"],
        &["scan", &numbers, "--variant", "cpu-seq"],
        &["selftest", "vecadd", "--device", "emulator"],
        &[&emulated[..], &arguments].concat(),
    ] {
        let (output, loaded) = with(&driver, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!loaded, "{arguments:?} loads the driver");
    }
    for arguments in [&["devices"][..], &["doctor"], &["reduce", &numbers]] {
        let (output, loaded) = with(&driver, arguments);
        assert!(output.status.success() && loaded, "{arguments:?} does not load the driver");
    }
}

/// What is wrong with a driver is reported, both when `--device cuda` is refused and in the one line about a fallback.
#[track_caller]
fn refused(name: &str, defines: &[&str], parts: &[&str]) {
    let driver = fake(name, defines);
    let numbers = numbers(&driver);
    let (output, _) = with(&driver, &["reduce", &numbers, "--device", "cuda"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    for part in parts.iter().chain(&["error: --device cuda", "--device cpu or --device emulator"]) {
        assert!(error.contains(part), "`{part}` in: {error}");
    }
    for (arguments, instead) in
        [(&["reduce", &numbers][..], "the CPU"), (&["reduce", &numbers, "--variant", "gpu-8-shuffle"], "the emulator")]
    {
        let (output, _) = with(&driver, arguments);
        let note = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"6\n"[..]), "{note}");
        assert_eq!(note.lines().filter(|line| line.starts_with("warpwise:")).count(), 1, "{note}");
        assert!(note.contains(instead) && parts.iter().all(|part| note.contains(part)), "{note}");
    }
    let (output, _) = with(&driver, &["devices"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(parts.iter().all(|part| text.contains(part)) && text.contains("h200"), "{text}");
}

#[test]
fn an_old_driver() {
    refused("driver-old", &["-DVERSION=10020", "-DINIT=0"], &["supports CUDA 10.2", "11.0 or newer", "update"]);
}

#[test]
fn a_driver_without_a_gpu() {
    refused("driver-no-gpu", &["-DVERSION=12040", "-DINIT=100"], &["finds no GPU"]);
}

#[test]
fn a_driver_that_does_not_match_its_kernel_module() {
    refused("driver-mismatch", &["-DVERSION=12040", "-DINIT=803"], &["SYSTEM_DRIVER_MISMATCH", "restart"]);
}

#[test]
fn a_driver_that_lacks_a_function() {
    refused("driver-lacks", &["-DVERSION=12040", "-DINIT=0", "-DLACKS_LAUNCH"], &["no function cuLaunchKernel"]);
}

#[test]
fn no_driver_at_all() {
    // The loader finds a file of that name first, and it is not a library.
    let driver = folder("driver-none");
    std::fs::write(driver.join("libcuda.so.1"), "no library").unwrap();
    let numbers = numbers(&driver);
    let output = Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(["reduce", &numbers])
        .env("LD_LIBRARY_PATH", &driver)
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .unwrap();
    let note = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.stdout, b"6\n");
    assert_eq!(note.matches("warpwise: no CUDA device").count(), 1, "{note}");
}
