//! `warpwise-cluster compact`.

use std::path::PathBuf;

use warpwise::compact::{Compactable, Condition};

use super::Done;
use super::array::{Numbers, Source, with_type};
use super::report::Report;
use super::run::{Common, Run};
use super::scan::write;
use crate::communicator::Communicator;
use crate::parts::Parts;
use crate::{agree, compact};

/// Keep the numbers of files that fulfil a condition, in their order
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("condition").required(true)))]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Keep those above this value
    #[arg(long, value_name = "X", group = "condition", allow_negative_numbers = true)]
    greater: Option<f64>,
    /// Keep those below this value
    #[arg(long, value_name = "X", group = "condition", allow_negative_numbers = true)]
    less: Option<f64>,
    /// Keep those that equal this value
    #[arg(long, value_name = "X", group = "condition", allow_negative_numbers = true)]
    equal: Option<f64>,
    /// Keep those that do not equal this value
    #[arg(long, value_name = "X", group = "condition", allow_negative_numbers = true)]
    not_equal: Option<f64>,
    /// Write what is kept to a .npy file; a file of another ending holds plain numbers
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(run: &mut Run, arguments: &Arguments) -> Done {
    run.place(&arguments.common)?;
    let numbers = arguments.source.open(run)?;
    with_type!(numbers.ty, [i32 u32 f32 f64], T => kept::<T>(run, arguments, &numbers, |x| x as T))
}

fn kept<T: Compactable>(run: &Run, arguments: &Arguments, numbers: &Numbers, to: impl Fn(f64) -> T) -> Done {
    let condition = match (arguments.greater, arguments.less, arguments.equal, arguments.not_equal) {
        (Some(x), ..) => Condition::Greater(to(x)),
        (_, Some(x), ..) => Condition::Less(to(x)),
        (.., Some(x), _) => Condition::Equal(to(x)),
        (.., x) => Condition::NotEqual(to(x.unwrap_or(0.0))),
    };
    let part: Vec<T> = numbers.part(run)?;
    let (mine, all) = agree(&run.ranks, compact::compact(&run.ranks, run.place.device(), condition, &part))?;
    if let Some(path) = &arguments.out {
        let at = Parts::new(all, run.ranks.size()).of(run.ranks.rank()).start;
        write(run, path, &[all], at, &mine)?;
    }
    Ok(Report::new("compact", &arguments.common)
        .with("condition", condition.name())
        .with("type", T::NAME)
        .with("shape", numbers.shape.clone())
        .with("kept", all)
        .text(all.to_string()))
}
