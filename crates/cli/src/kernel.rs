//! The arguments of a launch, shared by the verbs that take the user's own kernel, and their targets.

use crate::number::parse_u32;
use std::path::{Path, PathBuf};
use std::time::Duration;
use warpwise::Geometry;
use warpwise::primitive::Settings;
use warpwise_lab::kernels::explain::Request as Watched;
use warpwise_lab::kernels::run::{DEFAULT_MAX_INSTRUCTIONS, DEFAULT_TIME_LIMIT, Request, parse_count};
use warpwise_lab::measure::bench;
use warpwise_lab::{Checks, Place, RungRequest, parse_size};

/// The syntax of `--arg`.
pub(crate) const ARGUMENTS: &str = "Arguments of the kernel, --arg, in kernel order:
  scalar   TYPE=VALUE        u32=16777216   f32=0.5   i32=-3   u64=2^33
  buffer   TYPE[LEN]:FILL    f32[2^20]:zeros   i32[1e6]:iota   u8[1024]:random:0:255
  struct   {MEMBER, ...}     {u32=5, f32=2.5, ptr:f32[100]:iota}   laid out as C does
           bytes=HEX         bytes=0000803f00000040
  texture  tex2d=FILE        tex2d=photo.png,filter=linear,address=wrap,read=float,normalized
  surface  surf2d=FILE       surf2d=photo.png
  MEMBER   a scalar, an array (f32[3]:list:1,2,3), a pointer to a buffer (ptr:...), a struct
  TYPE     u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64
  FILL     zeros, ones, iota, uninit
           random:LO:HI      the same data every time; integers LO to HI, floats LO up to HI
           list:1,2,3        followed by zeros; LEN may be omitted: i32[]:list:1,2,3
           file:PATH         .npy (any shape), .csv and .txt hold numbers, others raw data
                             (little-endian); LEN may be omitted: f32[]:file:x.npy
  FILE     .npy or a picture; also tex1d, tex3d, tex1dlayered, tex2dlayered, surf1d, ...";

/// A launch of the user's own kernel.
#[derive(clap::Args)]
pub(crate) struct LaunchArguments {
    /// The kernel: its name in the source or in PTX; a template instance such as 'reduce<int,256>'.
    /// May be omitted if there is only one
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Blocks of the grid
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_shape, allow_hyphen_values = true)]
    pub(crate) grid: Option<[u32; 3]>,
    /// Threads per block
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_shape, allow_hyphen_values = true)]
    pub(crate) block: Option<[u32; 3]>,
    /// Dynamic shared memory
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = parse_u32)]
    pub(crate) shared: u32,
    /// Launch cooperatively: all blocks run at once, so that they can meet (grid.sync())
    #[arg(long)]
    pub(crate) cooperative: bool,
    /// Blocks of a cluster, which share their shared memory; may be omitted if the kernel states it
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_shape, allow_hyphen_values = true)]
    pub(crate) cluster: Option<[u32; 3]>,
    /// An argument of the kernel, in kernel order (see below)
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,
    /// Set a __constant__ or __device__ variable before the launch; ARG is written as for --arg
    #[arg(long = "symbol", value_name = "NAME=ARG", allow_hyphen_values = true)]
    pub(crate) symbols: Vec<String>,
    /// The GPU whose limits apply and for which .cu files are compiled
    #[arg(long, value_name = "NAME", default_value = "h200")]
    pub(crate) gpu: String,
    /// Stop the launch after this many warp instructions
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_INSTRUCTIONS, value_parser = parse_count, allow_hyphen_values = true)]
    pub(crate) max_instructions: u64,
    /// Stop the launch after this many seconds on the emulator [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_hyphen_values = true)]
    pub(crate) time_limit: Option<Duration>,
    /// Compile .cu files without optimisation: every store and every line of the source stays
    #[arg(long)]
    pub(crate) debug: bool,
    /// A macro for the compiler
    #[arg(long = "define", short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) defines: Vec<String>,
    /// A folder with headers for the compiler
    #[arg(long = "include", short = 'I', value_name = "DIR")]
    pub(crate) includes: Vec<PathBuf>,
}

impl LaunchArguments {
    /// The request for a file, on the emulator.
    pub(crate) fn request(&self, file: &Path, checks: Checks) -> anyhow::Result<Request> {
        if self.grid.is_none() || self.block.is_none() {
            // A file that is not there is the first thing to say.
            std::fs::metadata(file).map_err(|problem| anyhow::anyhow!("cannot read {}: {problem}", file.display()))?;
        }
        let needed = |name: &str, shape: Option<[u32; 3]>, of: &str| {
            shape.ok_or_else(|| anyhow::anyhow!("{name} is missing: say how many {of}, such as {name} 256"))
        };
        Ok(Request {
            values: Vec::new(),
            file: file.to_owned(),
            entry: self.entry.clone(),
            grid: needed("--grid", self.grid, "blocks the grid has")?,
            block: needed("--block", self.block, "threads a block has")?,
            shared_bytes: self.shared,
            cooperative: self.cooperative,
            cluster: self.cluster,
            arguments: self.arguments.clone(),
            symbols: self.symbols.clone(),
            device: Place::Emulator,
            gpu: self.gpu.clone(),
            max_instructions: self.max_instructions,
            time_limit: Some(self.time_limit.unwrap_or(DEFAULT_TIME_LIMIT)),
            checks,
            dump: None,
            defines: self.defines.clone(),
            includes: self.includes.clone(),
            debug: self.debug,
            record: None,
        })
    }
}

