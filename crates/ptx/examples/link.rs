//! Links the PTX files that are named and writes the module to the standard output.
//!
//! ```text
//! cargo run -p warpwise-ptx --example link -- a.ptx b.ptx > linked.ptx
//! ```

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let texts: Vec<String> = std::env::args().skip(1).map(std::fs::read_to_string).collect::<Result<_, _>>()?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    print!("{}", warpwise_ptx::link(&texts)?);
    Ok(())
}
