//! `warpwise radiator`.

use crate::format::Format;
use crate::number::{parse_u32, parse_usize};
use crate::placement::Placement;
use crate::progress;
use std::process::ExitCode;
use warpwise_lab::applications::radiator::{Preset, RadiatorReport, Request, Shown};

const EXAMPLES: &str =
    "Both versions run, and their results are compared: exit status 1 if a cell differs by more than 1e-5. --variant takes
several, with commas between them, or all: they run one after the other, and a table has them beside the first.

Examples:
  warpwise radiator
  warpwise radiator -n 64 -m 128 -p 100 -a -t
  warpwise radiator --preset 2025 --double --variant gpu-2-registers
  warpwise radiator -n 512 -m 512 -a --variant cpu-seq,cpu-par,gpu-1-naive,gpu-4-shuffled
  warpwise radiator -n 15360 -m 15360 -p 1000 -g -t";

/// Simulate a radiator on the CPU and the GPU, and compare
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Rows
    #[arg(short = 'n', value_name = "ROWS", default_value_t = 32, value_parser = parse_usize)]
    rows: usize,
    /// Columns
    #[arg(short = 'm', value_name = "COLUMNS", default_value_t = 32, value_parser = parse_usize)]
    columns: usize,
    /// Iterations
    #[arg(short = 'p', value_name = "N", default_value_t = 10, value_parser = parse_usize)]
    iterations: usize,
    /// Also compute the average of every row
    #[arg(short = 'a')]
    averages: bool,
    /// Show the time of every stage
    #[arg(short = 't')]
    times: bool,
    /// Threads per block, for the variants that accept any number
    #[arg(short = 'b', value_name = "THREADS", default_value_t = 64, value_parser = parse_u32)]
    block: u32,
    /// Print the grids
    #[arg(short = 'v')]
    grids: bool,
    /// Skip the CPU version
    #[arg(short = 'c')]
    skip_cpu: bool,
    /// Skip the GPU version
    #[arg(short = 'g')]
    skip_gpu: bool,
    /// Initial values, fixed columns and weights: 2019, 2023 or 2025
    #[arg(long, value_name = "YEAR", default_value = "2019", value_parser = parse_preset)]
    preset: Preset,
    /// f64 instead of f32
    #[arg(long)]
    double: bool,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<RadiatorReport>,
}

fn parse_preset(text: &str) -> Result<Preset, String> {
    Preset::ALL.into_iter().find(|preset| preset.name() == text).ok_or_else(|| {
        let known: Vec<_> = Preset::ALL.iter().map(|preset| preset.name()).collect();
        format!("use one of {}", known.join(", "))
    })
}

/// Simulates a radiator on both sides and compares.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let request = Request {
        preset: arguments.preset,
        rows: arguments.rows,
        columns: arguments.columns,
        iterations: arguments.iterations,
        averages: arguments.averages,
        block: arguments.block,
        double: arguments.double,
        skip_cpu: arguments.skip_cpu,
        skip_gpu: arguments.skip_gpu,
        setup: arguments.placement.setup(),
    };
    let mut report = progress::spin("simulating", || warpwise_lab::applications::radiator::run(&request))?;
    report.shown = Shown { times: arguments.times, grids: arguments.grids };
    arguments.format.print(&report)?;
    Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
