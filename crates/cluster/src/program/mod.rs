//! The command line.

mod array;
mod compact;
mod heat;
mod histogram;
mod matmul;
mod network;
mod plan;
mod progress;
mod rates;
mod radiator;
mod reduce;
mod report;
mod run;
mod scaling;
mod scan;
mod size;
mod sort;
mod transpose;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{Error, World};
use run::Run;

/// The primitives of warpwise on MPI ranks.
#[derive(Parser)]
#[command(name = "warpwise-cluster", version, arg_required_else_help = true, after_help = HELP)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

const HELP: &str = "Results go to stdout and notes to stderr, from rank 0. Exit status: 0 good, 2 bad input.

Examples:
  mpirun -n 8 warpwise-cluster reduce data.npy
  mpirun -n 8 warpwise-cluster sort data.npy --out sorted.npy --json
  mpirun -n 8 warpwise-cluster heat --size 100000x100000 -i 1000 --checkpoint 100 --out run
  warpwise-cluster plan --ranks 1024 --network 'latency=1.5us,bandwidth=25GB/s' heat --size 100000x100000 -i 1000
  warpwise-cluster scaling run1.json run2.json run4.json --out scaling.html";

#[derive(Subcommand)]
enum Verb {
    Reduce(reduce::Arguments),
    Scan(scan::Arguments),
    Histogram(histogram::Arguments),
    Compact(compact::Arguments),
    Sort(sort::Arguments),
    Matmul(matmul::Arguments),
    Transpose(transpose::Arguments),
    Heat(heat::Arguments),
    Radiator(radiator::Arguments),
    Network(network::Arguments),
    Plan(plan::Arguments),
    Scaling(scaling::Arguments),
}

/// The number that the starter of the ranks has given this one; MPI says it only once it has started.
fn launched_rank() -> usize {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"];
    names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok()).unwrap_or(0)
}

/// Runs the program in this rank.
#[doc(hidden)]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // All ranks see the same arguments; one of them says what is wrong.
            if launched_rank() == 0 {
                refuse(&error);
            }
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    // These need no other ranks, and no MPI.
    let alone = match &cli.verb {
        Verb::Plan(arguments) => Some(plan::run(arguments)),
        Verb::Scaling(arguments) => Some(scaling::run(arguments)),
        _ => None,
    };
    match alone {
        Some(Ok(())) => return ExitCode::SUCCESS,
        Some(Err(error)) => {
            say(&format!("error: {error}\n"));
            return ExitCode::from(2);
        }
        None => {}
    }
    let Some((_universe, world)) = World::start() else {
        say("error: MPI has already been started\n");
        return ExitCode::from(2);
    };
    // A rank that panics must not leave the others waiting.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        hook(panic);
        crate::world::abort_all(1);
    }));
    let mut run = Run::new(world);
    let result = match cli.verb {
        Verb::Reduce(arguments) => reduce::run(&mut run, &arguments),
        Verb::Scan(arguments) => scan::run(&mut run, &arguments),
        Verb::Histogram(arguments) => histogram::run(&mut run, &arguments),
        Verb::Compact(arguments) => compact::run(&mut run, &arguments),
        Verb::Sort(arguments) => sort::run(&mut run, &arguments),
        Verb::Matmul(arguments) => matmul::run(&mut run, &arguments),
        Verb::Transpose(arguments) => transpose::run(&mut run, &arguments),
        Verb::Heat(arguments) => heat::run(&mut run, &arguments),
        Verb::Radiator(arguments) => radiator::run(&mut run, &arguments),
        Verb::Network(arguments) => network::run(&mut run, &arguments),
        Verb::Plan(_) | Verb::Scaling(_) => return ExitCode::SUCCESS,
    };
    let shown = result.and_then(|report| report.show(&run));
    match shown {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if run.is_first() {
                say(&format!("error: {error}\n"));
            }
            ExitCode::from(2)
        }
    }
}

/// Says what is wrong with the arguments, or shows the help that was asked for.
fn refuse(error: &clap::Error) {
    if !error.use_stderr() {
        let _ = error.print();
        return;
    }
    let text = error.render();
    say(&if std::io::stderr().is_terminal() { text.ansi().to_string() } else { text.to_string() });
}

/// Writes to stderr in one piece: in the middle of several, what `mpirun` says of ranks that ended could stand.
fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// One of some values with names, for `value_parser`.
fn one_of<T: Copy>(text: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, String> {
    all.iter().copied().find(|&value| name(value) == text).ok_or_else(|| {
        let known: Vec<_> = all.iter().map(|&value| name(value)).collect();
        format!("use one of {}", known.join(", "))
    })
}

/// What every verb returns.
type Done = Result<report::Report, Error>;
