//! `warpwise-cluster heat`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde_json::json;
use warpwise::Operator;
use warpwise::heat::{Limits, Outcome, Temperature};

use super::array::{element_type, fits, with_type};
use super::progress::Progress;
use super::reduce::number;
use super::report::Report;
use super::run::{Common, Run};
use super::scan::write;
use super::{Done, size};
use crate::checkpoint::Store;
use crate::communicator::{Communicator, broadcast};
use crate::files::{Array, ElementType};
use crate::heat::{Simulation, State};
use crate::redistribute::elements;
use crate::reduce::{Reduces, reduce};
use crate::timeline::Stage;
use crate::{Error, Parts, agree};

const EXAMPLES: &str = "Without files the upper half is at H and the lower at L, and the conductivity rises from 0.1 in the \
first column to 0.9 in the last. A run that finds checkpoints of the same parameters in the folder goes on from the last \
whole one, on any number of ranks.

Examples:
  mpirun -n 8 warpwise-cluster heat --size 4096x4096 -i 1000 --json
  mpirun -n 8 warpwise-cluster heat --size 100000x100000 -i 1000 --checkpoint 100 --out run
  mpirun -n 8 warpwise-cluster heat -t temperature.npy -c conductivity.npy -e 0.001 -i 100000 --out run";

/// Simulate heat on a cylinder
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Rows and columns; taken from the files if there are any [default: 150x100]
    #[arg(long, value_name = "ROWSxCOLUMNS", value_parser = size::plane)]
    size: Option<(usize, usize)>,
    /// The most iterations
    #[arg(short = 'i', value_name = "N", default_value = "42", value_parser = size::count)]
    iterations: usize,
    /// Stop when no cell changes by this much in an iteration
    #[arg(short = 'e', value_name = "T", default_value_t = 0.1, allow_negative_numbers = true)]
    threshold: f64,
    /// A .npy file with the temperature of every cell
    #[arg(short = 't', value_name = "FILE")]
    temperature: Option<PathBuf>,
    /// A .npy file with the conductivity of every cell
    #[arg(short = 'c', value_name = "FILE")]
    conductivity: Option<PathBuf>,
    /// The lower temperature
    #[arg(short = 'L', value_name = "T", default_value_t = -100.0, allow_negative_numbers = true)]
    low: f64,
    /// The higher temperature
    #[arg(short = 'H', value_name = "T", default_value_t = 100.0, allow_negative_numbers = true)]
    high: f64,
    /// f32 or f64; taken from the files if there are any [default: f64]
    #[arg(long = "type", value_name = "TYPE", value_parser = element_type)]
    ty: Option<ElementType>,
    /// Steps between two exchanges, and rows of copies on a side: 1 to 32 [default: what suits the size]
    #[arg(long, value_name = "K")]
    halo: Option<usize>,
    /// Write a checkpoint every N iterations into the folder of --out
    #[arg(long, value_name = "N", requires = "out", value_parser = size::count)]
    checkpoint: Option<usize>,
    /// Forget checkpoints that are there
    #[arg(long)]
    fresh: bool,
    /// Write the temperatures at the end to temperature.npy in this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Show progress even where stderr is no terminal
    #[arg(long)]
    progress: bool,
    #[command(flatten)]
    common: Common,
}

/// Makes the folder of the results, before the work.
pub(super) fn make_folder(run: &Run, folder: Option<&Path>) -> Result<(), Error> {
    let made = folder.filter(|_| run.is_first()).map_or(Ok(()), |folder| {
        std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, format!("cannot be made: {error}")))
    });
    agree(&run.ranks, made)
}

fn check(arguments: &Arguments) -> Result<(), Error> {
    if !arguments.threshold.is_finite() {
        return Err(Error::flag("-e", "the threshold is not a finite number: write it like 0.1 or 1e-6"));
    }
    let (low, high) = (arguments.low, arguments.high);
    if !(low.is_finite() && high.is_finite() && low <= high) {
        let problem = format!("{low} to {high} is not a range: use finite numbers, the lower one as -L");
        return Err(Error::flag("-L and -H", problem));
    }
    if arguments.halo.is_some_and(|halo| !(1..=32).contains(&halo)) {
        return Err(Error::flag("--halo", "use a number from 1 to 32"));
    }
    if arguments.checkpoint == Some(0) {
        return Err(Error::flag("--checkpoint", "0 is too few: use at least 1"));
    }
    Ok(())
}

