//! The first steps: a sum, a maximum and running totals, on the best device of this machine.
//!
//! ```text
//! cargo run --release -p warpwise --example totals
//! ```

use warpwise::{Device, reduce, scan};

fn main() -> Result<(), warpwise::Error> {
    let device = Device::best();
    let rain = [3.5_f64, 0.0, 12.25, 1.0, 0.0, 7.75, 4.5];
    println!("on the {}", device.name());
    println!("rain of the week: {} mm", reduce::sum(&device, &rain)?);
    println!("most on day {}", reduce::argmax(&device, &rain)? + 1);
    for (day, total) in scan::inclusive(&device, &rain)?.iter().enumerate() {
        println!("  up to day {}: {total:5.2} mm", day + 1);
    }
    Ok(())
}
