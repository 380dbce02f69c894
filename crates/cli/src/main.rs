//! The `warpwise` command: arguments in, calls of the laboratory, results out.

mod output;
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
    /// Run your own kernel, from PTX or CUDA C++
    Run(Box<verbs::run::Arguments>),
    /// Say what was found on this machine, and where it was looked for
    Doctor(verbs::doctor::Arguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.verb {
        Verb::Run(arguments) => verbs::run::run(*arguments),
        Verb::Doctor(arguments) => verbs::doctor::run(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        output::error(&format!("{error}"));
        ExitCode::from(2)
    })
}
