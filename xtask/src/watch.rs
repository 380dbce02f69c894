//! `cargo xtask watch`: the pages of docs/watch, which show the first rungs of the ladder of reduce at work.

use std::path::Path;
use std::process::Command;

use crate::kernels::root;
use anyhow::{Context, Result, ensure};

/// The rungs, and the elements that each is shown with: a grid-stride loop needs many.
const LESSONS: [(&str, &str); 7] = [
    ("gpu-1-interleaved", "2^12"),
    ("gpu-2-strided", "2^12"),
    ("gpu-3-sequential", "2^12"),
    ("gpu-4-first-add", "2^12"),
    ("gpu-5-unroll-last-warp", "2^12"),
    ("gpu-6-unrolled", "2^12"),
    ("gpu-7-multi-add", "2^20"),
];

/// Makes the pages.
pub(crate) fn build() -> Result<()> {
    make(&root().join("docs/watch"))
}

/// Fails if a page is not what the program makes.
pub(crate) fn check() -> Result<()> {
    let fresh = root().join("target/watch");
    make(&fresh)?;
    for (rung, _) in LESSONS {
        let name = format!("{rung}.html");
        let kept = std::fs::read(root().join("docs/watch").join(&name)).unwrap_or_default();
        let made = std::fs::read(fresh.join(&name)).with_context(|| format!("cannot read {name}"))?;
        ensure!(kept == made, "docs/watch/{name} is not up to date: run `cargo xtask watch`");
    }
    Ok(())
}

fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // With the Python module, as the gate builds it: alone, it would be compiled again with other features.
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root()).args(["build", "--release", "--quiet", "--package", "warpwise-cli"]);
    let status = cargo.args(["--package", "warpwise-python"]).status().context("cannot run cargo")?;
    ensure!(status.success(), "the program was not built");
    for (rung, elements) in LESSONS {
        let page = folder.join(format!("{rung}.html"));
        let mut program = Command::new(root().join("target/release/warpwise"));
        program.current_dir(root()).args(["watch", "reduce", rung, "-n", elements, "--out"]).arg(&page);
        let status = program.status().context("cannot run the program")?;
        ensure!(status.success(), "the page of {rung} was not made");
    }
    Ok(())
}
