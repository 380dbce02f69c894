//! Several primitives in a row: buffers stay on the device between calls. Here the device is the emulator, which runs the
//! same CUDA kernels as a GPU would.
//!
//! ```text
//! cargo run --release -p warpwise --example chain
//! ```

use warpwise::compact::{self, Condition};
use warpwise::{Buffer, Device, reduce, vecadd};

fn main() -> Result<(), warpwise::Error> {
    let device = Device::emulator();
    let income: Vec<i32> = (0..10_000).map(|day| (day * 37) % 101).collect();
    let costs: Vec<i32> = (0..10_000).map(|day| -((day * 53) % 97)).collect();
    let (income, costs) = (Buffer::from_slice(&device, &income)?, Buffer::from_slice(&device, &costs)?);

    let balance = vecadd::add_buffer(&device, &income, &costs)?;
    let losses = compact::compact_buffer(&device, &balance, Condition::Less(0))?;
    println!("{} of {} days made a loss", losses.len(), balance.len());
    println!("the worst of them {}", reduce::min(&device, &losses)?);
    println!("all together {}", reduce::sum(&device, &balance)?);
    Ok(())
}
