//! A ladder: every GPU rung of reduce on the emulator, with what a hardware profiler would count.
//!
//! ```text
//! cargo run --release -p warpwise --example ladder
//! ```

use warpwise::reduce::{Reduce, Rung, VARIANTS};
use warpwise::trace::Watch;
use warpwise::{Device, RunsOn};

fn main() -> Result<(), warpwise::Error> {
    let device = Device::emulator_watching("h200", Watch::COUNTERS)?;
    let numbers: Vec<i32> = (0..1 << 16).collect();
    println!("{:<24} {:>12} {:>10} {:>10}  teaches", "rung", "instructions", "divergent", "conflicts");
    for (&rung, about) in Rung::ALL.iter().zip(VARIANTS).filter(|(_, about)| about.runs_on == RunsOn::Gpu) {
        device.start_trace();
        let sum = Reduce::new().variant(rung).run(&device, &numbers)?;
        let trace = device.take_trace()?;
        assert_eq!(sum, numbers.iter().sum::<i32>());
        let counters = || trace.launches.iter().filter_map(|launch| launch.profile.as_ref()).map(|p| &p.total);
        println!(
            "{:<24} {:>12} {:>10} {:>10}  {}",
            rung.name(),
            counters().map(|c| c.warp_instructions).sum::<u64>(),
            counters().map(|c| c.divergent_branches).sum::<u64>(),
            counters().map(|c| c.shared_load_conflicts + c.shared_store_conflicts).sum::<u64>(),
            about.teaches
        );
    }
    Ok(())
}
