//! `warpwise watch`.

use crate::format;
use crate::kernel::{ARGUMENTS, LaunchArguments, RungArguments, Target, parse_shape};
use crate::{output, progress};
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::files;
use warpwise_lab::kernels::run::parse_count;
use warpwise_lab::kernels::watch::{Choice, WatchReport, parse_warps, watch};

const EXAMPLES: &str = "The page is one file that needs no network; docs/watch.md says how to read it.

Examples:
  warpwise watch reduce gpu-2-strided --out conflicts.html
  warpwise watch reduce gpu-1-interleaved --compare gpu-2-strided --out beside.html
  warpwise watch tile.cu --grid 4 --block 256 --arg f32[1024]:iota --arg f32[4]:zeros --warps 0-3
  warpwise watch sums.cu --entry slow --compare fast --grid 8 --block 256 \\
      --arg i32[2048]:ones --arg i32[8]:zeros";

/// Watch a kernel run: a page that steps through its lanes, banks, sectors, barriers and races
#[derive(clap::Args)]
#[command(
    after_help = format!("{ARGUMENTS}\n\n{EXAMPLES}"),
    override_usage = "warpwise watch [OPTIONS] FILE\n       warpwise watch [OPTIONS] PRIMITIVE VARIANT"
)]
pub(crate) struct Arguments {
    /// A .cu or .ptx file; or a primitive and one of its rungs
    #[arg(required = true, num_args = 1..=2, value_name = "FILE or PRIMITIVE VARIANT")]
    target: Vec<String>,
    #[command(flatten)]
    launch: LaunchArguments,
    #[command(flatten)]
    rung: RungArguments,
    /// A block to record, by its blockIdx; may be given several times [default: where something is
    /// found, or 0,0,0]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_index)]
    block_of: Vec<[u32; 3]>,
    /// Warps of each block to record, counted from 0 [default: all, at most 64]
    #[arg(long, value_name = "FIRST-LAST", value_parser = parse_warps)]
    warps: Option<(u32, u32)>,
    /// Steps of each warp to record [default: as many as keep the page small]
    #[arg(long, value_name = "N", value_parser = parse_steps)]
    steps: Option<usize>,
    /// Which launch of a rung to record, counted from 1
    #[arg(long, value_name = "N", value_parser = parse_steps, default_value = "1")]
    launch_number: usize,
    /// Show another beside it: a rung of the same primitive, or 'PRIMITIVE VARIANT' of another; for a file, another
    /// kernel in it, or another file with the same arguments
    #[arg(long, value_name = "OTHER")]
    compare: Option<String>,
    /// Blocks of the other kernel's grid, if different
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_shape, requires = "compare")]
    compare_grid: Option<[u32; 3]>,
    /// The page [default: warpwise-watch.html; with --json, none]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the record as JSON
    #[arg(long)]
    json: bool,
}

/// Records the kernel and writes the page.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let out = match (&arguments.out, arguments.json) {
        (None, false) => Some(PathBuf::from("warpwise-watch.html")),
        (out, _) => out.clone(),
    };
    if let Some(file) = &out {
        files::check_writable(file)?;
    }
    let target = Target::parse(&arguments.target)?;
    let given = (&arguments.launch, &arguments.rung);
    let request = target.request(given, None)?;
    let beside = |other| target.beside(other, arguments.compare_grid, given, None);
    let other = arguments.compare.as_deref().map(beside).transpose()?;
    let (blocks, launch) = (arguments.block_of.clone(), Some(arguments.launch_number));
    let choice = Choice::new(blocks, arguments.warps, arguments.steps, launch);
    let work = || -> anyhow::Result<_> {
        let first = watch(&request, &choice)?;
        Ok(WatchReport::new(first, other.map(|other| watch(&other, &choice)).transpose()?))
    };
    let report = progress::spin("watching on the emulator", work)?;
    if let Some(file) = &out {
        format::save(file, "html", &report)?;
    }
    format::print(format::named(if arguments.json { "json" } else { "text" }), &report)?;
    match (&out, arguments.json) {
        (Some(file), false) => output::result(&format!("the page is {}\n", file.display()))?,
        (Some(file), true) => output::note(&format!("the page is {}", file.display())),
        (None, _) => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// `X`, `X,Y` or `X,Y,Z`; omitted parts are 0.
/// Reads the place of a block.
pub(crate) fn parse_index(text: &str) -> Result<[u32; 3], String> {
    let number = |part: &str| part.trim().parse::<u32>().map_err(|_| "write X, X,Y or X,Y,Z".to_owned());
    let parts: Vec<u32> = text.split(',').map(number).collect::<Result<_, _>>()?;
    match *parts.as_slice() {
        [x] => Ok([x, 0, 0]),
        [x, y] => Ok([x, y, 0]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err("write X, X,Y or X,Y,Z".into()),
    }
}

fn parse_steps(text: &str) -> Result<usize, String> {
    let count = parse_count(text)?;
    usize::try_from(count).ok().filter(|&count| count > 0).ok_or_else(|| "use at least 1".to_owned())
}
