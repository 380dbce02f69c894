//! Times of the CPU variants: `cargo bench -p warpwise --bench cpu -- [--small] [FILTER]`.
//!
//! A quick look for tuning a loop, not the laboratory's measurement: the best of a few runs. With `--small`, only sizes
//! of about 1000 elements, at which `par` must not be slower than `seq`.

use std::hint::black_box;
use std::time::Instant;

use warpwise::histogram::Binning;
use warpwise::matmul::{HostMatrix, HostMatrixMut};
use warpwise::{Border, Element, Operator};
use warpwise::{convolve1d, convolve2d, heat, histogram, matmul, radiator, reduce, scan, vecadd};

/// The shortest of the times measured within a short while, in nanoseconds.
fn best(mut work: impl FnMut()) -> f64 {
    work();
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    let mut batch = 1;
    while begin.elapsed().as_secs_f64() < if small() { 0.03 } else { 0.2 } {
        let start = Instant::now();
        for _ in 0..batch {
            work();
        }
        let each = start.elapsed().as_secs_f64() * 1e9 / f64::from(batch);
        best = best.min(each);
        // Short work is timed in batches long enough for the clock.
        if each * f64::from(batch) < 20_000.0 {
            batch *= 2;
        }
    }
    best
}

/// One row: both variants, how much faster the parallel one is, and its rate.
fn row(name: &str, size: usize, amount: f64, unit: &str, mut seq: impl FnMut(), mut par: impl FnMut()) {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    if !name.contains(&filter) {
        return;
    }
    // In turns, so that other load on the machine affects both.
    let (mut shortest_seq, mut shortest_par) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..if small() { 3 } else { 1 } {
        shortest_par = shortest_par.min(best(&mut par));
        shortest_seq = shortest_seq.min(best(&mut seq));
    }
    println!(
        "{name:<28} {size:>10}  seq {shortest_seq:>13.0} ns  par {shortest_par:>13.0} ns  {:>7.2} x  {:>8.2} {unit}",
        shortest_seq / shortest_par,
        amount / shortest_par
    );
}

/// Whether only small sizes are wanted.
fn small() -> bool {
    std::env::args().any(|argument| argument == "--small")
}

/// The wanted sizes: the first one is small.
fn sizes<T: Copy>(all: &[T]) -> Vec<T> {
    if small() { all[..1].to_vec() } else { all.to_vec() }
}

const SIZES: [usize; 4] = [1000, 100_000, 1 << 20, 1 << 25];

fn main() {
    waking();
    for n in sizes(&SIZES) {
        reductions::<f32>(n, |i| (i % 7) as f32);
        reductions::<f64>(n, |i| (i % 7) as f64);
        reductions::<i32>(n, |i| i as i32);
        reductions::<u64>(n, |i| i as u64);
    }
    for n in sizes(&SIZES) {
        scans::<f32>(n, |i| (i % 7) as f32);
        scans::<f64>(n, |i| (i % 7) as f64);
        scans::<i32>(n, |i| i as i32);
        additions::<f32>(n);
        additions::<f64>(n);
    }
    for n in sizes(&SIZES) {
        histograms(n);
    }
    for n in sizes(&[32, 128, 512, 1000, 2048]) {
        products(n);
    }
    for n in sizes(&SIZES) {
        lines(n);
    }
    for (rows, columns) in sizes(&[(30, 33), (480, 640), (2160, 3840)]) {
        images(rows, columns);
        cylinders(rows, columns);
        radiators(rows, columns);
    }
}

/// What it costs to hand work to the pool when its threads are asleep: `threads::WAKING` is a few times that.
fn waking() {
    let mut times: Vec<f64> = (0..200)
        .map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            let start = Instant::now();
            rayon::in_place_scope(|scope| scope.spawn(|_| _ = black_box(0)));
            start.elapsed().as_secs_f64() * 1e9
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("waking {} threads: {:.0} ns (median)", rayon::current_num_threads(), times[times.len() / 2]);
}

