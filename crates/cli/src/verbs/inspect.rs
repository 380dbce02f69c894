//! `warpwise inspect`.

use crate::format::Format;
use crate::output;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::kernels::inspect::{InspectReport, Request, inspect};

const EXAMPLES: &str = "Exit status: 0 the file is valid, 2 it is not: the error says where.

Examples:
  warpwise inspect kernel.ptx
  warpwise inspect program.cu --entry 'reduce<int,256>'
  warpwise inspect program.cu -D TILE=16 --gpu rtx-3090 --json
  warpwise inspect a.out";

/// List the kernels of a file, what they take, and the variables they use
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A .ptx file (PTX), a .cu file (CUDA C++; a whole program is fine), or compiled code: a program, an object, a
    /// library, a fatbinary or a cubin
    file: PathBuf,
    /// A template instance to compile too, such as 'reduce<int,256>'
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The GPU for which .cu files are compiled, and the PTX in compiled code is chosen
    #[arg(long, value_name = "NAME", default_value = "h200")]
    gpu: String,
    /// Compile .cu files without optimisation: every store and every line of the source stays
    #[arg(long)]
    debug: bool,
    /// A macro for the compiler
    #[arg(long = "define", short = 'D', value_name = "NAME[=VALUE]")]
    defines: Vec<String>,
    /// A folder with headers for the compiler
    #[arg(long = "include", short = 'I', value_name = "DIR")]
    includes: Vec<PathBuf>,
    #[command(flatten)]
    format: Format<InspectReport>,
}

/// Reads the file and prints what is in it.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { file, entry, gpu, debug, defines, includes, format } = arguments;
    let report = inspect(&Request { file, entry, gpu, debug, defines, includes })?;
    for note in &report.notes {
        output::note(note);
    }
    format.print(&report)?;
    Ok(ExitCode::SUCCESS)
}
