//! `warpwise-cluster sort`.

use std::path::PathBuf;

use serde_json::{Value, json};
use warpwise::sort::Key;

use super::Done;
use super::array::{Numbers, Source, with_type};
use super::report::Report;
use super::run::{Common, Run};
use super::scan::write;
use crate::checkpoint::{Header, Store};
use crate::communicator::{Communicator, gather};
use crate::parts::of_lengths;
use crate::timeline::Stage;
use crate::{Error, agree, sort};

/// Bytes of a run that are hashed at a time.
const UNIT: usize = 1 << 20;

/// Sort the numbers of files
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The largest first
    #[arg(long)]
    descending: bool,
    /// Write the result to a .npy file; a file of another ending holds plain numbers
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Keep the sorted runs of the ranks in this folder, to go on from if the sort is interrupted
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Forget checkpoints that are there
    #[arg(long, requires = "checkpoint")]
    fresh: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(run: &mut Run, arguments: &Arguments) -> Done {
    run.place(&arguments.common)?;
    let numbers = arguments.source.open(run)?;
    with_type!(numbers.ty, [u8 u16 i32 u32 i64 u64 f32 f64], T => sorted::<T>(run, arguments, &numbers))
}

fn sorted<K: Key>(run: &Run, arguments: &Arguments, numbers: &Numbers) -> Done {
    let parameters = json!({"type": K::NAME, "length": numbers.length, "descending": arguments.descending,
        "source": arguments.source.words()});
    let store = arguments.checkpoint.as_ref().map(|folder| Store::new(folder, "sort", parameters));
    let mine = match &store {
        Some(store) => {
            let mine = runs::<K>(run, arguments, numbers, store)?;
            sort::merge(&run.ranks, arguments.descending, mine)
        }
        None => sort::sort(&run.ranks, run.place.device(), arguments.descending, numbers.part(run)?)?,
    };
    let lengths: Vec<usize> = gather(&run.ranks, mine.len() as u64).iter().map(|&n| n as usize).collect();
    if let Some(path) = &arguments.out {
        write(run, path, &[numbers.length], of_lengths(&lengths)[run.ranks.rank()].start, &mine)?;
    }
    if let Some(store) = &store {
        store.clear(&run.ranks);
    }
    Ok(Report::new("sort", &arguments.common)
        .with("type", K::NAME)
        .with("shape", numbers.shape.clone())
        .with("descending", arguments.descending)
        .with("lengths", lengths)
        .text(format!("{} numbers sorted", numbers.length)))
}

/// A sorted run of this rank: from a checkpoint, or sorted and written to one.
fn runs<K: Key>(run: &Run, arguments: &Arguments, numbers: &Numbers, store: &Store) -> Result<Vec<K>, Error> {
    let (ranks, size) = (&run.ranks, size_of::<K>());
    let folder = arguments.checkpoint.as_ref().map_or(Ok(()), |folder| {
        std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, format!("cannot be made: {error}")))
    });
    agree(ranks, folder)?;
    if arguments.fresh {
        store.clear(ranks);
    }
    // Runs of an earlier number of ranks are dealt out to the ranks there are now.
    let lengths = |header: &Header| -> Vec<usize> {
        let all = header.state["runs"].as_array().cloned().unwrap_or_default();
        all.iter().filter_map(Value::as_u64).map(|n| n as usize).collect()
    };
    let wanted = |header: &Header| -> Vec<(u64, usize)> {
        let all = of_lengths(&lengths(header)).into_iter().enumerate();
        let mine = all.filter(|(i, _)| i % ranks.size() == ranks.rank());
        mine.map(|(_, range)| ((range.start * size) as u64, range.len() * size)).collect()
    };
    if let Some((_, pieces)) = run.log.during(Stage::Read, || store.read(ranks, UNIT, wanted))? {
        if run.is_first() && !arguments.common.json {
            eprintln!("note: goes on from the runs in the checkpoint");
        }
        let runs = pieces.iter().map(|bytes| crate::redistribute::elements(bytes)).collect();
        return Ok(sort::merge_runs(runs, arguments.descending));
    }
    let part = numbers.part(run)?;
    let sorted = agree(ranks, sort::run(run.place.device(), arguments.descending, part))?;
    let all: Vec<usize> = gather(ranks, sorted.len() as u64).iter().map(|&n| n as usize).collect();
    let at = (of_lengths(&all)[ranks.rank()].start * size) as u64;
    let pieces = [(at, bytemuck::cast_slice(&sorted))];
    let bytes = (numbers.length * size) as u64;
    run.log.during(Stage::Write, || store.write(ranks, 1, json!({"runs": all}), bytes, UNIT, &pieces))?;
    Ok(sorted)
}
