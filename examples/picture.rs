//! A picture: its grey levels before and after smoothing.
//!
//! ```text
//! cargo run --release -p warpwise --example picture
//! ```

use warpwise::convolve2d::{self, Edge, Filter};
use warpwise::{Border, Device, histogram};

const ROWS: usize = 240;
const COLUMNS: usize = 320;

fn main() -> Result<(), warpwise::Error> {
    let device = Device::best();
    // A disc on dark ground, with every seventh pixel out of order.
    let pixel = |i: usize| {
        let (y, x) = ((i / COLUMNS) as f64 - 120.0, (i % COLUMNS) as f64 - 160.0);
        let light = if x.hypot(y) < 80.0 { 200 } else { 40 };
        if i.is_multiple_of(7) { 255 - light } else { light }
    };
    let pixels: Vec<u8> = (0..ROWS * COLUMNS).map(pixel).collect();
    let edge = Edge::Border(Border::Replicate);
    let smooth = convolve2d::filter(&device, &Filter::default(), edge, &pixels, (ROWS, COLUMNS))?;
    for (name, pixels) in [("before", &pixels), ("after", &smooth)] {
        let counts = histogram::by_value(&device, pixels)?;
        println!("{name:>6}: {} grey levels", counts.iter().filter(|&&count| count > 0).count());
        for levels in counts.chunks(32).enumerate() {
            let (at, count) = (32 * levels.0, levels.1.iter().sum::<u64>());
            println!("  {at:3}.. {}", "#".repeat((count / 1500) as usize));
        }
    }
    Ok(())
}
