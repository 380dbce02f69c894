//! `warpwise run`.

use crate::format::Format;
use crate::kernel::{ARGUMENTS, LaunchArguments};
use crate::placement::places;
use crate::{failing, output, progress};
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::kernels::run::{Request, RunReport};
use warpwise_lab::{Checks, FailOn, Place, parse_checks};

const EXAMPLES: &str = "Examples:
  warpwise run vecadd.cu --grid 4096 --block 256 \\
      --arg f32[2^20]:random:0:1 --arg f32[2^20]:ones --arg f32[2^20]:zeros --arg i32=2^20
  warpwise run reduce.cu --entry 'reduce<int,256>' --grid 64 --block 256 --check all \\
      --arg i32[16384]:ones --arg i32[64]:zeros --arg u32=16384 --json
  warpwise run kernel.ptx --grid 16,16 --block 16,16 --gpu rtx-3090 \\
      --arg f32[65536]:iota --dump out/";

/// What the places mean for a user's kernel.
const WORDS: [(Place, &str); 3] = [
    (Place::Auto, "A GPU if there is one, else the emulator; with --check, the emulator"),
    (Place::Emulator, "The emulator, on the cores of this machine"),
    (Place::Both, "The emulator and a GPU: memory after the kernel is compared bit by bit"),
];

/// Run your own kernel, from PTX or CUDA C++
#[derive(clap::Args)]
#[command(after_help = format!("{ARGUMENTS}\n\n{EXAMPLES}"))]
pub(crate) struct Arguments {
    /// A .ptx file (PTX) or a .cu file (CUDA C++; a whole program is fine)
    file: PathBuf,
    #[command(flatten)]
    launch: LaunchArguments,
    /// Where to run
    #[arg(long, value_parser = places(|place| place != Place::Cpu, &WORDS), default_value = "auto")]
    device: Place,
    /// Mistakes to look for: all, none, or some of races,memory,init,sync
    #[arg(long, value_name = "CHECKS", default_value = "none", value_parser = parse_checks)]
    check: Checks,
    /// Which findings end with status 1
    #[arg(long, value_name = "SEVERITY", default_value = "error", value_parser = failing::parser())]
    fail_on: FailOn,
    #[command(flatten)]
    format: Format<RunReport>,
    /// Write every buffer to DIR/argN.bin afterwards, as raw little-endian data
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
}

/// Runs the kernel and prints what it did.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.format.check_page()?;
    let request = Request {
        device: arguments.device,
        dump: arguments.dump,
        ..arguments.launch.request(&arguments.file, arguments.check)?
    };
    let report = progress::spin("running", || warpwise_lab::kernels::run::run(&request))?;
    report.notes.iter().for_each(|note| output::note(note));
    report.warnings.iter().for_each(|warning| output::warning(warning));
    arguments.format.print(&report)?;
    Ok(match (report.refused(), report.failed(arguments.fail_on)) {
        // The kernel never ran: the request is wrong, not the kernel.
        (true, _) => ExitCode::from(2),
        (_, true) => ExitCode::from(1),
        (_, false) => ExitCode::SUCCESS,
    })
}