pub(super) fn run(run: &mut Run, arguments: &Arguments) -> Done {
    run.place(&arguments.common)?;
    agree(&run.ranks, check(arguments))?;
    let open = |path: &Option<PathBuf>| path.as_ref().map(|path| Array::open(path, None)).transpose();
    let files = run.reading(|| Ok([open(&arguments.temperature)?, open(&arguments.conductivity)?]))?;
    let ty = files.iter().flatten().next().map(Array::element_type).or(arguments.ty);
    with_type!(ty.unwrap_or_else(ElementType::of::<f64>), [f32 f64], T => simulated::<T>(run, arguments, &files))
}

/// Rows and columns: those of the files, and of `--size`.
fn extent(arguments: &Arguments, files: &[Option<Array>; 2]) -> Result<(usize, usize), Error> {
    let mut size = arguments.size;
    for (file, path) in files.iter().zip([&arguments.temperature, &arguments.conductivity]) {
        let (Some(file), Some(path)) = (file, path) else { continue };
        let plane = file.plane()?;
        if size.is_some_and(|size| size != plane) {
            let problem =
                format!("it has {} rows and {} columns, not those of --size or of the other file", plane.0, plane.1);
            return Err(Error::file(path, problem));
        }
        size = Some(plane);
    }
    Ok(size.unwrap_or((150, 100)))
}

fn simulated<T: Temperature + Reduces>(run: &Run, arguments: &Arguments, files: &[Option<Array>; 2]) -> Done {
    let ranks = &run.ranks;
    let (rows, columns) = agree(ranks, extent(arguments, files))?;
    let mine = Parts::new(rows, ranks.size()).of(ranks.rank());
    let cells = mine.start * columns..mine.end * columns;
    agree(
        ranks,
        fits(cells.len(), 4 * size_of::<T>()).map_err(|_| {
            Error::flag(
                "--size",
                format!("{} rows do not fit into memory: use a smaller size, or more ranks", mine.len()),
            )
        }),
    )?;
    make_folder(run, arguments.out.as_deref())?;
    let conductivity: Vec<T> = run.reading(|| match &files[1] {
        Some(file) => file.read(cells.clone()),
        None => {
            let last = columns.saturating_sub(1).max(1) as f64;
            Ok(cells.clone().map(|i| T::from_f64(0.1 + 0.8 * (i % columns) as f64 / last)).collect())
        }
    })?;
    let name = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let parameters = json!({"type": T::NAME, "rows": rows, "columns": columns, "low": arguments.low,
        "high": arguments.high, "threshold": arguments.threshold, "temperature": name(&arguments.temperature),
        "conductivity": name(&arguments.conductivity)});
    let folder = arguments.checkpoint.and(arguments.out.as_ref());
    let store = folder.map(|folder| Checkpoints { store: Store::new(folder, "heat", parameters), rows, columns });
    let size = (rows, columns);
    let resumed = match &store {
        Some(store) => {
            if arguments.fresh {
                store.store.clear(ranks);
            }
            run.log.during(Stage::Read, || store.read::<T>(ranks))?
        }
        None => None,
    };
    let from = resumed.as_ref().map_or(0, |(_, state)| state.outcome.iterations);
    if from > arguments.iterations {
        let problem = format!("the checkpoint has {from} iterations already: ask for as many, or add --fresh");
        return agree(ranks, Err(Error::flag("-i", problem)));
    }
    let mut simulation = match resumed {
        Some((temperature, state)) => {
            if run.is_first() && !arguments.common.json {
                eprintln!("note: goes on from iteration {from} in the checkpoint");
            }
            Simulation::resume(ranks, &run.place, size, arguments.halo, temperature, conductivity, state)?
        }
        None => {
            let upper = rows.div_ceil(2);
            let temperature: Vec<T> = run.reading(|| match &files[0] {
                Some(file) => file.read(cells.clone()),
                None => Ok(cells
                    .clone()
                    .map(|i| T::from_f64(if i / columns < upper { arguments.high } else { arguments.low }))
                    .collect()),
            })?;
            Simulation::new(ranks, &run.place, size, arguments.halo, temperature, conductivity)?
        }
    };
    let begin = run.log.seconds();
    let outcome = steps(run, arguments, &mut simulation, store.as_ref(), rows * columns)?;
    let seconds = run.log.seconds() - begin;
    let end = agree(ranks, simulation.temperatures())?;
    if let Some(folder) = &arguments.out {
        write(run, &folder.join("temperature.npy"), &[rows, columns], cells.start, &end)?;
    }
    if let Some(store) = &store {
        store.store.clear(ranks);
    }
    let mut report =
        Report::new("heat", &arguments.common).with("type", T::NAME).with("rows", rows).with("cols", columns);
    report = report
        .with("threshold", arguments.threshold)
        .with("iterations", outcome.iterations)
        .with("max_difference", number(outcome.max_difference))
        .with("halo", simulation.halo())
        .with("resumed_from", from)
        .with("simulate_s", seconds);
    if rows * columns > 0 {
        let of = |operator| reduce(ranks, &warpwise::Device::cpu(), operator, &end);
        let (min, max, sum) = (of(Operator::Min)?, of(Operator::Max)?, of(Operator::Sum)?);
        report = report.with("min", number(min)).with("max", number(max));
        report = report.with("avg", number(warpwise::Element::to_f64(sum) / (rows * columns) as f64));
    }
    let difference = outcome.max_difference;
    Ok(report
        .text(format!("{rows} x {columns} after {} iterations, largest change {difference:e}", outcome.iterations)))
}

