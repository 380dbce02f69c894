//! `warpwise bench`.

use crate::format::{self, Format};
use crate::number::{parse_counts, parse_u32};
use crate::placement::{alone, places};
use crate::{interrupt, output, progress};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpwise::primitive::{Setting, Settings};
use warpwise::{Geometry, Operator};
use warpwise_lab::Place;
use warpwise_lab::kernels::run::parse_count;
use warpwise_lab::measure::bench::{self, Report, Request, Selection};
use warpwise_lab::measure::figures;
use warpwise_lab::measure::stats::{Allowance, Rule};

const EXAMPLES: &str = "\
Every configuration is compared with the reference before it is timed. Times are medians: of the kernels on a GPU, of
the call on the CPU; sampling ends when the noise is low or the time is up. On the emulator there are counters
instead of times. docs/bench.md says what is measured and what is not.

Examples:
  warpwise bench reduce
  warpwise bench reduce --variant all -n 2^10..2^20 --device cpu --baseline cpu-seq
  warpwise bench scan --variant cpu-par --type i32,f64 -n 1000,4000 --json
  warpwise bench histogram --size 1000x1000 --input black --html histogram.html
  warpwise bench matmul --variant all --device emulator -n 128
  warpwise bench reduce --variant all --device emulator --gpu h200 -n 2^16..2^24 --svg curves.svg
  warpwise bench heat --size 512x512 --iterations 50 --save-baseline before
  warpwise bench --like list
  warpwise bench --like reduce-ladder --device cuda

Exit status: 0 good, 1 a wrong result, 2 bad input, 130 ended by Ctrl-C (the results so far are written).";

/// Measure variants of a primitive, each verified first
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The primitive: one of those that `warpwise list` names
    #[arg(required_unless_present = "like", conflicts_with = "like")]
    primitive: Option<String>,
    /// Repeat a published experiment: its figures beside counters of the emulator, times estimated for the GPU that it
    /// names, and times measured on a GPU if there is one; `list` lists them. -n, --size and --variant select rows, and
    /// sizes that were not published scale it
    #[arg(long, value_name = "NAME")]
    like: Option<String>,
    /// Variants, comma-separated, as shown by `warpwise list`; all; or best
    #[arg(long, value_name = "NAMES", default_value = "best")]
    variant: String,
    /// Lengths, or sides of square matrices: 2^24, 1000,4000 or 2^10..2^28
    #[arg(short, value_name = "LIST", value_parser = |text: &str| bench::parse_lengths(text).map(List), allow_hyphen_values = true)]
    n: Option<List<usize>>,
    /// Rows and columns of images and grids: 1000x2000, or several, comma-separated
    #[arg(long, value_name = "ROWSxCOLS", value_parser = |text: &str| bench::parse_planes(text).map(List))]
    size: Option<List<(usize, usize)>>,
    /// Element types, comma-separated, or all
    #[arg(long = "type", value_name = "TYPES", value_delimiter = ',')]
    types: Vec<String>,
    /// Where to measure; several are comma-separated
    #[arg(long, value_parser = places(alone, &[]), value_delimiter = ',', default_value = "auto")]
    device: Vec<Place>,
    /// Estimate times for this GPU where kernels are emulated
    #[arg(long, value_name = "NAME")]
    gpu: Option<String>,
    /// Test data: random, sorted, reversed, black (one value), ones or iota; the year of a radiator
    #[arg(long, value_name = "NAME")]
    input: Option<String>,
    /// What reduce and scan combine with: sum, product, min or max
    #[arg(long, value_name = "NAME", default_value = "sum", value_parser = parse_operator)]
    op: Operator,
    /// What combines the partial results of reduce: gpu, recursive or cpu
    #[arg(long, value_name = "WHO", default_value = "gpu", value_parser = super::reduce::parse_finish)]
    finish: warpwise_lab::applications::reduce::Finish,
    /// Bins of histogram; several are comma-separated and measured one after the other
    #[arg(long, value_name = "LIST", value_parser = |text: &str| parse_counts(text).map(List))]
    bins: Option<List<u64>>,
    /// Steps of heat and radiator
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_count)]
    iterations: u64,
    /// Any other parameter of the primitive, once for each
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Threads per block of GPU rungs
    #[arg(long, value_name = "N", value_parser = parse_u32)]
    block: Option<u32>,
    /// Blocks of the grid, for GPU rungs that accept any number
    #[arg(long, value_name = "N", value_parser = parse_u32)]
    grid: Option<u32>,
    /// Elements per thread, for GPU rungs that offer a choice
    #[arg(long, value_name = "N", value_parser = parse_u32)]
    items: Option<u32>,
    /// Show how much faster the others are than this variant; it is measured too
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Maximum seconds of sampling for each configuration (at least 10 samples are taken)
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = Rule::default().time_limit,
        value_parser = parse_seconds,
        allow_negative_numbers = true
    )]
    time_limit: f64,
    #[command(flatten)]
    format: Format<Report>,
    /// Write comma-separated values
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a chart
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Keep the results under a name, in .warpwise/baselines, for `warpwise compare`
    #[arg(long, value_name = "NAME")]
    save_baseline: Option<String>,
}

