//! `cargo xtask programs`: the whole programs of `tests/programs`, compiled by nvcc from Python packages.

use std::path::Path;
use std::process::Command;

use crate::kernels::root;
use anyhow::{Context, Result, ensure};

/// What is installed for each version. Of 12 there is no compiler, but headers, which programs with no kernels need.
const VERSIONS: [(u32, &[&str]); 2] = [
    (12, &["nvidia-cuda-runtime-cu12==12.9.*", "nvidia-cuda-nvcc-cu12==12.9.*"]),
    (
        13,
        &[
            "nvidia-cuda-nvcc==13.0.*",
            "nvidia-cuda-crt==13.0.*",
            "nvidia-nvvm==13.0.*",
            "nvidia-cuda-runtime==13.0.*",
            "nvidia-cuda-cccl==13.0.*",
        ],
    ),
];

/// Installs the packages into `target/nvcc-12` and `target/nvcc-13`, once.
pub(crate) fn install() -> Result<()> {
    for (version, packages) in VERSIONS {
        let folder = root().join(format!("target/nvcc-{version}"));
        let done = folder.join("installed");
        if done.exists() {
            continue;
        }
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        let pip = folder.join("bin/pip");
        run(Command::new(pip).args(["install", "--quiet", "--disable-pip-version-check"]).args(packages))?;
        std::fs::write(&done, packages.join("\n")).with_context(|| format!("cannot write {}", done.display()))?;
    }
    Ok(())
}

/// Installs the packages and checks all programs.
pub(crate) fn check() -> Result<()> {
    install()?;
    let words = "test -p warpwise-cudart12 -p warpwise-cudart13 --test programs -- --nocapture";
    run(Command::new("cargo").args(words.split(' ')).current_dir(root()).env("CI", "1"))
}

fn run(command: &mut Command) -> Result<()> {
    let name = Path::new(command.get_program()).display().to_string();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    ensure!(status.success(), "{name} failed: {status}");
    Ok(())
}