fn reductions<T: Element>(n: usize, value: impl Fn(usize) -> T) {
    let xs: Vec<T> = (0..n).map(value).collect();
    let bytes = size_of_val(&xs[..]) as f64;
    for operator in [Operator::Sum, Operator::Min] {
        row(
            &format!("reduce {} {}", operator.name(), T::NAME),
            n,
            bytes,
            "GB/s",
            || drop(black_box(reduce::cpu::seq(operator, black_box(&xs)))),
            || drop(black_box(reduce::cpu::par(operator, black_box(&xs)))),
        );
    }
    row(
        &format!("reduce argmax {}", T::NAME),
        n,
        bytes,
        "GB/s",
        || drop(black_box(reduce::cpu::seq_place(reduce::Extreme::Max, black_box(&xs)))),
        || drop(black_box(reduce::cpu::par_place(reduce::Extreme::Max, black_box(&xs)))),
    );
}

fn scans<T: Element>(n: usize, value: impl Fn(usize) -> T) {
    let xs: Vec<T> = (0..n).map(value).collect();
    let (mut a, mut b) = (xs.clone(), xs.clone());
    for operator in [Operator::Sum, Operator::Max] {
        row(
            &format!("scan {} {}", operator.name(), T::NAME),
            n,
            2.0 * size_of_val(&xs[..]) as f64,
            "GB/s",
            || scan::cpu::seq(operator, scan::Kind::Inclusive, black_box(&xs), &mut a).unwrap(),
            || scan::cpu::par(operator, scan::Kind::Inclusive, black_box(&xs), &mut b).unwrap(),
        );
    }
}

fn additions<T: Element>(n: usize) {
    let (x, y) = (vec![T::ONE; n], vec![T::ONE; n]);
    let (mut a, mut b) = (x.clone(), x.clone());
    row(
        &format!("vecadd {}", T::NAME),
        n,
        3.0 * size_of_val(&x[..]) as f64,
        "GB/s",
        || vecadd::cpu::seq(black_box(&x), &y, &mut a).unwrap(),
        || vecadd::cpu::par(black_box(&x), &y, &mut b).unwrap(),
    );
}

fn histograms(n: usize) {
    let random: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let one = vec![77_u32; n];
    for (input, xs) in [("random", &random), ("black", &one)] {
        for bins in [8, 256, 1000, 1 << 16] {
            let binning = Binning::Modulo { bins };
            row(
                &format!("histogram {input} {bins}"),
                n,
                n as f64,
                "G/s",
                || drop(black_box(histogram::cpu::seq(binning, black_box(xs)))),
                || drop(black_box(histogram::cpu::par(binning, black_box(xs)))),
            );
        }
        let floats: Vec<f32> = xs.iter().map(|&x| x as f32).collect();
        let even = Binning::Even { bins: 100, lo: 0.0, hi: 2e7 };
        row(
            &format!("histogram {input} even f32"),
            n,
            n as f64,
            "G/s",
            || drop(black_box(histogram::cpu::seq(even, black_box(&floats)))),
            || drop(black_box(histogram::cpu::par(even, black_box(&floats)))),
        );
        let bytes: Vec<u8> = xs.iter().map(|&x| x as u8).collect();
        row(
            &format!("histogram {input} value u8"),
            n,
            n as f64,
            "G/s",
            || drop(black_box(histogram::cpu::seq(Binning::Value, black_box(&bytes)))),
            || drop(black_box(histogram::cpu::par(Binning::Value, black_box(&bytes)))),
        );
    }
}

