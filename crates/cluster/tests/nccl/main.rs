//! GPUs that reach each other through NCCL, on the emulated driver and with a stand-in for the library.
#![cfg(target_os = "linux")]

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use warpwise::Device;
use warpwise::heat::{Cylinder, Limits, cpu};
use warpwise::random::Random;
use warpwise_cluster::heat::Simulation;
use warpwise_cluster::matmul::{Grid, multiply};
use warpwise_cluster::{Communicator, Parts, Place, Threads};
use warpwise_gpu::cuda::{CudaDevice, MemoryPolicy};

/// The driver links to this test, so that Cargo builds its library.
use warpwise_driver as _;

/// Starts the test below in a process of its own, which finds the two libraries.
#[test]
fn ranks_exchange_rows_through_nccl() {
    let own = std::env::current_exe().unwrap();
    let driver = own.parent().unwrap().join("libwarpwise_driver.so");
    assert!(driver.exists(), "{} is built with this test", driver.display());
    let folder = std::env::temp_dir().join(format!("warpwise-nccl-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(&driver, folder.join("libcuda.so.1")).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nccl/stand_in.c");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-pthread", "-Wl,--no-as-needed", "-l:libcuda.so.1"])
        .arg(source)
        .args(["-o", "libnccl.so.2", "-L."])
        .current_dir(&folder)
        .output()
        .expect("there is a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    for (test, fails) in [("with_the_libraries", "0"), ("a_failure_ends_all_ranks", "2")] {
        let run = Command::new(&own)
            .args(["--ignored", "--exact", test, "--nocapture"])
            .env("LD_LIBRARY_PATH", &folder)
            .env("STAND_IN_FAILS", fails)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && text.contains("1 passed"), "{text}\n{}", String::from_utf8_lossy(&run.stderr));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A rank with a GPU of its own, on the emulated driver.
fn place(comm: &Threads) -> Place {
    let policy = MemoryPolicy { shared: true, ..MemoryPolicy::default() };
    let device = Device::on(Box::new(CudaDevice::open(0, policy).expect("the emulated driver has a GPU")));
    let place = Place::open(comm, device, "here", comm.rank() as u64);
    assert_eq!(place.link(), "through NCCL 2.21.5");
    place
}

#[test]
#[ignore = "started by the first test, with the libraries that it needs"]
fn with_the_libraries() {
    heat();
    products();
}

#[test]
#[ignore = "started by the first test, with the libraries that it needs"]
fn a_failure_ends_all_ranks() {
    let why = "rank 0: NCCL: a mistake of the caller";
    let again = "NCCL was given up after a failure";
    Threads::run(2, |comm| {
        let (place, cells) = (place(comm), vec![1.0; 50]);
        let mut simulation = Simulation::new(comm, &place, (20, 5), Some(1), cells.clone(), cells).unwrap();
        let limits = Limits { iterations: 9, threshold: 0.0 };
        assert_eq!(simulation.run(comm, limits).unwrap_err().to_string(), why);
        assert_eq!(simulation.run(comm, limits).unwrap_err().to_string(), again);
    });
}

fn products() {
    for ranks in [2, 4] {
        let (m, k, n) = (30, 2100, 20);
        let grid = Grid::new(ranks, m, k, n);
        Threads::run(ranks, |comm| {
            let cells = |block: (Range<usize>, Range<usize>)| {
                let (rows, columns) = block;
                rows.flat_map(|i| columns.clone().map(move |j| ((i + 2 * j) % 5) as f64)).collect::<Vec<f64>>()
            };
            let (me, place) = (comm.rank(), place(comm));
            let found = multiply(comm, &place, &grid, &cells(grid.a(me)), &cells(grid.b(me))).unwrap();
            let sum = |i: usize, j: usize| (0..k).map(|l| ((i + 2 * l) % 5 * ((l + 2 * j) % 5)) as f64).sum::<f64>();
            let (rows, columns) = grid.c(me);
            let expected: Vec<f64> = rows.flat_map(|i| columns.clone().map(move |j| sum(i, j))).collect();
            assert!(found == expected, "rank {me} of {ranks}");
        });
    }
}

fn heat() {
    for (rows, columns, halo, threshold) in [(61, 40, None, 0.0), (7, 9, Some(2), 0.02), (120, 61, Some(4), 0.05)] {
        let start: Vec<f64> = Random::new(rows as u64).elements(rows * columns);
        let w = vec![0.25; rows * columns];
        let limits = Limits { iterations: 25, threshold };
        let (alone, outcome) = cpu::seq(Cylinder::new(rows, columns, &start, &w).unwrap(), limits);
        for ranks in [2, 3] {
            let parts = Threads::run(ranks, |comm| {
                let rows_here = Parts::new(rows, ranks).of(comm.rank());
                let cells = rows_here.start * columns..rows_here.end * columns;
                let place = place(comm);
                let (mine, w) = (start[cells.clone()].to_vec(), w[cells].to_vec());
                let mut simulation = Simulation::new(comm, &place, (rows, columns), halo, mine, w).unwrap();
                let outcome = simulation.run(comm, limits).unwrap();
                (simulation.temperatures().unwrap().to_vec(), outcome)
            });
            for part in &parts {
                assert_eq!(part.1, outcome, "{rows} x {columns} on {ranks}");
            }
            let found: Vec<f64> = parts.into_iter().flat_map(|part| part.0).collect();
            assert!(found == alone, "{rows} x {columns} on {ranks}");
        }
    }
}