impl LaunchArguments {
    /// Refuses arguments that a launch file has for each of its launches.
    pub(crate) fn refuse(&self) -> anyhow::Result<()> {
        let given = [
            ("--entry", self.entry.is_some()),
            ("--grid", self.grid.is_some()),
            ("--block", self.block.is_some()),
            ("--shared", self.shared != 0),
            ("--arg", !self.arguments.is_empty()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => anyhow::bail!("{name} is for a single kernel: a launch file says it for each launch"),
            None => Ok(()),
        }
    }
}

/// The data of a rung.
#[derive(clap::Args)]
pub(crate) struct RungArguments {
    /// Elements of a rung's data; the side of square matrices
    #[arg(short = 'n', value_name = "N", value_parser = parse_count, allow_hyphen_values = true)]
    pub(crate) n: Option<u64>,
    /// Rows and columns of a rung's image or grid
    #[arg(long, value_name = "ROWSxCOLUMNS", value_parser = parse_size)]
    pub(crate) size: Option<(u64, u64)>,
    /// Element type of a rung's data, as shown by `warpwise list`
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) element: Option<String>,
}

/// What else a rung that is explained takes, as `bench` does.
#[derive(clap::Args, Default)]
pub(crate) struct RungChoices {
    /// Elements of a thread, for rungs that offer a choice; --block and --grid are for rungs too
    #[arg(long, value_name = "N", value_parser = parse_u32)]
    pub(crate) items: Option<u32>,
    /// Test data of a rung: random, sorted, reversed, black (one value), ones or iota; the year of a radiator
    #[arg(long, value_name = "NAME")]
    pub(crate) input: Option<String>,
    /// What reduce and scan combine with: sum, product, min or max
    #[arg(long, value_name = "NAME")]
    pub(crate) op: Option<String>,
    /// Bins of histogram
    #[arg(long, value_name = "N")]
    pub(crate) bins: Option<String>,
    /// Steps of heat and radiator
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<String>,
    /// Any other parameter of the primitive, once for each
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
}

/// The target of a verb.
pub(crate) enum Target {
    File(PathBuf),
    Rung { primitive: String, variant: String },
}

impl Target {
    /// A file, or a primitive and its rung.
    pub(crate) fn parse(words: &[String]) -> anyhow::Result<Self> {
        match words {
            [primitive, variant] => Ok(Self::Rung { primitive: primitive.clone(), variant: variant.clone() }),
            [file] if Path::new(file).extension().is_none() && !Path::new(file).exists() => {
                let known = warpwise_lab::library::list::catalogue();
                match known.primitives.iter().find(|p| p.name == file) {
                    Some(primitive) => {
                        let rungs = primitive.variants.iter().filter(|v| v.device == "gpu").map(|v| v.name);
                        let rungs: Vec<_> = rungs.collect();
                        anyhow::bail!("say which rung of {file}: {}", rungs.join(", "))
                    }
                    None => anyhow::bail!(
                        "`{file}` is neither a file nor a primitive: give a .cu or .ptx file, or a primitive and its rung as `warpwise list` shows them"
                    ),
                }
            }
            [file] => Ok(Self::File(file.into())),
            _ => anyhow::bail!("give a .cu or .ptx file, or a primitive and its rung"),
        }
    }
}

impl Target {
    /// What to run, on the emulator and without checks.
    pub(crate) fn request(
        &self,
        (launch, rung): (&LaunchArguments, &RungArguments),
        choices: Option<&RungChoices>,
    ) -> anyhow::Result<Watched> {
        Ok(match self {
            Self::File(file) => {
                rung.refuse()?;
                choices.map_or(Ok(()), RungChoices::refuse)?;
                Watched::File(Box::new(launch.request(file, Checks::NONE)?))
            }
            Self::Rung { primitive, variant } => {
                Watched::Rung(Box::new(rung.chosen(primitive, variant, launch, choices)?))
            }
        })
    }

    /// What `--compare` means beside the target: a rung of the same primitive or another, another kernel in the file or
    /// another file; with its own grid if there is one.
    pub(crate) fn beside(
        &self,
        other: &str,
        grid: Option<[u32; 3]>,
        (launch, rung): (&LaunchArguments, &RungArguments),
        choices: Option<&RungChoices>,
    ) -> anyhow::Result<Watched> {
        match self {
            Self::Rung { primitive, .. } => {
                let (primitive, variant) = other.split_once([' ', '/']).unwrap_or((primitive, other));
                Ok(Watched::Rung(Box::new(rung.chosen(primitive, variant, launch, choices)?)))
            }
            Self::File(file) => {
                let is_file = Path::new(other).extension().is_some_and(|e| e == "cu" || e == "ptx");
                let file = if is_file { PathBuf::from(other) } else { file.clone() };
                let mut request = launch.request(&file, Checks::NONE)?;
                if !is_file {
                    request.entry = Some(other.to_owned());
                }
                request.grid = grid.unwrap_or(request.grid);
                Ok(Watched::File(Box::new(request)))
            }
        }
    }
}

