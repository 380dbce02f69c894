//! The command as its users see it: stdout, stderr, exit status.

mod arrays;
mod bad_files;
mod bench;
mod both;
mod check;
mod ci;
mod compile;
mod course;
mod doctor;
#[cfg(target_os = "linux")]
mod drivers;
#[cfg(target_os = "linux")]
mod exec;
mod explain;
#[cfg(target_os = "linux")]
mod faulty;
mod findings;
mod formats;
mod given;
mod heat;
mod inspect;
mod launches;
mod list;
mod map;
mod mistakes;
mod pictures;
mod radiator;
mod run;
mod selftest;
mod shown;
mod stops;
mod textures;
mod together;
mod tour;
mod watch;
mod windows;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A file of the test data.
fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).display().to_string()
}

/// Whether CUDA C++ can be compiled; in CI it must be possible.
fn nvrtc() -> bool {
    let found = json(0, &["doctor", "--json"])["nvrtc"]["found"] == true;
    assert!(found || std::env::var_os("CI").is_none(), "CI needs NVRTC: pip install nvidia-cuda-nvrtc");
    if !found {
        println!("skipped: no NVRTC; pip install nvidia-cuda-nvrtc");
    }
    found
}

/// Whether whole programs can be compiled; in CI it must be possible.
fn nvcc() -> bool {
    let found = json(0, &["doctor", "--json"])["nvcc"]["found"] == true;
    assert!(found || std::env::var_os("CI").is_none(), "CI needs nvcc: pip install nvidia-cuda-nvcc and its libraries");
    if !found {
        println!("skipped: no nvcc; pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime");
    }
    found
}

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn warpwise(arguments: &[&str]) -> Output {
    // Tests use the emulator and the CPU, even if there is a GPU.
    Command::new(env!("CARGO_BIN_EXE_warpwise")).args(arguments).env("CUDA_VISIBLE_DEVICES", "").output().unwrap()
}

/// The output of a command that gets Ctrl-C after some milliseconds.
#[cfg(unix)]
fn interrupted(arguments: &[&str], after: u64) -> Output {
    interrupted_when(arguments, move || std::thread::sleep(std::time::Duration::from_millis(after)))
}

/// The output of a command that gets Ctrl-C as soon as a file has a whole line.
#[cfg(unix)]
fn interrupted_after_a_line(arguments: &[&str], file: &Path) -> Output {
    let file = file.to_owned();
    let has_line = move || std::fs::read_to_string(&file).is_ok_and(|text| text.contains('\n'));
    interrupted_when(arguments, move || {
        // As long as the command may take.
        for _ in 0..12_000 {
            if has_line() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    })
}

/// The output of a command that gets Ctrl-C when a wait is over.
#[cfg(unix)]
fn interrupted_when(arguments: &[&str], wait: impl FnOnce() + Send + 'static) -> Output {
    use std::process::Stdio;
    let child = Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(arguments)
        .env("CUDA_VISIBLE_DEVICES", "")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let id = child.id().to_string();
    let signal = std::thread::spawn(move || {
        wait();
        Command::new("kill").args(["-INT", &id]).status().unwrap()
    });
    let begin = std::time::Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(signal.join().unwrap().success());
    assert!(begin.elapsed().as_secs() < 120, "it ends soon");
    output
}

/// The stdout and stderr of a command that should end with the given status.
#[track_caller]
fn ends_with(status: i32, arguments: &[&str]) -> (String, String) {
    let output = warpwise(arguments);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{stdout}\n{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    (stdout, stderr)
}

/// The JSON of a command that should end with the given status.
#[track_caller]
fn json(status: i32, arguments: &[&str]) -> Value {
    let (stdout, _) = ends_with(status, arguments);
    serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stdout}"))
}

/// The error message of a command with bad input.
#[track_caller]
fn mistake(arguments: &[&str]) -> String {
    let (stdout, stderr) = ends_with(2, arguments);
    assert_eq!(stdout, "", "bad input prints no result");
    assert!(stderr.starts_with("error: "), "{stderr}");
    stderr
}

/// A file for a test, and its name as an argument.
fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

/// The contents of a `.npy` file.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

/// Everything in a folder, by name.
fn names(folder: &Path) -> Vec<String> {
    let entry = |e: std::io::Result<std::fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(entry).collect();
    names.sort();
    names
}
