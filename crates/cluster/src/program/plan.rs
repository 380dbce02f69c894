//! `warpwise-cluster plan`: runs that cannot be made here.

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::{Value, json};

use super::rates::Crew;
use super::size;
use crate::Error;
use crate::plan::{Network, Problem, Rates};

const EXAMPLES: &str =
    "Rates are measured here, by one rank with --threads threads and by as many as the cores have room \
for, unless --rates names a file that --save-rates wrote.

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
    if arguments.cores == Some(0) {
        return Err(Error::flag("--cores", "0 is too few: use at least 1"));
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
    let rates: Measured = match &arguments.rates {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, format!("cannot be read: {e}")))?;
            let wrong = |error| Error::file(path, format!("these are no rates: {error}; make them with --save-rates"));
            serde_json::from_str(&text).map_err(wrong)?
        }
        None => measured(&problem, arguments)?,
    };
    if let Some(path) = &arguments.save_rates {
        let text = serde_json::to_string_pretty(&rates).expect("rates are plain JSON");
        std::fs::write(path, text + "\n").map_err(|e| Error::file(path, format!("cannot be written: {e}")))?;
    }
    let busy = arguments.ranks * arguments.threads;
    let slower = (busy as f64 / arguments.cores.unwrap_or(usize::MAX) as f64).max(1.0);
    let (network, ranks) = (&arguments.network, arguments.ranks);
    let found = problem.predict(ranks, slower, &rates.beside(busy), network);
    let stops = problem.stops_scaling(&rates.beside(usize::MAX), network);
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

/// What was measured on a machine.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Measured {
    /// The rates of one rank alone.
    #[serde(flatten)]
    alone: Rates,
    /// Those of one of many, when all cores are busy; ranks share memory, and cores may share units.
    #[serde(default)]
    busy: Option<Busy>,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Busy {
    cores: usize,
    rates: Rates,
}

impl Measured {
    /// The rates of a rank while that many cores are busy, on a machine like this one.
    fn beside(&self, busy_cores: usize) -> Rates {
        let Some(Busy { cores, rates }) = self.busy else { return self.alone };
        let share = (busy_cores.min(cores) - 1) as f64 / (cores.max(2) - 1) as f64;
        self.alone.towards(&rates, share)
    }
}

/// The rates of ranks on this machine: of all primitives if they are kept, or of the one that is planned.
fn measured(problem: &Problem, arguments: &Arguments) -> Result<Measured, Error> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (threads, all) = (arguments.threads, arguments.save_rates.is_some());
    let alone = Crew { ranks: 1, threads }.rates(problem, all)?;
    let ranks = cores / threads;
    if ranks < 2 {
        return Ok(Measured { alone, busy: None });
    }
    let rates = Crew { ranks, threads }.rates(problem, all)?;
    Ok(Measured { alone, busy: Some(Busy { cores: ranks * threads, rates }) })
}
