//! `warpwise heat`.

use crate::format::Format;
use crate::number::parse_usize;
use crate::placement::Placement;
use crate::{output, progress};
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::heat::{HeatReport, Request};

const EXAMPLES: &str = "Pictures are PGM (P2 or P5), PNG or JPEG. A value v of a picture whose white is max means a conductivity \
of v / max, or a temperature of L + v (H - L) / max. Without pictures the upper half is at H and the lower at L, and the \
conductivity rises from 0.1 in the first column to 0.9 in the last. FLOP/s counts 12 operations per cell and step.

--variant takes several, with commas between them, or all: they run one after the other, and a table has them beside the \
first.

Examples:
  warpwise heat
  warpwise heat -n 200 -m 100 -i 5000 -k 500 -r
  warpwise heat -c conductivity.pgm -t temperature.pgm -L 0 -H 40 -e 0.001 -i 100000 -k 1000 \\
      -r --out frames
  warpwise heat -n 20 -m 20 --variant gpu-4-fused --json
  warpwise heat -n 512 -m 512 -i 100 --variant cpu-seq,cpu-par,gpu-6-resident";

/// Simulate heat on a cylinder
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Rows of the cylinder; taken from the pictures if there are any [default: 150]
    #[arg(short = 'n', value_name = "ROWS", value_parser = parse_usize)]
    rows: Option<usize>,
    /// Columns of the cylinder; taken from the pictures if there are any [default: 100]
    #[arg(short = 'm', value_name = "COLUMNS", value_parser = parse_usize)]
    columns: Option<usize>,
    /// Maximum number of iterations
    #[arg(short = 'i', value_name = "N", default_value_t = 42, value_parser = parse_usize)]
    iterations: usize,
    /// Iterations between reports
    #[arg(short = 'k', value_name = "N", default_value_t = 1000, value_parser = parse_usize)]
    period: usize,
    /// Stop when no cell changes by this much in an iteration
    #[arg(short = 'e', value_name = "T", default_value_t = 0.1, allow_negative_numbers = true)]
    threshold: f64,
    /// A picture of the conductivity
    #[arg(short = 'c', value_name = "FILE")]
    conductivity: Option<PathBuf>,
    /// A picture of the temperature
    #[arg(short = 't', value_name = "FILE")]
    temperature: Option<PathBuf>,
    /// The temperature of black
    #[arg(short = 'L', value_name = "T", default_value_t = -100.0, allow_negative_numbers = true)]
    low: f64,
    /// The temperature of white
    #[arg(short = 'H', value_name = "T", default_value_t = 100.0, allow_negative_numbers = true)]
    high: f64,
    /// Report every -k iterations, not only at the end
    #[arg(short = 'r')]
    report: bool,
    /// Write a grey picture to DIR at every report
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the start and every report as one picture that moves, an animated PNG
    #[arg(long, value_name = "FILE")]
    animation: Option<PathBuf>,
    /// Write the temperatures at the end: .npy, .csv, or a grey picture
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Write a grey picture of the differences from the reference at the end, amplified until the largest is white
    #[arg(long, value_name = "FILE")]
    difference: Option<PathBuf>,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<HeatReport>,
}

/// Simulates heat on a cylinder.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let request = Request {
        rows: arguments.rows,
        columns: arguments.columns,
        iterations: arguments.iterations,
        period: arguments.period,
        threshold: arguments.threshold,
        conductivity: arguments.conductivity,
        temperature: arguments.temperature,
        low: arguments.low,
        high: arguments.high,
        report: arguments.report,
        out: arguments.out,
        animation: arguments.animation,
        save: arguments.save,
        difference: arguments.difference,
        setup: arguments.placement.setup(),
    };
    let report = progress::bar(|step| warpwise_lab::applications::heat::run(&request, step))?;
    arguments.format.print(&report)?;
    match &report.verified {
        Some(verified) if verified.ok => output::note(verified.line().trim_end()),
        Some(verified) => output::warning(verified.line().trim_end()),
        None => {}
    }
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
