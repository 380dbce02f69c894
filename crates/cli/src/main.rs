//! The `warpwise` command: reads arguments, calls the laboratory, prints results.

mod failing;
mod format;
mod formula;
mod help;
mod input;
mod interrupt;
mod kernel;
mod notes;
mod number;
mod output;
mod placement;
mod progress;
mod verbs;

use clap::{CommandFactory, FromArgMatches, Parser};
use std::process::ExitCode;

/// A laboratory for data-parallel GPU kernels: runs CUDA kernels without a GPU.
#[derive(Parser)]
#[command(name = "warpwise", version, arg_required_else_help = true, after_help = EXIT_STATUS)]
struct Cli {
    #[command(subcommand)]
    verb: verbs::Verb,
}

const EXIT_STATUS: &str = "Results go to stdout, notes to stderr. \
    Exit status: 0 good, 1 wrong result or finding, 2 bad input.";

fn main() -> ExitCode {
    // After a kernel has failed, the GPU can only be used from a new process.
    warpwise::allow_rebuild();
    notes::show();
    let mut command = help::in_paragraphs(Cli::command());
    let read = Cli::from_arg_matches(&command.get_matches_mut()).map_err(|error| error.format(&mut command));
    read.unwrap_or_else(|error| error.exit()).verb.run().unwrap_or_else(|error| {
        output::error(&format!("{error}"));
        ExitCode::from(2)
    })
}
