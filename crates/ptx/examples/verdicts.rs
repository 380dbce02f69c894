//! Reads the names of PTX files from the standard input and says of each, in one line, whether it is well formed.
//!
//! ```text
//! ls *.ptx | cargo run -p warpwise-ptx --example verdicts
//! ```

use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for name in std::io::stdin().lock().lines() {
        let text = std::fs::read_to_string(name?)?;
        match verdict(&text) {
            Ok(()) => writeln!(out, "accepted")?,
            Err(error) => writeln!(out, "line {}, column {}: {}", error.line, error.column, error.message)?,
        }
        out.flush()?;
    }
    Ok(())
}

fn verdict(text: &str) -> Result<(), warpwise_ptx::SyntaxError> {
    let module = warpwise_ptx::parse(text)?;
    warpwise_ptx::verify(text, &module)
}
