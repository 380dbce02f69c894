//! `warpwise-cluster transpose`.

use std::path::PathBuf;

use warpwise::transpose::Transposable;

use super::Done;
use super::array::with_type;
use super::report::Report;
use super::run::{Common, Run};
use super::scan::write;
use crate::communicator::Communicator;
use crate::files::Array;
use crate::{Parts, agree, transpose};

/// Turn the rows of a matrix into columns
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A .npy file with rows and columns
    file: PathBuf,
    /// Write the result to a .npy file; a file of another ending holds plain numbers
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(run: &mut Run, arguments: &Arguments) -> Done {
    run.place(&arguments.common)?;
    let array = run.reading(|| Array::open(&arguments.file, None))?;
    with_type!(array.element_type(), [u8 f32 f64], T => transposed::<T>(run, arguments, &array))
}

fn transposed<T: Transposable>(run: &Run, arguments: &Arguments, array: &Array) -> Done {
    let (rows, columns) = agree(&run.ranks, array.plane())?;
    let (me, size) = (run.ranks.rank(), run.ranks.size());
    let mine = Parts::new(rows, size).of(me);
    let part: Vec<T> = run.reading(|| array.read(mine.start * columns..mine.end * columns))?;
    let out = transpose::transpose(&run.ranks, run.place.device(), rows, columns, &part)?;
    if let Some(path) = &arguments.out {
        write(run, path, &[columns, rows], Parts::new(columns, size).of(me).start * rows, &out)?;
    }
    Ok(Report::new("transpose", &arguments.common)
        .with("type", T::NAME)
        .with("shape", vec![columns, rows])
        .text(format!("{columns} x {rows}")))
}