/// The values of one flag, given as a list.
#[derive(Clone)]
struct List<T>(Vec<T>);

fn parse_operator(text: &str) -> Result<Operator, String> {
    Operator::ALL.into_iter().find(|op| op.name() == text).ok_or_else(|| {
        let known: Vec<_> = Operator::ALL.iter().map(|op| op.name()).collect();
        format!("use one of {}", known.join(", "))
    })
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=86400.0).contains(&seconds) => Ok(seconds),
        _ => Err("give seconds, from 0 to 86400".into()),
    }
}

impl Arguments {
    /// The request, with this number of bins.
    fn request(&self, bins: Option<u64>) -> anyhow::Result<Request> {
        let primitive = self.primitive.as_deref().unwrap_or_default();
        let mut settings = Settings::default()
            .with("op", Setting::Word(self.op.name()))
            .with("finish", Setting::Word(self.finish.name()))
            .with("iterations", Setting::Number(self.iterations));
        if let Some(bins) = bins {
            settings = settings.with("bins", Setting::Number(bins));
        }
        for text in &self.set {
            settings = bench::parse_setting(primitive, text, settings)?;
        }
        Ok(Request {
            variants: Selection::parse(&self.variant),
            lengths: self.n.clone().map_or_else(Vec::new, |list| list.0),
            planes: self.size.clone().map_or_else(Vec::new, |list| list.0),
            types: self.types.clone(),
            places: self.device.clone(),
            gpu: self.gpu.clone(),
            input: self.input.clone(),
            settings,
            geometry: Geometry { block: self.block, grid: self.grid, items: self.items },
            baseline: self.baseline.clone(),
            rule: Rule { time_limit: self.time_limit, ..Rule::default() },
            ..Request::new(primitive)
        })
    }

    /// A request for each number of bins.
    fn requests(&self) -> anyhow::Result<Vec<Request>> {
        match &self.bins {
            None => Ok(vec![self.request(None)?]),
            Some(List(bins)) => bins.iter().map(|&bins| self.request(Some(bins))).collect(),
        }
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.csv, &self.svg].into_iter().flatten().map(PathBuf::as_path)
    }
}

/// Repeats a published experiment.
fn like(name: &str, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if name == "list" {
        format::print(arguments.format.exporter(), &figures::index())?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.files().next().is_some() || arguments.save_baseline.is_some() {
        anyhow::bail!("--like: results go to stdout and --html only: leave out --csv, --svg and --save-baseline");
    }
    let exporter = arguments.format.exporter();
    exporter.check::<figures::LikeReport>()?;
    arguments.format.check_page()?;
    let wish = figures::Wish {
        figure: name.to_owned(),
        variants: Selection::parse(&arguments.variant),
        lengths: arguments.n.clone().map_or_else(Vec::new, |list| list.0),
        planes: arguments.size.clone().map_or_else(Vec::new, |list| list.0),
        places: arguments.device.clone(),
        rule: Rule { time_limit: arguments.time_limit, ..Rule::default() },
        allowance: Allowance::default(),
        effort: Some(figures::Effort::TABLE),
    };
    interrupt::watch()?;
    let report = progress::bar(|step| figures::run(&wish, step, &interrupt::asked))?;
    arguments.format.print_as(&report)?;
    Ok(status(report.interrupted, report.ok()))
}

/// The exit status.
fn status(interrupted: bool, ok: bool) -> ExitCode {
    match (interrupted, ok) {
        (true, _) => ExitCode::from(130),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(1),
    }
}

/// Measures a primitive.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if let Some(name) = &arguments.like {
        return like(name, &arguments);
    }
    let requests = arguments.requests()?;
    // Fail before measuring, not minutes later, if a file cannot be written.
    for file in arguments.files() {
        warpwise_lab::files::check_writable(file)?;
    }
    arguments.format.check_page()?;
    if let Some(name) = &arguments.save_baseline {
        bench::check_name(name)?;
    }
    interrupt::watch()?;
    let report = progress::bar(|step| -> anyhow::Result<Report> {
        let mut whole: Option<Report> = None;
        for (at, request) in requests.iter().enumerate() {
            let all = requests.len();
            let report = bench::run(request, &|done, of| step(at * of + done, all * of), &interrupt::asked)?;
            let interrupted = report.interrupted;
            match &mut whole {
                None => whole = Some(report),
                Some(whole) => whole.append(report),
            }
            if interrupted {
                break;
            }
        }
        whole.ok_or_else(|| anyhow::anyhow!("--bins: give at least one number"))
    })?;
    arguments.format.print(&report)?;
    write(&arguments, &report)?;
    Ok(status(report.interrupted, report.ok()))
}

/// Writes the requested files.
fn write(arguments: &Arguments, report: &Report) -> anyhow::Result<()> {
    let files = [("csv", &arguments.csv), ("svg", &arguments.svg)];
    for (name, file) in files {
        if let Some(file) = file {
            format::save(file, name, report)?;
        }
    }
    if let Some(name) = &arguments.save_baseline {
        output::note(&format!("saved as {}", bench::save_baseline(name, report)?.display()));
    }
    Ok(())
}
