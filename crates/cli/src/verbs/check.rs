//! `warpwise check`.

use crate::format::Format;
use crate::kernel::{ARGUMENTS, LaunchArguments, RungArguments, Target};
use crate::{output, progress};
use std::process::ExitCode;
use warpwise_lab::kernels::check::{CheckReport, Request, check};
use warpwise_lab::{Checks, parse_checks};

const EXAMPLES: &str = "Exit status: 0 nothing found, 1 something found, 2 bad input.

Examples:
  warpwise check reduce.cu --entry sum --grid 64 --block 256 \\
      --arg i32[16384]:ones --arg i32[64]:zeros --arg u32=16384
  warpwise check stencil.ptx --grid 8,8 --block 16,16 --arg f32[2^14]:random:0:1 --arg f32[2^14]:uninit \\
      --check races,init --format sarif > findings.sarif
  warpwise check scan gpu-7-look-back -n 2^16";

/// Look for races, bad accesses, uninitialized reads and divergent barriers
#[derive(clap::Args)]
#[command(
    after_help = format!("{ARGUMENTS}\n\n{EXAMPLES}"),
    override_usage = "warpwise check [OPTIONS] FILE\n       warpwise check [OPTIONS] PRIMITIVE VARIANT"
)]
pub(crate) struct Arguments {
    /// A .cu or .ptx file; or a primitive and one of its rungs
    #[arg(required = true, num_args = 1..=2, value_name = "FILE or PRIMITIVE VARIANT")]
    target: Vec<String>,
    #[command(flatten)]
    launch: LaunchArguments,
    #[command(flatten)]
    rung: RungArguments,
    /// What to look for: all, or some of races,memory,init,sync
    #[arg(long, value_name = "CHECKS", default_value = "all", value_parser = parse_checks)]
    check: Checks,
    #[command(flatten)]
    format: Format<CheckReport>,
}

/// Runs the kernel with checks and prints what is wrong with it.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let request = match Target::parse(&arguments.target)? {
        Target::File(file) => {
            arguments.rung.refuse()?;
            Request::File(Box::new(arguments.launch.request(&file, arguments.check)?))
        }
        Target::Rung { primitive, variant } => {
            Request::Rung(arguments.rung.request(&primitive, &variant, &arguments.launch)?, arguments.check)
        }
    };
    let report = progress::spin("checking on the emulator", || check(&request))?;
    for note in &report.notes {
        output::note(note);
    }
    arguments.format.print(&report)?;
    Ok(match (report.findings.is_empty(), report.refused()) {
        (true, _) => ExitCode::SUCCESS,
        (_, true) => ExitCode::from(2),
        _ => ExitCode::from(1),
    })
}
