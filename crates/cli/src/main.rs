//! The `warpwise` command: arguments in, calls of the laboratory, results out.

mod format;
mod interrupt;
mod kernel;
mod output;
mod placement;
mod progress;
mod verbs;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// A laboratory for data-parallel GPU kernels: runs CUDA kernels with no GPU.
#[derive(Parser)]
#[command(name = "warpwise", version, arg_required_else_help = true, after_help = EXIT_STATUS)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_STATUS: &str = "Results go to stdout, notes to stderr. \
    Exit status: 0 good, 1 wrong result or finding, 2 bad input.";

#[derive(Subcommand)]
enum Verb {
    /// Show everything: run, verify and measure every primitive, and make one page of it
    Tour(verbs::tour::Arguments),
    /// Make the page of a tour again, from its results
    Report(verbs::report::Arguments),
    /// Run your own kernel, from PTX or CUDA C++
    Run(Box<verbs::run::Arguments>),
    /// Look for races, bad accesses, reads of nothing and barriers that not all reach
    Check(Box<verbs::check::Arguments>),
    /// Say why a kernel is slow: counters beside the ideal, line by line, and what costs most
    Explain(Box<verbs::explain::Arguments>),
    /// List the primitives, their types, and their variants with the idea of each
    List(verbs::list::Arguments),
    /// Check every variant against the reference, on this machine
    Selftest(verbs::selftest::Arguments),
    /// Measure variants of a primitive, each verified first
    Bench(Box<verbs::bench::Arguments>),
    /// Compare two measurements of `bench`: what is faster, slower, or the same
    Compare(verbs::compare::Arguments),
    /// Sweep the launch geometry of a rung: block x grid x items
    Sweep(Box<verbs::sweep::Arguments>),
    /// Describe the GPUs of this machine, and those that the emulator stands in for
    Devices(verbs::devices::Arguments),
    /// Say what was found on this machine, and where it was looked for
    Doctor(verbs::doctor::Arguments),
    /// Count the grey levels of a picture, or the letters of a text
    Histogram(verbs::histogram::Arguments),
    /// Smooth a picture
    Smooth(verbs::smooth::Arguments),
    /// Combine all numbers of a file into one: sum, product, min, max, argmin, argmax
    Reduce(verbs::reduce::Arguments),
    /// Combine every prefix of the numbers of a file
    Scan(verbs::scan::Arguments),
    /// Multiply two matrices
    Matmul(verbs::matmul::Arguments),
    /// Simulate heat on a cylinder
    Heat(verbs::heat::Arguments),
    /// Simulate a radiator on the CPU and the GPU, and compare
    Radiator(verbs::radiator::Arguments),
}

fn main() -> ExitCode {
    // After a kernel has failed, a GPU can be used only from a new process.
    warpwise_lab::allow_rebuild();
    let cli = Cli::parse();
    let outcome = match cli.verb {
        Verb::Tour(arguments) => verbs::tour::run(&arguments),
        Verb::Report(arguments) => verbs::report::run(&arguments),
        Verb::Run(arguments) => verbs::run::run(*arguments),
        Verb::Check(arguments) => verbs::check::run(&arguments),
        Verb::Explain(arguments) => verbs::explain::run(&arguments),
        Verb::List(arguments) => verbs::list::run(&arguments),
        Verb::Selftest(arguments) => verbs::selftest::run(arguments),
        Verb::Bench(arguments) => verbs::bench::run(&arguments),
        Verb::Compare(arguments) => verbs::compare::run(&arguments),
        Verb::Sweep(arguments) => verbs::sweep::run(*arguments),
        Verb::Devices(arguments) => verbs::devices::run(&arguments),
        Verb::Doctor(arguments) => verbs::doctor::run(&arguments),
        Verb::Histogram(arguments) => verbs::histogram::run(arguments),
        Verb::Smooth(arguments) => verbs::smooth::run(arguments),
        Verb::Reduce(arguments) => verbs::reduce::run(arguments),
        Verb::Scan(arguments) => verbs::scan::run(arguments),
        Verb::Matmul(arguments) => verbs::matmul::run(arguments),
        Verb::Heat(arguments) => verbs::heat::run(arguments),
        Verb::Radiator(arguments) => verbs::radiator::run(arguments),
    };
    outcome.unwrap_or_else(|error| {
        output::error(&format!("{error}"));
        ExitCode::from(2)
    })
}
