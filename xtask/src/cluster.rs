//! `cargo xtask cluster`: builds the program for MPI, and tests it under `mpirun`.

use std::process::{Command, Stdio};

use crate::kernels::root;
use anyhow::{Context, Result, bail, ensure};

/// The MPIs that Debian can install beside each other: what they are called, and the endings of their programs.
const KNOWN: [&str; 2] = ["openmpi", "mpich"];

/// Whether a program can be started.
fn starts(name: &str) -> bool {
    Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// The compiler and the starter of an MPI; without a name, those of the default one.
fn programs(mpi: Option<&str>) -> Result<(String, String)> {
    let ending = match mpi {
        Some(name) if KNOWN.contains(&name) => format!(".{name}"),
        Some(name) => bail!("--mpi {name}: use one of {}", KNOWN.join(", ")),
        None => String::new(),
    };
    let (compiler, starter) = (format!("mpicc{ending}"), format!("mpirun{ending}"));
    ensure!(
        starts(&compiler) && starts(&starter),
        "{compiler} or {starter} was not found: apt-get install openmpi-bin libopenmpi-dev libclang-dev, or mpich libmpich-dev"
    );
    Ok((compiler, starter))
}

/// The words with which the workspace is built for MPI.
pub(crate) const FEATURES: &str = "--features warpwise-cluster/mpi";

/// Whether the default MPI is installed, with what its bindings are made with; if so, bindings of another one are removed.
pub(crate) fn is_there() -> Result<bool> {
    match programs(None) {
        Ok((compiler, _)) if libclang() => prepare(&compiler).map(|()| true),
        _ => Ok(false),
    }
}

/// Whether the library is installed with which the bindings are made.
fn libclang() -> bool {
    let known = Command::new("/sbin/ldconfig").arg("-p").output();
    std::env::var_os("LIBCLANG_PATH").is_some()
        || known.is_ok_and(|known| String::from_utf8_lossy(&known.stdout).contains("libclang"))
}

/// Removes the bindings of another MPI.
fn prepare(compiler: &str) -> Result<()> {
    // The bindings know nothing of another compiler: they are made anew where the MPI has changed.
    let version = Command::new(compiler).arg("-show").output().context("cannot ask for the libraries of MPI")?;
    let built_for = root().join("target/cluster-mpi");
    let before = std::fs::read(&built_for).ok();
    if before.as_deref() != Some(&version.stdout) {
        if before.is_some() {
            run(Command::new("cargo").args(["clean", "--quiet", "-p", "mpi-sys", "-p", "mpi"]))?;
        }
        std::fs::create_dir_all(root().join("target"))?;
        std::fs::write(&built_for, &version.stdout).context("cannot write target/cluster-mpi")?;
    }
    Ok(())
}

/// Builds and tests; `long` adds the hundred killed runs.
pub(crate) fn check(mpi: Option<&str>, long: bool) -> Result<()> {
    let (compiler, starter) = programs(mpi)?;
    prepare(&compiler)?;
    for tests in [false, true] {
        let mut command = Command::new("cargo");
        command.args(if tests { ["test", "--test=mpi"] } else { ["clippy", "--all-targets"] });
        // As part of the workspace, so that what the other checks have built is not built again with other features.
        command.args(["--quiet", "--workspace"]).args(FEATURES.split(' ')).arg("--");
        if !tests {
            command.args(["--deny", "warnings"]);
        } else if long {
            command.args(["--include-ignored", "--nocapture", "a_hundred"]);
        }
        command.env("MPICC", &compiler).env("WARPWISE_MPIRUN", &starter);
        run(command.current_dir(root()))?;
    }
    Ok(())
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().context("cannot start cargo")?;
    ensure!(status.success(), "cargo failed: {status}");
    Ok(())
}
