//! `warpwise-cluster histogram`.

use warpwise::histogram::{Binning, Countable};

use super::Done;
use super::array::{Numbers, Source, with_type};
use super::report::Report;
use super::run::{Common, Run};
use super::size;
use crate::{Error, agree, histogram};

/// Count the numbers of files in bins
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Bins by the value modulo this number of bins, for integers
    #[arg(long, value_name = "BINS", value_parser = size::count)]
    modulo: Option<usize>,
    /// Equal parts of a range, as BINS:LOW:HIGH; values outside are not counted
    #[arg(long, value_name = "BINS:LOW:HIGH", value_parser = even, conflicts_with = "modulo", allow_hyphen_values = true)]
    even: Option<Binning>,
    /// Groups of four lower-case letters, for text
    #[arg(long, conflicts_with_all = ["modulo", "even"])]
    letters: bool,
    #[command(flatten)]
    common: Common,
}

fn even(text: &str) -> Result<Binning, String> {
    let bad = || format!("{text} is not a binning: write it like 10:0:1");
    let parts: Vec<&str> = text.split(':').collect();
    let [bins, lo, hi] = parts[..] else { return Err(bad()) };
    let number = |text: &str| text.parse::<f64>().map_err(|_| bad());
    Ok(Binning::Even { bins: size::count(bins)?, lo: number(lo)?, hi: number(hi)? })
}

pub(super) fn run(run: &mut Run, arguments: &Arguments) -> Done {
    run.place(&arguments.common)?;
    let numbers = arguments.source.open(run)?;
    let binning = match (arguments.modulo, arguments.even) {
        (Some(bins), _) => Binning::Modulo { bins },
        (_, Some(even)) => even,
        _ if arguments.letters => Binning::Letter,
        _ => Binning::Value,
    };
    with_type!(numbers.ty, [u8 i32 u32 f32 f64], T => counted::<T>(run, arguments, &numbers, binning))
}

fn counted<T: Countable>(run: &Run, arguments: &Arguments, numbers: &Numbers, binning: Binning) -> Done {
    agree(
        &run.ranks,
        binning.check::<T>().map_err(|error| {
            let Error::Primitive(error) = error.into() else { return Error::Ranks(String::new()) };
            Error::flag("--modulo, --even or --letters", error.to_string())
        }),
    )?;
    let part: Vec<T> = numbers.part(run)?;
    let counts = agree(&run.ranks, histogram::histogram(&run.ranks, run.place.device(), binning, &part))?;
    let lines: Vec<String> = counts.iter().enumerate().map(|(bin, count)| format!("{bin} {count}")).collect();
    Ok(Report::new("histogram", &arguments.common)
        .with("binning", binning.name())
        .with("type", T::NAME)
        .with("shape", numbers.shape.clone())
        .with("counts", counts)
        .text(lines.join("\n")))
}
