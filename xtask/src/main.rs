//! Chores of the repository: `cargo xtask <chore>`.

mod check;

use anyhow::{Result, bail};

const USAGE: &str = "\
Usage: cargo xtask <chore>

  check              the whole gate: format, clippy, docs, tests";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["check"] => check::run(),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => bail!("no such chore: {}\n\n{USAGE}", arguments.join(" ")),
    }
}
