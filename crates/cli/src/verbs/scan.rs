//! `warpwise scan`.

use crate::format::Format;
use crate::formula::Mapping;
use crate::input::Input;
use crate::placement::Placement;
use crate::progress;
use std::path::PathBuf;
use std::process::ExitCode;
use warpwise_lab::applications::AppError;
use warpwise_lab::applications::scan::{Kind, Operator, Own, Report, Request};

const EXAMPLES: &str =
    "A .npy file holds little-endian u8 i32 u32 i64 u64 f32 or f64; bytes are combined as u64. A .csv \
file holds numbers and commas, read as i64 if all are whole, and as f64 otherwise. Integers wrap.

Examples:
  warpwise scan data.npy --out sums.npy
  warpwise scan table.csv --op max --exclusive --out so-far.csv
  warpwise scan data.npy --variant gpu-7-look-back --json
  warpwise scan data.npy --map 'x > 0' --out counts.npy
  warpwise scan data.npy --op 'where(b != 0, b, a)' --identity 0 --out filled.npy
  warpwise scan huge.npy --memory 2^30 --out sums.npy";

/// Combine every prefix of the numbers of a file
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A .npy or .csv file, or any with --raw
    file: PathBuf,
    /// sum, product, min or max; with --identity an associative operator of `a` and `b`, such as 'a * b'
    #[arg(long, value_name = "NAME", default_value = "sum")]
    op: String,
    /// The number that changes nothing, before another one and after it
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    identity: Option<String>,
    /// Leave every number out of its own prefix
    #[arg(long)]
    exclusive: bool,
    /// Write the result to a .npy or .csv file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    mapping: Mapping,
    #[command(flatten)]
    placement: Placement,
    #[command(flatten)]
    format: Format<Report>,
}

/// The operator of that name, or one's own.
fn operator(text: &str, identity: Option<String>) -> anyhow::Result<(Operator, Option<Own>)> {
    let known = Operator::ALL.into_iter().find(|op| op.name() == text);
    match (known, identity) {
        (Some(known), None) => Ok((known, None)),
        (Some(_), Some(_)) => Err(AppError::Flag {
            flag: "--identity",
            problem: format!("{text} has its own: leave it out, or write an operator of a and b"),
        }
        .into()),
        (None, Some(identity)) => Ok((Operator::Sum, Some(Own { combine: text.to_owned(), identity }))),
        (None, None) => {
            let known: Vec<_> = Operator::ALL.iter().map(|op| op.name()).collect();
            let problem = format!(
                "there is no {text}: use one of {}, or give --identity to an operator of a and b",
                known.join(", ")
            );
            Err(AppError::Flag { flag: "--op", problem }.into())
        }
    }
}

/// Scans the numbers of a file.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let (operator, own) = operator(&arguments.op, arguments.identity)?;
    let request = Request {
        file: arguments.file,
        operator,
        own,
        kind: if arguments.exclusive { Kind::Exclusive } else { Kind::Inclusive },
        map: arguments.mapping.formula(),
        setup: arguments.placement.setup(),
        input: arguments.input.reading(),
        out: arguments.out,
    };
    let report = progress::spin("scanning", || warpwise_lab::applications::scan::run(&request))?;
    arguments.format.print(&report)?;
    Ok(if report.ok() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