fn products(n: usize) {
    let flops = 2.0 * (n as f64).powi(3);
    let (a, mut b, mut c) = (vec![1.0_f32; n * n], vec![0.0; n * n], vec![0.0; n * n]);
    let view = || HostMatrix::new(black_box(&a), n, n).unwrap();
    row(
        "matmul f32",
        n,
        flops,
        "GFLOP/s",
        || matmul::cpu::seq(view(), view(), HostMatrixMut::new(&mut b, n, n).unwrap()).unwrap(),
        || matmul::cpu::par(view(), view(), HostMatrixMut::new(&mut c, n, n).unwrap()).unwrap(),
    );
    let (a, mut b, mut c) = (vec![1.0_f64; n * n], vec![0.0; n * n], vec![0.0; n * n]);
    let view = || HostMatrix::new(black_box(&a), n, n).unwrap();
    row(
        "matmul f64",
        n,
        flops,
        "GFLOP/s",
        || matmul::cpu::seq(view(), view(), HostMatrixMut::new(&mut b, n, n).unwrap()).unwrap(),
        || matmul::cpu::par(view(), view(), HostMatrixMut::new(&mut c, n, n).unwrap()).unwrap(),
    );
}

fn lines(n: usize) {
    let xs: Vec<f32> = (0..n).map(|i| (i % 5) as f32).collect();
    let (mut a, mut b) = (xs.clone(), xs.clone());
    for width in [5, 129] {
        let mask = vec![0.1_f32; width];
        row(
            &format!("convolve1d f32 {width}"),
            n,
            2.0 * (n * width) as f64,
            "GFLOP/s",
            || convolve1d::cpu::seq(&mask, Border::Zero, black_box(&xs), &mut a).unwrap(),
            || convolve1d::cpu::par(&mask, Border::Zero, black_box(&xs), &mut b).unwrap(),
        );
    }
}

fn images(rows: usize, columns: usize) {
    let n = rows * columns;
    let filter = convolve2d::Filter::default();
    let edge = convolve2d::Edge::Border(Border::Replicate);
    let bytes: Vec<u8> = (0..n).map(|i| i as u8).collect();
    let image = convolve2d::Image::new(&bytes, rows, columns).unwrap();
    let (mut a, mut b) = (bytes.clone(), bytes.clone());
    row(
        "convolve2d u8 5x5",
        n,
        50.0 * n as f64,
        "GFLOP/s",
        || convolve2d::cpu::seq(&filter, edge, black_box(image), &mut a).unwrap(),
        || convolve2d::cpu::par(&filter, edge, black_box(image), &mut b).unwrap(),
    );
    let floats: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let image = convolve2d::Image::new(&floats, rows, columns).unwrap();
    let (mut a, mut b) = (floats.clone(), floats.clone());
    row(
        "convolve2d f32 5x5",
        n,
        50.0 * n as f64,
        "GFLOP/s",
        || convolve2d::cpu::seq(&filter, edge, black_box(image), &mut a).unwrap(),
        || convolve2d::cpu::par(&filter, edge, black_box(image), &mut b).unwrap(),
    );
}

fn cylinders(rows: usize, columns: usize) {
    let n = rows * columns;
    let (temperature, conductivity) = (vec![1.0_f64; n], vec![0.5; n]);
    let cylinder = heat::Cylinder::new(rows, columns, &temperature, &conductivity).unwrap();
    let (mut a, mut b) = (heat::Stepper::new(cylinder), heat::Stepper::new(cylinder));
    row("heat f64 step", n, n as f64, "G/s", || _ = black_box(a.step_seq()), || _ = black_box(b.step_par()));
}

fn radiators(rows: usize, columns: usize) {
    let radiator = radiator::Radiator::new(radiator::Preset::Year2025, rows, columns).unwrap();
    let mut a = radiator.start::<f32>();
    let mut b = a.clone();
    row(
        "radiator f32 10 steps",
        rows * columns,
        10.0 * (rows * columns) as f64,
        "G/s",
        || radiator::cpu::seq(&radiator, 10, &mut a).unwrap(),
        || radiator::cpu::par(&radiator, 10, &mut b).unwrap(),
    );
}
