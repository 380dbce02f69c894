//! `warpwise explain`.

use crate::format::Format;
use crate::kernel::{ARGUMENTS, LaunchArguments, RungArguments, RungChoices, Target, parse_shape};
use crate::{output, progress};
use std::process::ExitCode;
use warpwise_lab::RungRequest;
use warpwise_lab::kernels::explain::{Comparison, Explanation, OnGpus, Request, compare, explain, on_gpus};

const EXAMPLES: &str = "Times are estimates from a simple model of the GPU that --gpu names; the counters are exact.

Examples:
  warpwise explain reduce gpu-1-interleaved -n 2^20
  warpwise explain reduce gpu-1-interleaved --compare gpu-2-strided
  warpwise explain matmul gpu-2-naive -n 256 --type f64 --gpu rtx-3090
  warpwise explain vecadd gpu-grid -n 2^20 --gpu gtx-970 --managed
  warpwise explain scan gpu-7-look-back -n 2^24 --gpu h200,a100,rtx-3090
  warpwise explain transpose.cu --grid 32,32 --block 32,8 --all \\
      --arg f32[2^20]:iota --arg f32[2^20]:zeros
  warpwise explain sums.cu --entry slow --compare fast --grid 64 --block 256 \\
      --arg i32[2^14]:ones --arg i32[64]:zeros";

/// Explain why a kernel is slow: counters beside the ideal, line by line, and what costs most
#[derive(clap::Args)]
#[command(
    after_help = format!("{ARGUMENTS}\n\n{EXAMPLES}"),
    override_usage = "warpwise explain [OPTIONS] FILE\n       warpwise explain [OPTIONS] PRIMITIVE VARIANT"
)]
pub(crate) struct Arguments {
    /// A .cu or .ptx file; or a primitive and one of its rungs
    #[arg(required = true, num_args = 1..=2, value_name = "FILE or PRIMITIVE VARIANT")]
    target: Vec<String>,
    #[command(flatten)]
    launch: LaunchArguments,
    #[command(flatten)]
    rung: RungArguments,
    #[command(flatten)]
    choices: RungChoices,
    /// Show another beside it: a rung of the same primitive, or 'PRIMITIVE VARIANT' of another; for a file, another
    /// kernel in it, or another file with the same arguments
    #[arg(long, value_name = "OTHER")]
    compare: Option<String>,
    /// Blocks of the other kernel's grid, if different
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_shape, requires = "compare")]
    compare_grid: Option<[u32; 3]>,
    /// Show every line that was executed, not only the hot ones
    #[arg(long)]
    all: bool,
    /// Say too how long managed memory that the host has filled takes to come to the GPU
    #[arg(long, conflicts_with = "compare")]
    managed: bool,
    #[command(flatten)]
    format: Format<Explanation>,
}

/// Runs the kernel with counters and prints where its time goes.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let target = Target::parse(&arguments.target)?;
    arguments.format.check_page()?;
    if arguments.launch.gpu.contains(',') {
        return on_several(&target, &arguments);
    }
    let given = (&arguments.launch, &arguments.rung);
    let request = target.request(given, Some(&arguments.choices))?;
    let beside = |other| target.beside(other, arguments.compare_grid, given, Some(&arguments.choices));
    let other = arguments.compare.as_deref().map(beside).transpose()?;
    if other.is_some() {
        arguments.format.exporter().check::<Comparison>()?;
    }
    let work = || -> anyhow::Result<_> {
        let explanation = explain(&request)?;
        let explanation = if arguments.managed { explanation.with_managed_memory() } else { explanation };
        Ok((explanation, other.map(|other| explain(&other)).transpose()?))
    };
    let (explanation, other) = progress::spin("counting on the emulator", work)?;
    for note in &explanation.notes {
        output::note(note);
    }
    match other {
        Some(other) => arguments.format.print_as(&compare(explanation, other))?,
        None => arguments.format.print(&Explanation { all_lines: arguments.all, ..explanation })?,
    }
    Ok(ExitCode::SUCCESS)
}

/// One kernel or rung on several GPUs.
fn on_several(target: &Target, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.compare.is_some() || arguments.all || arguments.managed {
        anyhow::bail!(
            "--gpu: several GPUs are put side by side without --compare, --all and --managed: leave these out"
        );
    }
    arguments.format.exporter().check::<OnGpus>()?;
    let names: Vec<&str> = arguments.launch.gpu.split(',').map(str::trim).collect();
    let explained = |gpu: &&str| -> anyhow::Result<Explanation> {
        let request = match target.request((&arguments.launch, &arguments.rung), Some(&arguments.choices))? {
            Request::File(mut request) => {
                request.gpu = (*gpu).to_owned();
                Request::File(request)
            }
            Request::Rung(request) => Request::Rung(Box::new(RungRequest { gpu: (*gpu).to_owned(), ..*request })),
        };
        Ok(explain(&request)?)
    };
    let all = progress::spin("counting on the emulator", || names.iter().map(explained).collect::<Result<_, _>>())?;
    arguments.format.print_as(&on_gpus(all))?;
    Ok(ExitCode::SUCCESS)
}
