//! `cargo xtask check`: the whole gate, one step after the other.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// A step: what it is, the words after `cargo`, and an environment variable.
struct Step {
    name: &'static str,
    words: &'static [&'static str],
    variable: Option<(&'static str, &'static str)>,
}

const STEPS: [Step; 6] = [
    Step { name: "format", words: &["fmt", "--all", "--", "--check"], variable: None },
    Step {
        name: "clippy",
        words: &["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"],
        variable: None,
    },
    Step {
        name: "docs",
        words: &["doc", "--workspace", "--no-deps", "--quiet"],
        variable: Some(("RUSTDOCFLAGS", "--deny warnings")),
    },
    Step { name: "tests", words: &["test", "--workspace"], variable: None },
    // The emulator's lane loops once more, as hosts with fewer vector instructions run them.
    Step {
        name: "tests at SIMD level avx2",
        words: &["test", "--workspace", "--test", "micro", "--test", "kernels"],
        variable: Some(("WARPWISE_SIMD", "avx2")),
    },
    Step {
        name: "tests at SIMD level base",
        words: &["test", "--workspace", "--test", "micro", "--test", "kernels"],
        variable: Some(("WARPWISE_SIMD", "base")),
    },
];

/// Runs every step; the first that fails ends it.
pub(crate) fn run() -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut times = Vec::new();
    for step in &STEPS {
        eprintln!("==> {}: cargo {}", step.name, step.words.join(" "));
        let start = Instant::now();
        let status = Command::new(&cargo)
            .args(step.words)
            .envs(step.variable)
            .status()
            .with_context(|| format!("cannot start {cargo}"))?;
        if !status.success() {
            bail!("{} failed: cargo {}", step.name, step.words.join(" "));
        }
        times.push((step.name, start.elapsed().as_secs_f64()));
    }
    for (name, seconds) in times {
        eprintln!("{name:<26} passed in {seconds:6.1} s");
    }
    Ok(())
}
