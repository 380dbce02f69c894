//! `warpwise run`.

use crate::{output, progress};
use clap::ValueEnum;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::run::{DEFAULT_MAX_INSTRUCTIONS, DeviceChoice, Request, Style};
use warpwise_lab::run::{parse_count, render};

const EXAMPLES: &str = "Arguments of the kernel, --arg, in kernel order:
  scalar   TYPE=VALUE        u32=16777216   f32=0.5   i32=-3   u64=2^33
  buffer   TYPE[LEN]:FILL    f32[2^20]:zeros   i32[1e6]:iota   u8[1024]:random:0:255
  struct   bytes=HEX         bytes=0000803f00000040
  TYPE     u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64
  FILL     zeros, ones, iota, uninit,
           random:LO:HI      the same data every time; integers LO to HI, floats LO up to HI
           list:1,2,3        zeros follow; LEN may be left out: i32[]:list:1,2,3
           file:PATH         little-endian raw; LEN may be left out

Examples:
  warpwise run vecadd.cu --grid 4096 --block 256 \\
      --arg f32[2^20]:random:0:1 --arg f32[2^20]:ones --arg f32[2^20]:zeros --arg i32=2^20
  warpwise run reduce.cu --entry 'reduce<int,256>' --grid 64 --block 256 \\
      --arg i32[16384]:ones --arg i32[64]:zeros --arg u32=16384 --json
  warpwise run kernel.ptx --grid 16,16 --block 16,16 --gpu rtx-3090 --arg f32[65536]:iota --dump out/";

/// What `run` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A .ptx file (PTX) or a .cu file (CUDA C++; a whole program is fine)
    file: PathBuf,
    /// The kernel: its name in the source or in PTX; a template instance such as 'reduce<int,256>'.
    /// May be left out where there is only one
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Blocks of the grid
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_shape)]
    grid: [u32; 3],
    /// Threads of a block
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_shape)]
    block: [u32; 3],
    /// Dynamic shared memory
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = parse_u32)]
    shared: u32,
    /// An argument of the kernel, in kernel order (see below)
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// Where to run
    #[arg(long, value_enum, default_value = "auto")]
    device: DeviceName,
    /// The GPU whose limits apply and which .cu files are compiled for
    #[arg(long, value_name = "NAME", default_value = "h200")]
    gpu: String,
    /// Warp instructions after which the launch ends
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_INSTRUCTIONS, value_parser = parse_count)]
    max_instructions: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write every buffer to DIR/argN.bin afterwards, little-endian raw
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
    /// A macro for the compiler
    #[arg(long = "define", short = 'D', value_name = "NAME[=VALUE]")]
    defines: Vec<String>,
    /// A folder with headers for the compiler
    #[arg(long = "include", short = 'I', value_name = "DIR")]
    includes: Vec<PathBuf>,
}

/// The values of `--device`.
#[derive(Clone, Copy, ValueEnum)]
enum DeviceName {
    /// The best there is
    Auto,
    /// The emulator, on the cores of this machine
    Emulator,
    /// A GPU
    Cuda,
}

fn parse_u32(text: &str) -> Result<u32, String> {
    let value = parse_count(text)?;
    u32::try_from(value).map_err(|_| format!("{value} is past the largest, {}", u32::MAX))
}

/// `X`, `X,Y` or `X,Y,Z`; what is left out is 1.
fn parse_shape(text: &str) -> Result<[u32; 3], String> {
    let parts: Vec<u32> = text.split(',').map(parse_u32).collect::<Result<_, _>>()?;
    match *parts.as_slice() {
        [x] => Ok([x, 1, 1]),
        [x, y] => Ok([x, y, 1]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err("write X, X,Y or X,Y,Z".into()),
    }
}

/// Runs the kernel and prints what it did.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let json = arguments.json;
    let request = Request {
        file: arguments.file,
        entry: arguments.entry,
        grid: arguments.grid,
        block: arguments.block,
        shared_bytes: arguments.shared,
        arguments: arguments.arguments,
        device: match arguments.device {
            DeviceName::Auto => DeviceChoice::Auto,
            DeviceName::Emulator => DeviceChoice::Emulator,
            DeviceName::Cuda => DeviceChoice::Cuda,
        },
        gpu: arguments.gpu,
        max_instructions: arguments.max_instructions,
        dump: arguments.dump,
        defines: arguments.defines,
        includes: arguments.includes,
    };
    let report = progress::spin("running on the emulator", || warpwise_lab::run::run(&request))?;
    for note in &report.notes {
        output::note(note);
    }
    let style = Style { colour: output::colour(&io::stdout()) };
    output::result(&if json { report.to_json() + "\n" } else { render(&report, style) })?;
    Ok(match (report.ok, report.refused()) {
        (true, _) => ExitCode::SUCCESS,
        // The kernel never ran: what was asked for is wrong, not what it did.
        (_, true) => ExitCode::from(2),
        _ => ExitCode::from(1),
    })
}
