//! `warpwise check`.

use crate::format::Format;
use crate::kernel::{ARGUMENTS, LaunchArguments, RungArguments, Target};
use crate::{failing, output, progress};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpwise_lab::kernels::check::{CheckReport, Request, check};
use warpwise_lab::kernels::launches::{self, Defaults, LaunchesReport, Rules};
use warpwise_lab::{Baseline, Checks, FailOn, parse_checks};

const EXAMPLES: &str = "Exit status: 0 nothing found, 1 something found, 2 bad input.

A launch file lists kernels with their arguments and with what is expected of them: docs/ci.md describes it.
A comment in the source, // warpwise: allow race, on the line of a finding or above it, suppresses that finding.

Examples:
  warpwise check reduce.cu --entry sum --grid 64 --block 256 \\
      --arg i32[16384]:ones --arg i32[64]:zeros --arg u32=16384
  warpwise check stencil.ptx --grid 8,8 --block 16,16 --check races,init --format sarif \\
      --arg f32[2^14]:random:0:1 --arg f32[2^14]:uninit > findings.sarif
  warpwise check scan gpu-7-look-back -n 2^16
  warpwise check launches.toml --baseline known.sarif --format junit > launches.xml";

/// Look for races, bad accesses, uninitialized reads and divergent barriers
#[derive(clap::Args)]
#[command(
    after_help = format!("{ARGUMENTS}\n\n{EXAMPLES}"),
    override_usage = "warpwise check [OPTIONS] FILE\n       warpwise check [OPTIONS] PRIMITIVE VARIANT\n       \
        warpwise check [OPTIONS] LAUNCHES.toml..."
)]
pub(crate) struct Arguments {
    /// A .cu or .ptx file; or a primitive and one of its rungs; or launch files
    #[arg(required = true, num_args = 1.., value_name = "FILE or PRIMITIVE VARIANT or LAUNCHES.toml")]
    target: Vec<String>,
    #[command(flatten)]
    launch: LaunchArguments,
    #[command(flatten)]
    rung: RungArguments,
    /// What to look for: all, or some of races,memory,init,sync
    #[arg(long, value_name = "CHECKS", default_value = "all", value_parser = parse_checks)]
    check: Checks,
    /// Which findings end with status 1
    #[arg(long, value_name = "SEVERITY", default_value = "warning", value_parser = failing::parser())]
    fail_on: FailOn,
    /// Findings that are known: a log that --format sarif wrote. Only others end with status 1
    #[arg(long, value_name = "FILE.sarif")]
    baseline: Option<PathBuf>,
    /// How many launches of launch files run at a time [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    format: Format<CheckReport>,
}

/// Runs the kernel with checks and prints what is wrong with it.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.format.check_page()?;
    if arguments.target.iter().any(|word| is_launch_file(word)) {
        return run_launches(&arguments);
    }
    if arguments.jobs.is_some() {
        anyhow::bail!("--jobs is for launch files: give a .toml file, or leave it out");
    }
    let request = match Target::parse(&arguments.target)? {
        Target::File(file) => {
            arguments.rung.refuse()?;
            Request::File(Box::new(arguments.launch.request(&file, arguments.check)?))
        }
        Target::Rung { primitive, variant } => {
            let request = arguments.rung.request(&primitive, &variant, &arguments.launch)?;
            Request::Rung(Box::new(request), arguments.check)
        }
    };
    let baseline = arguments.baseline.as_deref().map(read_baseline).transpose()?;
    let mut report = progress::spin("checking on the emulator", || check(&request))?;
    report.fail_on = arguments.fail_on;
    if let Some(baseline) = &baseline {
        report.compare(baseline);
    }
    report.notes.iter().for_each(|note| output::note(note));
    report.warnings.iter().for_each(|warning| output::warning(warning));
    arguments.format.print(&report)?;
    Ok(match (report.refused(), report.failed()) {
        (true, _) => ExitCode::from(2),
        (_, true) => ExitCode::from(1),
        (_, false) => ExitCode::SUCCESS,
    })
}

fn is_launch_file(word: &str) -> bool {
    Path::new(word).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// Runs the launches of launch files and prints what became of them.
fn run_launches(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(other) = arguments.target.iter().find(|word| !is_launch_file(word)) {
        anyhow::bail!("`{other}` is not a launch file: give only .toml files, or one kernel");
    }
    arguments.rung.refuse()?;
    let launch = &arguments.launch;
    launch.refuse()?;
    arguments.format.exporter().check::<LaunchesReport>()?;
    let request = launches::Request {
        files: arguments.target.iter().map(PathBuf::from).collect(),
        source: None,
        defaults: Defaults {
            gpu: launch.gpu.clone(),
            max_instructions: launch.max_instructions,
            time_limit: launch.time_limit.unwrap_or(warpwise_lab::kernels::run::DEFAULT_TIME_LIMIT),
            checks: arguments.check,
            debug: launch.debug,
            defines: launch.defines.clone(),
            includes: launch.includes.clone(),
        },
        rules: Rules {
            fail_on: arguments.fail_on,
            baseline: arguments.baseline.as_deref().map(read_baseline).transpose()?,
        },
        jobs: arguments.jobs,
    };
    let report = progress::bar(|step| launches::run(&request, step))?;
    report.notes.iter().for_each(|note| output::note(note));
    report.warnings.iter().for_each(|warning| output::warning(warning));
    arguments.format.print_as(&report)?;
    Ok(match (report.errors, report.broken) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(1),
        _ => ExitCode::from(2),
    })
}

fn read_baseline(path: &Path) -> anyhow::Result<Baseline> {
    Baseline::read(path).map_err(|error| anyhow::anyhow!("--baseline: {error}"))
}
