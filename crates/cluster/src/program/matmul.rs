//! `warpwise-cluster matmul`.

use std::ops::Range;
use std::path::PathBuf;

use warpwise::matmul::Scalar;
use warpwise::random;

use super::array::{element_type, fits, with_type};
use super::report::Report;
use super::run::{Common, Run};
use super::{Done, size};
use crate::communicator::Communicator;
use crate::files::{Array, ElementType, Output};
use crate::matmul::{Grid, multiply};
use crate::timeline::Stage;
use crate::{Error, agree};

const EXAMPLES: &str =
    "Three sizes make a demonstration: A of M x K numbers 0, 1 and 2, times B of K x N numbers 0 and 1.

Examples:
  mpirun -n 4 warpwise-cluster matmul a.npy b.npy --out c.npy
  mpirun -n 4 warpwise-cluster matmul 4096 4096 4096 --type f32 --json";

/// Multiply two matrices
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Two .npy files, A B; or three sizes, M K N
    #[arg(required = true, num_args = 2..=3, value_name = "A B or M K N")]
    factors: Vec<String>,
    /// The type of made matrices: f32 or f64
    #[arg(long = "type", value_name = "TYPE", value_parser = element_type)]
    ty: Option<ElementType>,
    /// Write the product to a .npy file; a file of another ending holds plain numbers
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// Where the factors come from.
enum Factors {
    Files(Box<[Array; 2]>),
    Made,
}

pub(super) fn run(run: &mut Run, arguments: &Arguments) -> Done {
    run.place(&arguments.common)?;
    let (factors, shape, ty) = match &arguments.factors[..] {
        [a, b] => {
            let open = |path: &String| Array::open(path.as_ref(), None);
            let files = run.reading(|| Ok([open(a)?, open(b)?]))?;
            let (left, right) = agree(&run.ranks, files[0].plane().and_then(|a| Ok((a, files[1].plane()?))))?;
            if left.1 != right.0 {
                let problem = format!("it has {} rows, but {a} has {} columns: they must be as many", right.0, left.1);
                return agree(&run.ranks, Err(Error::file(b.as_ref(), problem)));
            }
            let (shape, ty) = ((left.0, left.1, right.1), files[0].element_type());
            (Factors::Files(Box::new(files)), shape, ty)
        }
        [m, k, n] => {
            let count = |text: &String| size::count(text).map_err(|problem| Error::flag("M K N", problem));
            let shape = agree(&run.ranks, count(m).and_then(|m| Ok((m, count(k)?, count(n)?))))?;
            let most = shape.0.saturating_mul(shape.1).max(shape.1.saturating_mul(shape.2));
            agree(&run.ranks, fits(most.max(shape.0.saturating_mul(shape.2)) / run.ranks.size(), 8))?;
            (Factors::Made, shape, arguments.ty.unwrap_or_else(ElementType::of::<f32>))
        }
        _ => return agree(&run.ranks, Err(Error::flag("A B or M K N", "name two files, or three sizes"))),
    };
    with_type!(ty, [f32 f64], T => product::<T>(run, arguments, &factors, shape))
}

type Block = (Range<usize>, Range<usize>);

fn product<T: Scalar>(run: &Run, arguments: &Arguments, factors: &Factors, shape: (usize, usize, usize)) -> Done {
    let (m, k, n) = shape;
    let grid = Grid::new(run.ranks.size(), m, k, n);
    let me = run.ranks.rank();
    let made = |block: Block, columns: usize, stream: u64, most: u64| -> Vec<T> {
        let cells = block.0.flat_map(|i| block.1.clone().map(move |j| i * columns + j));
        cells.map(|at| T::from_f64((random::at(stream, at as u64) % most) as f64)).collect()
    };
    let (a, b) = run.reading(|| match factors {
        Factors::Files(files) => {
            let read = |file: &Array, block: Block| file.read_block(block.0, block.1);
            Ok((read(&files[0], grid.a(me))?, read(&files[1], grid.b(me))?))
        }
        Factors::Made => Ok((made(grid.a(me), k, 1, 3), made(grid.b(me), n, 2, 2))),
    })?;
    let begin = run.log.seconds();
    let c = multiply::<T>(&run.ranks, &run.place, &grid, &a, &b)?;
    let seconds = run.log.seconds() - begin;
    if let Some(path) = &arguments.out {
        let (rows, columns) = grid.c(me);
        run.log.during(Stage::Write, || {
            let output = Output::npy::<T>(&run.ranks, path, &[m, n])?;
            let written = output.write_block(n, (rows.start, columns.start), columns.len(), &c);
            output.finish(&run.ranks, written)
        })?;
    }
    let gflops = 2.0 * (m * k) as f64 * n as f64 / seconds / 1e9;
    Ok(Report::new("matmul", &arguments.common)
        .with("type", T::NAME)
        .with("m", m)
        .with("k", k)
        .with("n", n)
        .with("grid", vec![grid.rows(), grid.columns()])
        .with("multiply_s", seconds)
        .with("gflop_per_s", gflops)
        .text(format!("{m} x {k} times {k} x {n} on {} x {} ranks", grid.rows(), grid.columns())))
}
