//! Heat on all GPUs of this machine, with threads as ranks, beside the library on the first of them.
//!
//! `gpus [RANKS]`: as many ranks as there are GPUs, unless it says otherwise. No MPI is needed. Ranks that share a GPU
//! reach each other through host memory, others through NCCL where `libnccl.so.2` is found.

use std::time::Instant;

use warpwise::Device;
use warpwise::heat::{Cylinder, Limits, Simulation};
use warpwise_cluster::{Communicator, Parts, Place, Threads, heat};
use warpwise_gpu::cuda::{CudaDevice, MemoryPolicy, gpus};

/// Rows and columns.
const SIDE: usize = 8192;

fn main() {
    let found = match gpus() {
        Ok(found) if !found.is_empty() => found,
        _ => return eprintln!("error: there is no GPU here"),
    };
    let ranks = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(found.len());
    let open = |rank: usize| {
        let policy = MemoryPolicy { shared: true, ..MemoryPolicy::default() };
        CudaDevice::open(found[rank % found.len()].ordinal, policy).map(|gpu| Device::on(Box::new(gpu)))
    };
    let start: Vec<f64> = (0..SIDE * SIDE).map(|i| (i % 977) as f64).collect();
    let w = vec![0.5; SIDE * SIDE];
    for threshold in [0.0, 1e-9] {
        let limits = Limits { iterations: 600, threshold };
        let device = open(0).expect("the first GPU opens");
        let cylinder = Cylinder::new(SIDE, SIDE, &start, &w).expect("sizes fit");
        let mut alone = Simulation::new(&device, cylinder).expect("it fits the GPU");
        let begin = Instant::now();
        let outcome = alone.run(limits).expect("the GPU computes");
        let by_library = begin.elapsed().as_secs_f64();
        let expected = alone.temperatures().expect("the GPU answers");
        let parts = Threads::run(ranks, |comm| {
            let rows = Parts::new(SIDE, ranks).of(comm.rank());
            let cells = rows.start * SIDE..rows.end * SIDE;
            let gpu = comm.rank() % found.len();
            let place = Place::open(comm, open(gpu).expect("every GPU opens"), "here", gpu as u64);
            let (mine, w) = (start[cells.clone()].to_vec(), w[cells].to_vec());
            let mut simulation =
                heat::Simulation::new(comm, &place, (SIDE, SIDE), None, mine, w).expect("it fits the GPUs");
            // The first pass warms up.
            simulation.run(comm, Limits { iterations: 6, ..limits }).expect("the GPUs compute");
            comm.max_all(&mut [0]);
            let begin = Instant::now();
            let outcome = simulation.run(comm, limits).expect("the GPUs compute");
            let seconds = begin.elapsed().as_secs_f64();
            (simulation.temperatures().expect("the GPU answers").to_vec(), outcome, seconds, place.link().to_owned())
        });
        let seconds = parts.iter().map(|part| part.2).fold(0.0, f64::max) * 600.0 / 594.0;
        let same = parts.iter().all(|part| part.1 == outcome) && parts.iter().flat_map(|part| &part.0).eq(&expected);
        println!(
            "{SIDE} x {SIDE}, 600 steps, threshold {threshold:e}: library {by_library:.4} s, {ranks} ranks {seconds:.4} s, \
             {}; {}",
            parts[0].3,
            if same { "the same bits" } else { "OTHER BITS" }
        );
        if !same {
            std::process::exit(1);
        }
    }
}
