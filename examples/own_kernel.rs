//! A kernel of your own, from PTX, with every check: no GPU and no toolkit needed.
//!
//! ```text
//! cargo run --release -p warpwise-simt --example own_kernel
//! ```

use std::sync::Arc;

use warpwise_simt::{Gpu, Launch, Machine, Program, Watch};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // y = a x + y; the source is beside it in saxpy.cu.
    let program = Program::load(include_str!("saxpy.ptx"))?;
    let mut machine = Machine::new(Gpu::named("h200").ok_or("the GPU is in the table")?);
    let module = machine.load(Arc::new(program))?;
    let (n, a) = (1000_u32, 2.0_f32);
    let x = machine.alloc(4 * u64::from(n))?;
    let y = machine.alloc(4 * u64::from(n))?;
    let values: Vec<u8> = (0..n).flat_map(|i| (i as f32).to_le_bytes()).collect();
    machine.write(x, &values)?;
    machine.write(y, &values)?;

    let mut parameters = n.to_le_bytes().to_vec();
    parameters.extend(a.to_le_bytes());
    parameters.extend(x.0.to_le_bytes());
    parameters.extend(y.0.to_le_bytes());
    let mut launch = Launch::new([4, 1, 1], [256, 1, 1], parameters);
    launch.watch = Watch::ALL;
    let report = machine.launch(module, "saxpy", &launch)?;

    let last = machine.bytes(y, 4 * u64::from(n))?.last_chunk().copied().ok_or("it has elements")?;
    println!("y[{}] = {}", n - 1, f32::from_le_bytes(last));
    println!("{} warp instructions, {} findings", report.warp_instructions, report.findings.len());
    if let Some(profile) = report.profile {
        println!("{} sectors loaded from global memory", profile.total.global_load_sectors);
    }
    Ok(())
}
