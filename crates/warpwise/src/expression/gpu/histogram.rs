//! Histograms of an expression: it gives the bins, and never elements in memory.

use super::{Task, ready, written};
use crate::device::{Allocation, Argument, Session, Shape};
use crate::expression::kind::Kind;
use crate::expression::mapped::{Mapped, Parts};
use crate::expression::program::{Builder, Op, Program};
use crate::expression::ptx;
use crate::histogram::Binning;
use crate::{Element, Error};

/// Threads of a block, and blocks of a multiprocessor.
const BLOCK: u32 = 256;
const BLOCKS_PER_SM: u32 = 4;

/// How many elements fall into each bin; there is at least one element, and the binning works on the type.
pub(crate) fn histogram<T: Element>(
    mapped: &Mapped<'_, T>,
    session: &Session,
    binning: Binning,
) -> Result<Allocation, Error> {
    count(&mapped.parts, session, binning)
}

fn count(parts: &Parts<'_>, session: &Session, binning: Binning) -> Result<Allocation, Error> {
    let (n, bins) = (parts.length as u64, binning.bins());
    let (kinds, program) = (parts.kinds(), bin(&parts.program, binning));
    let key = (Task::Histogram(bins), program.clone(), None, kinds.clone());
    let kernel = written(key, || ptx::histogram(&program, bins, &kinds));
    let ready = ready(parts, session, &kernel)?;
    let counts = session.allocate_zeroed::<u64>(bins)?;
    let most = u64::from(BLOCKS_PER_SM * session.multiprocessors());
    let threads = if ready.vectors > 0 { ready.vectors } else { n };
    // A block counts in 32 bits, and takes no more than they can hold.
    let blocks = threads.div_ceil(BLOCK.into()).min(most).max(n >> 31);
    let [x, y] = ready.inputs();
    let arguments = [x, y, counts.argument(), Argument::U64(n), Argument::U64(ready.vectors)];
    let shape = Shape::line(blocks as u32, BLOCK, 0);
    session.launch_text("histogram", &kernel.text, shape, &arguments, &kernel.constants)?;
    Ok(counts)
}

/// The bin of what a program gives: a number that is not below the number of bins where there is none.
fn bin(program: &Program, binning: Binning) -> Program {
    let mut builder = Builder::of(program);
    let result = program.results[0];
    let bins = binning.bins() as i128;
    let word = |builder: &mut Builder, value: i128| builder.constant(Kind::U32, value);
    let bin = match binning {
        Binning::Value => builder.cast(result, Kind::U32),
        Binning::Modulo { .. } => {
            // Signed numbers, whose remainder has the sign of the number of bins.
            let kind = if program.kind(result).is_signed() { Kind::I64 } else { Kind::U64 };
            let (wide, divisor) = (builder.cast(result, kind), builder.constant(kind, bins));
            let rest = builder.add(Op::Remainder, kind, &[wide, divisor]);
            builder.cast(rest, Kind::U32)
        }
        Binning::Letter => {
            let first = word(&mut builder, b'a'.into());
            let (letters, four) = (word(&mut builder, 26), word(&mut builder, 4));
            let (byte, none) = (builder.cast(result, Kind::U32), word(&mut builder, bins));
            let place = builder.add(Op::Subtract, Kind::U32, &[byte, first]);
            let inside = builder.add(Op::Less, Kind::Bool, &[place, letters]);
            let bin = builder.add(Op::FloorDivide, Kind::U32, &[place, four]);
            builder.add(Op::Select, Kind::U32, &[inside, bin, none])
        }
        Binning::Even { bins: count, lo, hi } => {
            let mut float = |value: f64| builder.add(Op::Constant(value.to_bits()), Kind::F64, &[]);
            let (low, high, scale) = (float(lo), float(hi), float(count as f64 / (hi - lo)));
            let (last, none) = (word(&mut builder, bins - 1), word(&mut builder, bins));
            let x = builder.cast(result, Kind::F64);
            let (from, below) =
                (builder.add(Op::LessOrEqual, Kind::Bool, &[low, x]), builder.add(Op::Less, Kind::Bool, &[x, high]));
            let inside = builder.add(Op::And, Kind::Bool, &[from, below]);
            let above = builder.add(Op::Subtract, Kind::F64, &[x, low]);
            let place = builder.add(Op::Multiply, Kind::F64, &[above, scale]);
            let bin = builder.cast(place, Kind::U32);
            // Rounding can lift the last values of the range to the number of bins itself.
            let bin = builder.add(Op::Min, Kind::U32, &[bin, last]);
            builder.add(Op::Select, Kind::U32, &[inside, bin, none])
        }
    };
    builder.finish(&[bin])
}
