//! `warpwise sweep`.

use crate::format::Format;
use crate::placement::{alone, places};
use crate::{interrupt, output, progress};
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise::primitive::{Setting, Settings};
use warpwise_lab::Place;
use warpwise_lab::kernels::run::parse_count;
use warpwise_lab::measure::bench;
use warpwise_lab::measure::stats::Rule;
use warpwise_lab::measure::sweep::{self, Budget, Request, parse_budget};

const EXAMPLES: &str = "\
Every configuration is compared with the reference before it is timed; one that the rung or the device rejects is
shown with the reason. Without a GPU, times are estimated for the one that --gpu names. With --results, each
measurement is appended to a file, and is not repeated for the same kernels, device and driver.

Examples:
  warpwise sweep reduce gpu-7-multi-add --block 128,256,512,1024 --grid 512,1024,2048,4096
  warpwise sweep scan gpu-7-look-back --block 64,128,256,512 -n 2^20 --type f32 --budget 60s
  warpwise sweep radiator gpu-3-resident --items 4,8,16,32 --size 64x1024 --device emulator \\
      --gpu rtx-3090
  warpwise sweep histogram gpu-5-replicated --block 128,256,512 --results sweep.jsonl --save";

/// Sweep the launch geometry of a rung: block x grid x items
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The primitive
    primitive: String,
    /// The GPU rung, as shown by `warpwise list`
    variant: String,
    /// Threads per block, comma-separated; without any list, the rung's own and 64 to 1024
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_number)]
    block: Vec<u32>,
    /// Blocks of the grid, comma-separated
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_number)]
    grid: Vec<u32>,
    /// Elements per thread, comma-separated
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_number)]
    items: Vec<u32>,
    /// The length, or the side of square matrices
    #[arg(short, value_name = "N", value_parser = parse_length, allow_hyphen_values = true)]
    n: Option<usize>,
    /// Rows and columns of an image or a grid
    #[arg(long, value_name = "ROWSxCOLS", value_parser = parse_plane)]
    size: Option<(usize, usize)>,
    /// The element type
    #[arg(long = "type", value_name = "TYPE")]
    ty: Option<String>,
    /// Where to measure
    #[arg(long, value_parser = places(alone, &[]), default_value = "auto")]
    device: Place,
    /// The GPU to estimate times for, where there is none
    #[arg(long, value_name = "NAME", default_value = "h200")]
    gpu: String,
    /// Steps of heat and radiator
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_count)]
    iterations: u64,
    /// Bins of histogram
    #[arg(long, value_name = "N", value_parser = parse_count)]
    bins: Option<u64>,
    /// How much to measure: a time (90s, 5min) or a number of configurations
    #[arg(long, value_name = "BUDGET", value_parser = parse_budget)]
    budget: Option<Budget>,
    /// Append results to a file, and reuse the results already in it
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Keep the best configuration in the tuning table that the library reads (WARPWISE_TUNING names its file)
    #[arg(long)]
    save: bool,
    #[command(flatten)]
    format: Format<sweep::Report>,
}

/// A launch dimension, written like a length: 256, 2^10.
fn parse_number(text: &str) -> Result<u32, String> {
    let number = one(bench::parse_lengths(text)?)?;
    u32::try_from(number).map_err(|_| format!("{number} is too many: use at most {}", u32::MAX))
}

fn parse_length(text: &str) -> Result<usize, String> {
    one(bench::parse_lengths(text)?)
}

fn parse_plane(text: &str) -> Result<(usize, usize), String> {
    one(bench::parse_planes(text)?)
}

/// A sweep takes a single problem.
fn one<T: Copy>(list: Vec<T>) -> Result<T, String> {
    match list[..] {
        [only] => Ok(only),
        _ => Err("a sweep takes one size, and a launch dimension is one number: give one".into()),
    }
}

/// Sweeps launch geometry.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    arguments.format.check_page()?;
    let mut settings = Settings::default().with("iterations", Setting::Number(arguments.iterations));
    if let Some(bins) = arguments.bins {
        settings = settings.with("bins", Setting::Number(bins));
    }
    let request = Request {
        primitive: arguments.primitive,
        variant: arguments.variant,
        blocks: arguments.block,
        grids: arguments.grid,
        items: arguments.items,
        length: arguments.n,
        plane: arguments.size,
        ty: arguments.ty,
        place: arguments.device,
        gpu: arguments.gpu,
        input: None,
        settings,
        rule: Rule::default(),
        budget: arguments.budget,
        results: arguments.results,
    };
    if arguments.save {
        sweep::check_save(request.place)?;
    }
    if let Some(file) = &request.results {
        warpwise_lab::files::check_writable(file)?;
    }
    interrupt::watch()?;
    let report = progress::bar(|step| sweep::run(&request, step, &interrupt::asked))?;
    arguments.format.print(&report)?;
    if arguments.save {
        output::note(&format!("saved to {}", sweep::save(&report)?.display()));
    }
    Ok(match (report.interrupted, report.ok()) {
        (true, _) => ExitCode::from(130),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(1),
    })
}
