//! What ranks cost: the primitives on one rank beside the library on one thread, and on two ranks beside the library on
//! two threads, in turns.
//!
//! `mpirun --bind-to none -n 1 overhead` and the same with `-n 2`; a number after it divides the sizes. Ranks that are bound
//! to a core would leave the library only one.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use warpwise::heat::{Cylinder, Limits};
use warpwise::matmul::{Matrix, multiply};
use warpwise::{Device, Operator, random};
use warpwise_cluster::heat::Simulation;
use warpwise_cluster::matmul::Grid;
use warpwise_cluster::{Communicator, Parts, Place, World, matmul, reduce, sort};

/// Turns of each pair.
const TURNS: usize = 21;

/// Lets the other ranks sleep while rank 0 works alone: a rank that waits in MPI would take its core.
struct Alone {
    file: PathBuf,
    turn: usize,
}

impl Alone {
    fn run(&mut self, ranks: &World, work: impl FnOnce()) -> f64 {
        self.turn += 1;
        let sign = self.file.with_extension(self.turn.to_string());
        ranks.max_all(&mut [0]);
        let begin = Instant::now();
        if ranks.rank() == 0 {
            work();
            let seconds = begin.elapsed().as_secs_f64();
            std::fs::write(&sign, "").expect("the folder for temporary files can be written");
            return seconds;
        }
        while !sign.exists() {
            std::thread::sleep(Duration::from_millis(3));
        }
        0.0
    }
}

fn main() {
    let (_universe, ranks) = World::start().expect("MPI starts");
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("one thread");
    let threads = rayon::ThreadPoolBuilder::new().num_threads(ranks.size()).build().expect("as many threads as ranks");
    let less: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut group = [u64::from(std::process::id())];
    ranks.max_all(&mut group);
    let folder = std::env::temp_dir().join(format!("warpwise-overhead-{}", group[0]));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let mut alone = Alone { file: folder.join("turn"), turn: 0 };
    let cpu = Device::cpu();
    let place = Place::on(Device::cpu());
    let (me, size, first) = (ranks.rank(), ranks.size(), ranks.rank() == 0);
    // All ranks begin at once, with what they need in memory.
    let begin = || {
        ranks.max_all(&mut [0]);
        Instant::now()
    };
    // `cluster` returns when it began.
    let mut compare = |name: &str, library: &mut (dyn FnMut() + Send), cluster: &mut dyn FnMut() -> Instant| {
        let mut ratios = Vec::new();
        let mut best = (f64::MAX, f64::MAX);
        for turn in 0..=TURNS {
            let by_library = alone.run(&ranks, || threads.install(&mut *library));
            let begin = cluster();
            ranks.max_all(&mut [0]);
            let by_ranks = begin.elapsed().as_secs_f64();
            // The first turn warms up.
            if turn > 0 {
                ratios.push(by_ranks / by_library);
                best = (best.0.min(by_library), best.1.min(by_ranks));
            }
        }
        ratios.sort_by(f64::total_cmp);
        if first {
            let (a, b) = best;
            let median = ratios[TURNS / 2];
            println!("{name:<22} library {a:.3} s, {size} ranks {b:.3} s, ratio {:.3} (median {median:.3})", b / a);
        }
    };

    let side = 4096 / less;
    let whole = if first { side } else { 0 };
    let limits = Limits { iterations: 64, threshold: 0.0 };
    let start: Vec<f64> = (0..whole * side).map(|i| (i % 977) as f64).collect();
    let w = vec![0.5_f64; whole * side];
    let own = Parts::new(side, size).of(me);
    let mine: Vec<f64> = (own.start * side..own.end * side).map(|i| (i % 977) as f64).collect();
    compare(
        &format!("heat {side} x {side}"),
        &mut || drop(warpwise::heat::cpu::par(Cylinder::new(side, side, &start, &w).expect("sizes fit"), limits)),
        &mut || {
            let (mine, w) = (mine.clone(), vec![0.5_f64; mine.len()]);
            let begin = begin();
            let mut simulation = Simulation::new(&ranks, &place, (side, side), None, mine, w).expect("sizes fit");
            simulation.run(&ranks, limits).expect("no device fails");
            begin
        },
    );
    drop((start, w, mine));

    let n = (1 << 28) / (less * less);
    let xs: Vec<f32> = if first { (0..n).map(|i| (i % 1021) as f32).collect() } else { Vec::new() };
    let mine: Vec<f32> = Parts::new(n, size).of(me).map(|i| (i % 1021) as f32).collect();
    compare(
        &format!("reduce {n}"),
        &mut || assert!(warpwise::reduce::cpu::par(Operator::Sum, &xs).is_ok()),
        &mut || {
            let begin = begin();
            assert!(reduce::reduce(&ranks, &cpu, Operator::Sum, &mine).is_ok());
            begin
        },
    );
    drop((xs, mine));

    let side = 4096 / less;
    let grid = Grid::new(size, side, side, side);
    let (a, b) = (vec![1.0_f32; if first { side * side } else { 0 }], vec![0.5; if first { side * side } else { 0 }]);
    let cells = |block: (std::ops::Range<usize>, std::ops::Range<usize>)| block.0.len() * block.1.len();
    let (mine_a, mine_b) = (vec![1.0_f32; cells(grid.a(me))], vec![0.5; cells(grid.b(me))]);
    compare(
        &format!("matmul {side}"),
        &mut || {
            let (a, b) =
                (Matrix::new(&a, side, side).expect("sizes fit"), Matrix::new(&b, side, side).expect("sizes fit"));
            drop(multiply(&cpu, &a, &b));
        },
        &mut || {
            let begin = begin();
            drop(matmul::multiply(&ranks, &place, &grid, &mine_a, &mine_b));
            begin
        },
    );
    drop((a, b, mine_a, mine_b));

    let n = (1 << 26) / (less * less);
    let key = |i: usize| random::element::<u32>(random::at(5, i as u64));
    let xs: Vec<u32> = if first { (0..n).map(key).collect() } else { Vec::new() };
    let mine: Vec<u32> = Parts::new(n, size).of(me).map(key).collect();
    compare(&format!("sort {n}"), &mut || drop(warpwise::sort::sort(&cpu, &xs)), &mut || {
        let mine = mine.clone();
        let begin = begin();
        drop(sort::sort(&ranks, &cpu, false, mine));
        begin
    });
    if first {
        let _ = std::fs::remove_dir_all(folder);
    }
}
