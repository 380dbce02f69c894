//! `cargo xtask watch`: the pages of docs/watch, which show the first rungs of the ladder of reduce at work, and those of
//! the course, each of which shows the file that a student gets.

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

/// A page: where it is kept, from the root of the repository, and the words that make it.
struct Page {
    path: String,
    words: Vec<String>,
}

fn pages() -> Result<Vec<Page>> {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let lessons = LESSONS.iter().map(|(rung, elements)| Page {
        path: format!("docs/watch/{rung}.html"),
        words: words(&["watch", "reduce", rung, "-n", elements]),
    });
    let mut pages: Vec<Page> = lessons.collect();
    for entry in std::fs::read_dir(root().join("course")).context("cannot list the exercises")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let file = format!("course/{name}/exercise.cu");
        if root().join(&file).is_file() {
            let words = words(&["course", "watch", &name, &file]);
            pages.push(Page { path: format!("course/{name}/watch.html"), words });
        }
    }
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(pages)
}

/// Makes the pages.
pub(crate) fn build() -> Result<()> {
    make(&root()).map(|_| ())
}

/// Fails if a page is not what the program makes.
pub(crate) fn check() -> Result<()> {
    let fresh = root().join("target/watch");
    for Page { path, .. } in make(&fresh)? {
        let kept = std::fs::read(root().join(&path)).unwrap_or_default();
        let made = std::fs::read(fresh.join(&path)).with_context(|| format!("cannot read {path}"))?;
        ensure!(kept == made, "{path} is not up to date: run `cargo xtask watch`");
    }
    Ok(())
}

/// Makes them in a folder, with the folders that they are kept in.
fn make(folder: &Path) -> Result<Vec<Page>> {
    // With the Python module, as the gate builds it: alone, it would be compiled again with other features.
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root()).args(["build", "--release", "--quiet", "--package", "warpwise-cli"]);
    let status = cargo.args(["--package", "warpwise-python"]).status().context("cannot run cargo")?;
    ensure!(status.success(), "the program was not built");
    let pages = pages()?;
    for Page { path, words } in &pages {
        let page = folder.join(path);
        let above = page.parent().unwrap_or(folder);
        std::fs::create_dir_all(above).with_context(|| format!("cannot make {}", above.display()))?;
        let mut program = Command::new(root().join("target/release/warpwise"));
        let status = program.current_dir(root()).args(words).arg("--out").arg(&page).status();
        ensure!(status.context("cannot run the program")?.success(), "{path} was not made");
    }
    Ok(pages)
}
