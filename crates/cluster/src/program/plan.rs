//! `warpwise-cluster plan`: runs that cannot be made here.

use std::path::PathBuf;
use std::time::Instant;

use clap::Subcommand;
use serde_json::{Value, json};
use warpwise::heat::Limits;
use warpwise::{Device, Operator, random};

use super::size;
use crate::Error;
use crate::plan::{Network, Problem, Rates};

const EXAMPLES: &str = "Rates are measured here, by one rank with --threads threads, unless --rates names a file that \
--save-rates wrote.

Examples:
  warpwise-cluster plan --ranks 1024 --network 'latency=1.5us,bandwidth=25GB/s' heat --size 100000x100000 -i 1000
  warpwise-cluster plan --ranks 64 --threads 16 sort -n 1e12 --bytes 8 --json";

/// Predict the time, memory and traffic of a run on many ranks
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// How many ranks
    #[arg(long, value_name = "N", value_parser = size::count)]
    ranks: usize,
    /// The network between them
    #[arg(long, value_name = "NETWORK", default_value = "latency=1.5us,bandwidth=25GB/s")]
    network: Network,
    /// Threads of a rank
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Cores that all ranks share [default: as many as they have threads]
    #[arg(long, value_name = "N")]
    cores: Option<usize>,
    /// Rates that were measured before, a JSON file
    #[arg(long, value_name = "FILE", conflicts_with = "save_rates")]
    rates: Option<PathBuf>,
    /// Write the rates to a JSON file
    #[arg(long, value_name = "FILE")]
    save_rates: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    problem: Words,
}

#[derive(Subcommand)]
enum Words {
    /// Heat in f64
    Heat {
        /// Rows and columns
        #[arg(long, value_name = "ROWSxCOLUMNS", value_parser = size::plane)]
        size: (usize, usize),
        /// Iterations
        #[arg(short = 'i', value_name = "N", default_value = "42", value_parser = size::count)]
        iterations: usize,
        /// The threshold; with 0, ranks need not agree on changes
        #[arg(short = 'e', value_name = "T", default_value_t = 0.1)]
        threshold: f64,
    },
    /// A sum
    Reduce(Array),
    /// A sort
    Sort(Array),
    /// A product of f32 matrices
    Matmul {
        /// Rows of A
        #[arg(value_parser = size::count)]
        m: usize,
        /// Columns of A
        #[arg(value_parser = size::count)]
        k: usize,
        /// Columns of B
        #[arg(value_parser = size::count)]
        n: usize,
    },
}

#[derive(clap::Args)]
struct Array {
    /// How many numbers
    #[arg(short = 'n', value_name = "N", value_parser = size::count)]
    length: usize,
    /// Bytes of a number: 4 or 8
    #[arg(long, value_name = "N", default_value_t = 4)]
    bytes: usize,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    if arguments.ranks == 0 || arguments.threads == 0 {
        return Err(Error::flag("--ranks and --threads", "0 is too few: use at least 1"));
    }
    let problem = match &arguments.problem {
        Words::Heat { size, iterations, threshold } => {
            let (rows, columns) = *size;
            Problem::Heat { rows, columns, iterations: *iterations, threshold: *threshold > 0.0 }
        }
        Words::Reduce(array) => Problem::Reduce { length: array.length, bytes: array.bytes },
        Words::Sort(array) => Problem::Sort { length: array.length, bytes: array.bytes },
        Words::Matmul { m, k, n } => Problem::Matmul { m: *m, k: *k, n: *n },
    };
    let rates = match &arguments.rates {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, format!("cannot be read: {e}")))?;
            let wrong = |error| Error::file(path, format!("these are no rates: {error}; make them with --save-rates"));
            serde_json::from_str(&text).map_err(wrong)?
        }
        None => measured(&problem, arguments.threads, arguments.save_rates.is_some())?,
    };
    if let Some(path) = &arguments.save_rates {
        let text = serde_json::to_string_pretty(&rates).expect("rates are plain JSON");
        std::fs::write(path, text + "\n").map_err(|e| Error::file(path, format!("cannot be written: {e}")))?;
    }
    let busy = (arguments.ranks * arguments.threads) as f64;
    let slower = (busy / arguments.cores.unwrap_or(usize::MAX) as f64).max(1.0);
    let (network, ranks) = (&arguments.network, arguments.ranks);
    let found = problem.predict(ranks, slower, &rates, network);
    let stops = problem.stops_scaling(&rates, network);
    if arguments.json {
        let mut out = json!({"schema": 1, "ranks": ranks, "threads": arguments.threads, "rates": rates});
        out["prediction"] = json!(found);
        out["stops_scaling_at"] = Value::from(stops);
        println!("{out}");
        return Ok(());
    }
    println!("time           {:.4} s", found.seconds);
    println!("  computing    {:.4} s", found.compute);
    println!("  exchanging   {:.4} s that nothing hides", found.communication);
    println!("memory         {:.3} GB per rank", found.memory / 1e9);
    println!("traffic        {:.3} GB sent per rank", found.traffic / 1e9);
    println!("stops scaling  at {stops} ranks: from there on less than half of the time is well used, or it grows");
    Ok(())
}

