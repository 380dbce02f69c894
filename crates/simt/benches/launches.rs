//! What a launch costs beside its instructions: `cargo bench -p warpwise-simt --bench launches`.
//!
//! Prints microseconds per launch of an empty kernel, by the shape of its grid, the allocations that the machine has and
//! the other code of its module: the best of many short runs, because a busy host disturbs those least.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use warpwise_simt::{Gpu, Launch, Machine, ModuleId, Program};

const RUNS: usize = 200;
const LAUNCHES: u32 = 20;

/// A module with an empty kernel and that many functions that other kernels call.
fn module(others: usize) -> String {
    let mut text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry empty(.param .u64 p)\n{\nret;\n}\n".to_owned();
    for n in 0..others {
        let _ =
            writeln!(text, ".func f{n}(.param .b64 p)\n{{\n.reg .b64 %p;\n.reg .b32 %r<40>;\nld.param.u64 %p, [p];");
        for k in 1..40 {
            let _ = writeln!(text, "ld.u32 %r{k}, [%p+{}];\nadd.u32 %r{k}, %r{k}, {};", 4 * k, 1000 * n + k);
            let _ = writeln!(text, "st.u32 [%p+{}], %r{k};", 4 * k);
        }
        let _ = writeln!(text, "ret;\n}}\n.visible .entry k{n}(.param .u64 p)\n{{\n.reg .b64 %p;");
        let _ = writeln!(text, "ld.param.u64 %p, [p];\ncall f{n}, (%p);\nret;\n}}");
    }
    text
}

/// The best time of a launch, in microseconds.
fn time(machine: &mut Machine, module: ModuleId, launch: &Launch) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        for _ in 0..LAUNCHES {
            machine.launch(module, "empty", launch).expect("an empty kernel ends well");
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(LAUNCHES));
    }
    best
}

fn main() {
    println!("| blocks | threads | allocations | other functions | us per launch |");
    println!("| --- | --- | --- | --- | --- |");
    for (allocations, others) in [(1, 0), (1000, 0), (1, 200)] {
        let program = Program::load(&module(others)).expect("the benchmark's PTX loads");
        let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
        let module = machine.load(Arc::new(program)).expect("nothing to resolve");
        let pointers: Vec<_> = (0..allocations).map(|_| machine.alloc(64).expect("little memory")).collect();
        for (blocks, threads) in [(1, 1), (1, 32), (1, 256), (2, 256), (16, 256)] {
            let launch = Launch::new([blocks, 1, 1], [threads, 1, 1], pointers[0].0.to_le_bytes().to_vec());
            let microseconds = time(&mut machine, module, &launch);
            println!("| {blocks} | {threads} | {allocations} | {others} | {microseconds:.2} |");
        }
    }
}
