//! `cargo xtask programs`: the whole programs of `tests/programs`, compiled by nvcc from Python packages.

use std::path::Path;
use std::process::Command;

use crate::kernels::root;
use anyhow::{Context, Result, ensure};

/// What is installed: the compiler in its parts, its headers, and the libraries of C++.
const PACKAGES: [&str; 5] = [
    "nvidia-cuda-nvcc==13.0.*",
    "nvidia-cuda-crt==13.0.*",
    "nvidia-nvvm==13.0.*",
    "nvidia-cuda-runtime==13.0.*",
    "nvidia-cuda-cccl==13.0.*",
];

/// Installs the compiler into `target/nvcc-13`, once.
pub(crate) fn install() -> Result<()> {
    let folder = root().join("target/nvcc-13");
    let done = folder.join("installed");
    if done.exists() {
        return Ok(());
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let pip = folder.join("bin/pip");
    run(Command::new(pip).args(["install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES))?;
    std::fs::write(&done, PACKAGES.join("\n")).with_context(|| format!("cannot write {}", done.display()))
}

/// Installs the compiler and checks all programs.
pub(crate) fn check() -> Result<()> {
    install()?;
    let words = ["test", "-p", "warpwise-cudart13", "--test", "programs", "--", "--nocapture"];
    run(Command::new("cargo").args(words).current_dir(root()).env("CI", "1"))
}

fn run(command: &mut Command) -> Result<()> {
    let name = Path::new(command.get_program()).display().to_string();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    ensure!(status.success(), "{name} failed: {status}");
    Ok(())
}
