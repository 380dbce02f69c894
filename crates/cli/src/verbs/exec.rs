//! `warpwise exec`.

use crate::input::parse_memory;
use crate::kernel::parse_seconds;
use crate::placement::places;
use crate::{failing, format, output};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use warpwise_lab::output::Report;
use warpwise_lab::programs::{Clock, Pick, ProgramReport, Request, run as run_program};
use warpwise_lab::{Checks, FailOn, Place, Style, parse_checks};

const EXAMPLES: &str = "The program's output is its own; the report goes to stderr.
Exit status: the program's; 1 if it is 0 and something was found; 2 bad input.

Examples:
  warpwise exec saxpy.cu
  warpwise exec --check all main.cu kernels.cu -- --size 1024
  warpwise exec --explain --launches 'reduce*:3-5' -- ./build/app input.dat
  warpwise exec --check races script.py -- --epochs 1
  warpwise exec --sarif findings.sarif --json run.json -- ./app";

/// Run a whole CUDA program with no GPU: a .cu file, a built program, a Python script
#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "warpwise exec [OPTIONS] FILE.cu... [-- ARGUMENTS...]\n       \
        warpwise exec [OPTIONS] SCRIPT.py [-- ARGUMENTS...]\n       \
        warpwise exec [OPTIONS] -- PROGRAM [ARGUMENTS...]"
)]
pub(crate) struct Arguments {
    /// Sources, a script, or a program
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,
    /// The program's arguments; or the program with its arguments
    #[arg(last = true, value_name = "ARGUMENTS")]
    after: Vec<OsString>,
    /// Where kernels run
    #[arg(long, value_parser = places(|place| matches!(place, Place::Emulator | Place::Cuda | Place::Both), &WORDS), default_value = "emulator")]
    device: Place,
    /// The GPU to emulate
    #[arg(long, value_name = "NAME", default_value = "h200")]
    gpu: String,
    /// Mistakes to look for in kernels: all, none, or some of races,memory,init,sync
    #[arg(long, value_name = "CHECKS", default_value = "none", value_parser = parse_checks)]
    check: Checks,
    /// Do not look for mistakes of the host: failed calls, bad copies, frees and leaks, missing order
    #[arg(long)]
    no_host_checks: bool,
    /// Count what kernels do, and estimate their times on the GPU
    #[arg(long)]
    counters: bool,
    /// Explain why the costliest kernels take their time
    #[arg(long)]
    explain: bool,
    /// Check and count only these launches: 'reduce*', or its third to fifth with 'reduce*:3-5'
    #[arg(long, value_name = "KERNELS[:N-M]", value_delimiter = ',')]
    launches: Vec<Pick>,
    /// Bytes of device memory, such as 2^33 [default: a share of the host's]
    #[arg(long, value_name = "BYTES", value_parser = parse_memory, allow_hyphen_values = true)]
    memory: Option<u64>,
    /// End a launch after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_hyphen_values = true)]
    time_limit: Option<Duration>,
    /// What events of the program measure
    #[arg(long, value_name = "CLOCK", default_value = "host", value_parser = clocks())]
    clock: Clock,
    /// An argument for nvcc, such as --nvcc-arg=-O3
    #[arg(long = "nvcc-arg", value_name = "ARGUMENT", allow_hyphen_values = true)]
    nvcc_arguments: Vec<String>,
    /// Leave nvJitLink as it is; else Numba is made to hand over PTX instead of machine code
    #[arg(long)]
    keep_nvjitlink: bool,
    /// Which findings end with status 1
    #[arg(long, value_name = "SEVERITY", default_value = "error", value_parser = failing::parser())]
    fail_on: FailOn,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the findings as SARIF
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write the report as a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the kernels and their findings as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print findings only, no tables
    #[arg(long, short)]
    quiet: bool,
    /// Tell what is set and done for the program
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,
}

/// What the places mean for a program.
const WORDS: [(Place, &str); 3] = [
    (Place::Emulator, "The emulator, on the cores of this machine"),
    (Place::Cuda, "An NVIDIA GPU: the program is only compiled and started"),
    (Place::Both, "The emulator, then a GPU: the bytes of every copy back to the host are compared"),
];

/// Runs the program and reports what it did.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let files = [
        ("json", &arguments.json),
        ("sarif", &arguments.sarif),
        ("html", &arguments.html),
        ("junit", &arguments.junit),
    ];
    let files: Vec<(&str, PathBuf)> =
        files.into_iter().filter_map(|(format, file)| Some((format, file.clone()?))).collect();
    for (format, file) in &files {
        check_writable(format, file)?;
    }
    let (quiet, emulated) = (arguments.quiet, arguments.device != Place::Cuda);
    let report = run_program(&request(arguments))?;
    for (format, file) in &files {
        format::save(file, format, &report)?;
    }
    tell(&report, quiet, emulated);
    Ok(ExitCode::from(report.status()))
}

fn request(arguments: Arguments) -> Request {
    Request {
        nvcc_arguments: arguments.nvcc_arguments,
        device: arguments.device,
        gpu: arguments.gpu,
        checks: arguments.check,
        host_checks: !arguments.no_host_checks,
        counters: arguments.counters,
        explain: arguments.explain,
        launches: arguments.launches,
        memory: arguments.memory,
        time_limit: arguments.time_limit,
        clock: arguments.clock,
        keep_nvjitlink: arguments.keep_nvjitlink,
        verbose: arguments.verbose,
        fail_on: arguments.fail_on,
        ..Request::new(arguments.files, arguments.after)
    }
}

/// Prints the report where it does not mix with the program's output.
fn tell(report: &ProgramReport, quiet: bool, emulated: bool) {
    let style = Style { colour: output::colour(&std::io::stderr()) };
    report.notes.iter().filter(|_| !quiet).for_each(|note| output::note(note));
    match (quiet, emulated) {
        (true, _) => output::aside(&report.brief(style)),
        // On a GPU nothing is known but how it ended.
        (false, false) => {}
        (false, true) => output::aside(&report.text(style)),
    }
}

fn check_writable(format: &str, file: &Path) -> anyhow::Result<()> {
    warpwise_lab::files::check_writable(file).map_err(|error| anyhow::anyhow!("--{format}: {error}"))
}

fn clocks() -> impl TypedValueParser<Value = Clock> {
    let values = [("host", "The time that passes on this machine"), ("estimated", "The estimated time of the GPU")];
    PossibleValuesParser::new(values.map(|(name, help)| PossibleValue::new(name).help(help)))
        .map(|name| if name == "host" { Clock::Host } else { Clock::Estimated })
}