impl RungArguments {
    /// The request for a rung; arguments that only apply to files are refused.
    pub(crate) fn request(
        &self,
        primitive: &str,
        variant: &str,
        launch: &LaunchArguments,
    ) -> anyhow::Result<RungRequest> {
        let geometry = [("--grid", launch.grid.is_some()), ("--block", launch.block.is_some())];
        if let Some((name, _)) = geometry.iter().find(|(_, given)| *given) {
            anyhow::bail!("{name} is for kernels of your own: a rung chooses its launches; use -n, --size and --type");
        }
        self.request_with(primitive, variant, launch, &RungChoices::default())
    }

    /// The request for a rung, with choices where the verb offers them.
    fn chosen(
        &self,
        primitive: &str,
        variant: &str,
        launch: &LaunchArguments,
        choices: Option<&RungChoices>,
    ) -> anyhow::Result<RungRequest> {
        match choices {
            Some(choices) => self.request_with(primitive, variant, launch, choices),
            None => self.request(primitive, variant, launch),
        }
    }

    /// The request for a rung with choices, --block and --grid among them.
    fn request_with(
        &self,
        primitive: &str,
        variant: &str,
        launch: &LaunchArguments,
        choices: &RungChoices,
    ) -> anyhow::Result<RungRequest> {
        let for_files = [
            ("--entry", launch.entry.is_some()),
            ("--cooperative", launch.cooperative),
            ("--cluster", launch.cluster.is_some()),
            ("--arg", !launch.arguments.is_empty()),
            ("--symbol", !launch.symbols.is_empty()),
            ("--time-limit", launch.time_limit.is_some()),
            ("--debug", launch.debug),
        ];
        if let Some((name, _)) = for_files.iter().find(|(_, given)| *given) {
            anyhow::bail!("{name} is for kernels of your own: a rung chooses its launches; use -n, --size and --type");
        }
        let number = |flag: &str, shape: Option<[u32; 3]>| match shape {
            None => Ok(None),
            Some([x, 1, 1]) => Ok(Some(x)),
            Some(_) => Err(anyhow::anyhow!("{flag}: a rung takes one number")),
        };
        let (block, grid) = (number("--block", launch.block)?, number("--grid", launch.grid)?);
        let named = [("op", &choices.op), ("bins", &choices.bins), ("iterations", &choices.iterations)];
        let mut settings = Settings::default();
        for (name, value) in named.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
            let chosen = bench::parse_setting(primitive, &format!("{name}={value}"), settings);
            settings = chosen.map_err(|error| {
                let text = error.to_string();
                anyhow::anyhow!("--{name}: {}", text.strip_prefix("--set: ").unwrap_or(&text))
            })?;
        }
        for text in &choices.set {
            settings = bench::parse_setting(primitive, text, settings)?;
        }
        Ok(RungRequest {
            primitive: primitive.to_owned(),
            variant: variant.to_owned(),
            n: self.n,
            size: self.size,
            element: self.element.clone(),
            gpu: launch.gpu.clone(),
            geometry: Geometry { block, grid, items: choices.items },
            input: choices.input.clone(),
            settings,
        })
    }

    /// Refuses arguments that only apply to rungs.
    pub(crate) fn refuse(&self) -> anyhow::Result<()> {
        refuse(&[("-n", self.n.is_some()), ("--size", self.size.is_some()), ("--type", self.element.is_some())])
    }
}

impl RungChoices {
    /// Refuses arguments that only apply to rungs.
    pub(crate) fn refuse(&self) -> anyhow::Result<()> {
        refuse(&[
            ("--items", self.items.is_some()),
            ("--input", self.input.is_some()),
            ("--op", self.op.is_some()),
            ("--bins", self.bins.is_some()),
            ("--iterations", self.iterations.is_some()),
            ("--set", !self.set.is_empty()),
        ])
    }
}

/// Refuses the first argument that was given and is for rungs.
fn refuse(given: &[(&str, bool)]) -> anyhow::Result<()> {
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => anyhow::bail!("{name} is for rungs of primitives: a kernel of your own takes --arg"),
        None => Ok(()),
    }
}

pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.trim().parse::<f64>().ok().filter(|s| *s > 0.0);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| "give a number of seconds above 0, such as 60 or 0.5".to_owned())
}

/// `X`, `X,Y` or `X,Y,Z`; omitted parts are 1.
pub(crate) fn parse_shape(text: &str) -> Result<[u32; 3], String> {
    let parts: Vec<u32> = text.split(',').map(parse_u32).collect::<Result<_, _>>()?;
    match *parts.as_slice() {
        [x] => Ok([x, 1, 1]),
        [x, y] => Ok([x, y, 1]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err("write X, X,Y or X,Y,Z".into()),
    }
}