/// Takes the steps, with checkpoints and progress between.
fn steps<T: Temperature>(
    run: &Run,
    arguments: &Arguments,
    simulation: &mut Simulation<T>,
    store: Option<&Checkpoints>,
    cells: usize,
) -> Result<Outcome, Error> {
    let ranks = &run.ranks;
    let mut shows = [u8::from(arguments.progress || !arguments.common.json && std::io::stderr().is_terminal())];
    broadcast(ranks, 0, &mut shows);
    let mut progress = (shows[0] > 0).then(|| Progress::new("heat", arguments.iterations, cells));
    loop {
        let done = simulation.outcome().iterations;
        let next_checkpoint = arguments.checkpoint.map_or(usize::MAX, |every| (done / every + 1).saturating_mul(every));
        let next_report = progress.as_ref().map_or(usize::MAX, |progress| done + progress.piece());
        let limits = Limits {
            iterations: arguments.iterations.min(next_checkpoint).min(next_report),
            threshold: arguments.threshold,
        };
        let outcome = simulation.run(ranks, limits)?;
        if let Some(progress) = &mut progress {
            progress.show(ranks, &run.log, outcome.iterations);
        }
        if outcome.iterations >= arguments.iterations || outcome.max_difference < arguments.threshold {
            return Ok(outcome);
        }
        if let (Some(store), true) = (store, outcome.iterations == next_checkpoint) {
            run.log.during(Stage::Write, || store.write(ranks, simulation))?;
        }
    }
}

/// The temperatures of this rank's rows, and what the run has come to.
type Resumed<T> = (Vec<T>, State<T>);

/// Checkpoints of a cylinder: the two fixed rows, then all rows.
struct Checkpoints {
    store: Store,
    rows: usize,
    columns: usize,
}

impl Checkpoints {
    fn write<T: Temperature>(&self, ranks: &dyn Communicator, simulation: &Simulation<T>) -> Result<(), Error> {
        let (row, mine) = (self.columns * size_of::<T>(), Parts::new(self.rows, ranks.size()).of(ranks.rank()));
        let State { fixed, outcome } = simulation.state();
        let cells = agree(ranks, simulation.temperatures())?;
        let mut pieces = vec![(((mine.start + 2) * row) as u64, bytemuck::cast_slice(&cells))];
        if ranks.rank() == 0 {
            pieces.push((0, bytemuck::cast_slice(&fixed)));
        }
        let change = format!("{:016x}", outcome.max_difference.to_bits());
        let state = json!({"iterations": outcome.iterations, "max_difference": change});
        let bytes = ((self.rows + 2) * row) as u64;
        self.store.write(ranks, outcome.iterations as u64, state, bytes, row.max(1), &pieces)
    }

    fn read<T: Temperature>(&self, ranks: &dyn Communicator) -> Result<Option<Resumed<T>>, Error> {
        let (row, mine) = (self.columns * size_of::<T>(), Parts::new(self.rows, ranks.size()).of(ranks.rank()));
        let wanted = |_: &_| {
            let mut pieces = vec![(((mine.start + 2) * row) as u64, mine.len() * row)];
            if ranks.rank() == 0 {
                pieces.push((0, 2 * row));
            }
            pieces
        };
        let Some((header, pieces)) = self.store.read(ranks, row.max(1), wanted)? else { return Ok(None) };
        let mut fixed = crate::redistribute::zeros::<T>(2 * self.columns);
        if let Some(bytes) = pieces.get(1) {
            fixed = elements(bytes);
        }
        broadcast(ranks, 0, &mut fixed);
        let change = header.state["max_difference"].as_str().and_then(|bits| u64::from_str_radix(bits, 16).ok());
        let outcome = Outcome {
            iterations: header.state["iterations"].as_u64().unwrap_or(0) as usize,
            max_difference: f64::from_bits(change.unwrap_or(f64::INFINITY.to_bits())),
        };
        Ok(Some((elements(&pieces[0]), State { fixed, outcome })))
    }
}
