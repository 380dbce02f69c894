//! How fast the emulator is: `cargo bench -p warpwise-simt`.
//!
//! Two kernels (`kernels.cu`): a 256-thread tree reduction of 2^20 integers and a 16 x 16 tiled matrix product of
//! 256 x 256. Prints the best of many short runs, for all cores and for one, plain and watched. Plain and watched runs
//! take turns, so that a busy machine slows all of them; the ratio is the median over the turns.

use std::sync::Arc;
use std::time::Instant;

use warpwise_simt::{DevicePtr, Gpu, Launch, Machine, ModuleId, Program, Watch};

const RUNS: usize = 101;
/// What a launch is watched for; the others are compared with the first.
const MODES: [(&str, Watch); 3] = [("plain", Watch::NOTHING), ("counters", Watch::COUNTERS), ("all", Watch::ALL)];

/// The times of one mode.
struct Measured {
    /// Best time in seconds.
    time: f64,
    /// Median of the times relative to the first mode's in the same turn.
    ratio: f64,
    instructions: u64,
}

struct Lab {
    machine: Machine,
    module: ModuleId,
}

impl Lab {
    fn new() -> Self {
        let program = Program::load(include_str!("kernels.ptx")).expect("the benchmark's PTX loads");
        let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
        let module = machine.load(Arc::new(program)).expect("nothing to resolve");
        Self { machine, module }
    }

    fn buffer(&mut self, bytes: &[u8]) -> DevicePtr {
        let ptr = self.machine.alloc(bytes.len() as u64).expect("memory for the benchmark");
        self.machine.write(ptr, bytes).expect("just allocated");
        ptr
    }

    /// The times of each mode for a launch.
    fn measure(&mut self, kernel: &str, launch: &Launch) -> [Measured; MODES.len()] {
        let mut times = [const { Vec::new() }; MODES.len()];
        let mut instructions = [0; MODES.len()];
        for _ in 0..RUNS {
            for (mode, (_, watch)) in MODES.iter().enumerate() {
                let launch = Launch { watch: *watch, ..launch.clone() };
                let start = Instant::now();
                let report = self.machine.launch(self.module, kernel, &launch).expect("the kernel ends well");
                times[mode].push(start.elapsed().as_secs_f64());
                instructions[mode] = report.warp_instructions;
            }
        }
        std::array::from_fn(|mode| {
            let mut ratios: [f64; RUNS] = std::array::from_fn(|run| times[mode][run] / times[0][run]);
            ratios.sort_by(f64::total_cmp);
            let time = times[mode].iter().copied().fold(f64::INFINITY, f64::min);
            Measured { time, ratio: ratios[RUNS / 2], instructions: instructions[mode] }
        })
    }
}

fn params(pointers: &[DevicePtr], n: u32) -> Vec<u8> {
    pointers.iter().flat_map(|p| p.0.to_le_bytes()).chain(n.to_le_bytes()).collect()
}

fn reduction(lab: &mut Lab, workers: usize) -> [Measured; MODES.len()] {
    let n = 1u32 << 20;
    let data: Vec<u8> = (0..n).flat_map(|i| (i as i32 % 7).to_le_bytes()).collect();
    let input = lab.buffer(&data);
    let output = lab.buffer(&vec![0; (n / 256 * 4) as usize]);
    let mut launch = Launch::new([n / 256, 1, 1], [256, 1, 1], params(&[input, output], n));
    launch.workers = workers;
    let result = lab.measure("reduce", &launch);
    let mut sums = vec![0; (n / 256 * 4) as usize];
    lab.machine.read(output, &mut sums).expect("in range");
    let total: i64 = sums.as_chunks::<4>().0.iter().map(|b| i64::from(i32::from_le_bytes(*b))).sum();
    assert_eq!(total, (0..i64::from(n)).map(|i| i % 7).sum::<i64>());
    for ptr in [input, output] {
        lab.machine.free(ptr).expect("allocated above");
    }
    result
}

fn matmul(lab: &mut Lab, workers: usize) -> [Measured; MODES.len()] {
    let n = 256u32;
    let count = n * n;
    let floats = |k: u32| -> Vec<u8> { (0..count).flat_map(|i| ((i % k) as f32).to_le_bytes()).collect() };
    let (a, b) = (lab.buffer(&floats(3)), lab.buffer(&floats(2)));
    let c = lab.buffer(&vec![0; (count * 4) as usize]);
    let mut launch = Launch::new([n / 16, n / 16, 1], [16, 16, 1], params(&[a, b, c], n));
    launch.workers = workers;
    let result = lab.measure("matmul", &launch);
    for ptr in [a, b, c] {
        lab.machine.free(ptr).expect("allocated above");
    }
    result
}

fn main() {
    let mut lab = Lab::new();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("SIMD level {}, best of {RUNS} runs", warpwise_simt::simd_level());
    println!("| kernel | cores | mode | time | relative | rate | M warp instructions/s | ns an instruction and core |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    // `cargo bench -p warpwise-simt -- matmul` runs only the kernels with that in their name.
    let filter = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    /// A kernel measured in every mode.
    type Measure = fn(&mut Lab, usize) -> [Measured; MODES.len()];
    let kernels: [(&str, &str, f64, Measure); 2] = [
        ("reduce 2^20 i32", "M elements/s", f64::from(1 << 20), reduction),
        ("matmul 256 f32", "M fma/s", 256f64.powi(3), matmul),
    ];
    for workers in [cores, 1] {
        for (name, unit, work, measure) in kernels.iter().filter(|(name, ..)| name.contains(&filter)) {
            let modes = measure(&mut lab, workers);
            for ((mode, _), Measured { time, ratio, instructions }) in MODES.iter().zip(modes) {
                println!(
                    "| {name} | {workers} | {mode} | {:.2} ms | {ratio:.2} | {:.0} {unit} | {:.1} | {:.1} |",
                    1e3 * time,
                    work / time / 1e6,
                    instructions as f64 / time / 1e6,
                    time / instructions as f64 * 1e9 * workers as f64,
                );
            }
        }
    }
}
