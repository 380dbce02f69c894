//! How long reading and checking a PTX file take, the least of several rounds.
//!
//! ```text
//! cargo run --release -p warpwise-ptx --example cost -- crates/warpwise/src/scan/gather.ptx
//! ```

use std::time::{Duration, Instant};

const ROUNDS: usize = 15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for name in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&name)?;
        let (mut read, mut checked) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let module = warpwise_ptx::parse(&text)?;
            read = read.min(began.elapsed());
            let began = Instant::now();
            warpwise_ptx::verify(&text, &module)?;
            checked = checked.min(began.elapsed());
        }
        let share = 100.0 * checked.as_secs_f64() / read.as_secs_f64();
        println!("{name}: read in {read:.1?}, checked in {checked:.1?}, {share:.1} % more");
    }
    Ok(())
}
