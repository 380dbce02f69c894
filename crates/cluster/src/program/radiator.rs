//! `warpwise-cluster radiator`.

use std::path::PathBuf;

use serde_json::json;
use warpwise::radiator::{Preset, Radiator, Temperature};

use super::array::{element_type, fits, with_type};
use super::report::Report;
use super::run::{Common, Run};
use super::scan::write;
use super::{Done, one_of, size};
use crate::checkpoint::Store;
use crate::communicator::Communicator;
use crate::files::ElementType;
use crate::redistribute::elements;
use crate::timeline::Stage;
use crate::{Error, Parts, agree, radiator};

/// Simulate a radiator: rows of pipes, each a ring
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Rows and columns
    #[arg(long, value_name = "ROWSxCOLUMNS", default_value = "32x32", value_parser = size::plane)]
    size: (usize, usize),
    /// Iterations
    #[arg(short = 'i', short_alias = 'p', value_name = "N", default_value = "10", value_parser = size::count)]
    iterations: usize,
    /// Initial values, fixed columns and weights: 2019, 2023 or 2025
    #[arg(long, value_name = "YEAR", default_value = "2019",
          value_parser = |text: &str| one_of(text, &Preset::ALL, Preset::name))]
    preset: Preset,
    /// f32 or f64
    #[arg(long = "type", value_name = "TYPE", default_value = "f32", value_parser = element_type)]
    ty: ElementType,
    /// Write a checkpoint every N iterations into the folder of --out, to go on from if the run is interrupted
    #[arg(long, value_name = "N", requires = "out", value_parser = size::count)]
    checkpoint: Option<usize>,
    /// Forget checkpoints that are there
    #[arg(long)]
    fresh: bool,
    /// Write the values at the end to radiator.npy in this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(run: &mut Run, arguments: &Arguments) -> Done {
    run.place(&arguments.common)?;
    with_type!(arguments.ty, [f32 f64], T => simulated::<T>(run, arguments))
}

fn simulated<T: Temperature>(run: &Run, arguments: &Arguments) -> Done {
    let ((rows, columns), ranks) = (arguments.size, &run.ranks);
    let parts = Parts::new(rows, ranks.size());
    let mine = parts.of(ranks.rank());
    agree(ranks, fits(mine.len() * columns, size_of::<T>()))?;
    if arguments.checkpoint == Some(0) {
        return agree(ranks, Err(Error::flag("--checkpoint", "0 is too few: use at least 1")));
    }
    let whole = agree(ranks, Radiator::new(arguments.preset, rows, columns).map_err(Error::from))?;
    super::heat::make_folder(run, arguments.out.as_deref())?;
    let parameters = json!({"type": T::NAME, "rows": rows, "columns": columns, "preset": arguments.preset.name()});
    let folder = arguments.checkpoint.and(arguments.out.as_ref());
    let store = folder.map(|folder| Store::new(folder, "radiator", parameters));
    let (row, mut done, mut grid) = (columns * size_of::<T>(), 0, None);
    if let Some(store) = &store {
        if arguments.fresh {
            store.clear(ranks);
        }
        let wanted = |_: &_| vec![((mine.start * row) as u64, mine.len() * row)];
        if let Some((header, pieces)) = run.log.during(Stage::Read, || store.read(ranks, row.max(1), wanted))? {
            done = header.state["iterations"].as_u64().unwrap_or(0) as usize;
            grid = Some(elements::<T>(&pieces[0]));
        }
        if run.is_first() && done > 0 && !arguments.common.json {
            eprintln!("note: goes on from iteration {done} in the checkpoint");
        }
    }
    let resumed = done;
    if done > arguments.iterations {
        let problem = format!("the checkpoint has {done} already: ask for as many, or add --fresh");
        return agree(ranks, Err(Error::flag("-i", problem)));
    }
    let mut grid = grid.unwrap_or_else(|| radiator::start::<T>(&whole, parts, ranks.rank()));
    while done < arguments.iterations {
        let steps = (arguments.iterations - done).min(arguments.checkpoint.unwrap_or(usize::MAX));
        agree(ranks, radiator::advance(run.place.device(), &whole, steps, &mut grid))?;
        done += steps;
        if let (Some(store), true) = (&store, done < arguments.iterations) {
            let pieces = [((mine.start * row) as u64, bytemuck::cast_slice(&grid))];
            let state = json!({"iterations": done});
            let bytes = (rows * row) as u64;
            run.log.during(Stage::Write, || store.write(ranks, done as u64, state, bytes, row.max(1), &pieces))?;
        }
    }
    if let Some(folder) = &arguments.out {
        write(run, &folder.join("radiator.npy"), &[rows, columns], mine.start * columns, &grid)?;
    }
    if let Some(store) = &store {
        store.clear(ranks);
    }
    Ok(Report::new("radiator", &arguments.common)
        .with("preset", arguments.preset.name())
        .with("type", T::NAME)
        .with("rows", rows)
        .with("cols", columns)
        .with("iterations", done)
        .with("resumed_from", resumed)
        .text(format!("{rows} x {columns} after {done} iterations")))
}