/// The rates of one rank on this machine: of all primitives, or of the one that is planned.
fn measured(problem: &Problem, threads: usize, all: bool) -> Result<Rates, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::flag("--threads", format!("no such threads: {error}")))?;
    pool.install(|| {
        let nothing = f64::INFINITY;
        let mut rates = Rates { heat: nothing, reduce: nothing, sort: nothing, partition: nothing, matmul: nothing };
        if all || matches!(problem, Problem::Heat { .. }) {
            rates.heat = heat(problem)?;
        }
        if all || matches!(problem, Problem::Reduce { .. }) {
            let xs: Vec<f32> = (0..1 << 24).map(|i| random::element(random::at(1, i))).collect();
            rates.reduce = rate(4.0 * xs.len() as f64, || warpwise::reduce::cpu::par(Operator::Sum, &xs).map(drop))?;
        }
        if all || matches!(problem, Problem::Sort { .. }) {
            let mut xs: Vec<u32> = (0..1 << 22).map(|i| random::element(random::at(2, i))).collect();
            rates.sort = rate(xs.len() as f64, || warpwise::sort::sort(&Device::cpu(), &xs).map(drop))?;
            rates.partition = rate(xs.len() as f64, || {
                std::hint::black_box(crate::sort::partition_for_two(&mut xs, u32::MAX / 2));
                Ok(())
            })?;
        }
        if all || matches!(problem, Problem::Matmul { .. }) {
            let side = 1024;
            let (a, mut c) = (vec![1.0_f32; side * side], vec![0.0_f32; side * side]);
            rates.matmul = rate(2.0 * (side * side * side) as f64, || {
                let a = warpwise::matmul::Matrix::new(&a, side, side)?;
                let mut c = warpwise::matmul::MatrixMut::new(&mut c, side, side)?;
                warpwise::matmul::multiply_into(&Device::cpu(), &a, &a, &mut c)
            })?;
        }
        Ok(rates)
    })
}

/// Cells and steps of heat in a second, on a grid with as many columns as the one that is planned.
fn heat(problem: &Problem) -> Result<f64, Error> {
    let (columns, most) = match *problem {
        Problem::Heat { rows, columns, .. } => (columns.max(1), rows),
        _ => (4096, 4096),
    };
    let rows = ((1 << 22) / columns).clamp(64, 4096).min(most.max(1));
    let (start, w) = (vec![1.0_f64; rows * columns], vec![0.5; rows * columns]);
    let cylinder = warpwise::heat::Cylinder::new(rows, columns, &start, &w)?;
    let limits = Limits { iterations: 32, threshold: 0.0 };
    rate((rows * columns * limits.iterations) as f64, || {
        drop(warpwise::heat::cpu::par(cylinder, limits));
        Ok(())
    })
}

/// Work in a second: the median of some calls, after one that counts for nothing.
fn rate(work: f64, mut call: impl FnMut() -> Result<(), warpwise::Error>) -> Result<f64, Error> {
    call()?;
    let mut times = Vec::new();
    for _ in 0..5 {
        let begin = Instant::now();
        call()?;
        times.push(begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(work / times[2])
}
