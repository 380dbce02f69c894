//! Starting ranks.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// The turn of a test: ranks of several at a time would only wait for each other.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program that starts ranks: `WARPWISE_MPIRUN`, or `mpirun`.
pub(crate) fn mpirun() -> String {
    std::env::var("WARPWISE_MPIRUN").unwrap_or_else(|_| "mpirun".to_owned())
}

/// Words that let many ranks run on few cores, as root, where the starter wants to be told.
fn options() -> &'static [&'static str] {
    static OPEN: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    let open = OPEN.get_or_init(|| {
        let version = Command::new(mpirun()).arg("--version").output().expect("mpirun is installed");
        String::from_utf8_lossy(&version.stdout).contains("Open MPI")
    });
    if *open { &["--oversubscribe", "--allow-run-as-root"] } else { &[] }
}

/// A command that starts the program on that many ranks.
pub(crate) fn command(ranks: usize, words: &str) -> Command {
    let mut command = Command::new(mpirun());
    command.args(options()).args(["-n", &ranks.to_string(), env!("CARGO_BIN_EXE_warpwise-cluster")]);
    command.args(words.split_whitespace());
    command
}

/// What the program printed.
pub(crate) fn run(ranks: usize, words: &str) -> Output {
    command(ranks, words).output().expect("mpirun starts")
}

/// Runs the program, which must succeed, with `--json`.
pub(crate) fn json(ranks: usize, words: &str) -> Value {
    let out = run(ranks, &format!("{words} --json"));
    let (text, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{words} on {ranks}: {errors}");
    let value: Value =
        serde_json::from_str(text.trim()).unwrap_or_else(|e| panic!("{words} on {ranks}: {e} in {text}"));
    assert_eq!(value["schema"], 1);
    let all = value["ranks"].as_array().expect("there are ranks");
    assert_eq!(all.len(), ranks);
    for (number, rank) in all.iter().enumerate() {
        assert_eq!(rank["rank"], number);
        assert!(rank["seconds"].as_f64().is_some() && rank["stages"]["compute_s"].as_f64().is_some());
    }
    value
}

/// A new folder of a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let name = format!("warpwise-mpi-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a `.npy` file.
pub(crate) fn npy<T: warpwise::Element>(path: &Path, shape: &[usize], xs: &[T]) {
    warpwise_cluster::Threads::run(1, |ranks| {
        let output = warpwise_cluster::files::Output::npy::<T>(ranks, path, shape).unwrap();
        let written = output.write(0, xs);
        output.finish(ranks, written).unwrap();
    });
}

/// Reads a `.npy` file.
pub(crate) fn read<T: warpwise::Element>(path: &Path) -> (Vec<usize>, Vec<T>) {
    let array = warpwise_cluster::files::Array::open(path, None).unwrap();
    (array.shape().to_vec(), array.read(0..array.length()).unwrap())
}

/// The names in a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
