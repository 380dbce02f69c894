//! Scans of an expression, and the elements for which one holds, each in one launch.

use super::{Task, bits, combining, identity_of, kind, stored, vectors, written};
use crate::device::{Allocation, Argument, Session, Shape, Staged};
use crate::expression::kind::Kind;
use crate::expression::mapped::{Mapped, Parts, host_address, kind_of};
use crate::expression::program::{Builder, Op, Program};
use crate::expression::ptx::{self, Fold, SCAN_BLOCK, Scan};
use crate::{Element, Error, Input, Operator, scan};

/// What an expression gives, combined up to each element; there is at least one.
pub(crate) fn scan<T: Element>(
    mapped: &Mapped<'_, T>,
    session: &Session,
    (operator, way): (Operator, scan::Kind),
    out: Argument,
) -> Result<(), Error> {
    let identity: T = crate::operator::with_operator!(operator, identity_of::<T>());
    let parts = &mapped.parts;
    let fold = combining(stored(&parts.program, None), operator, kind(parts), bits(identity));
    scan_fold(parts, session, &fold, way, &[out])
}

/// The fields of items combined up to each one, to an address for each field; there is at least one item.
pub(in crate::expression) fn scan_fold(
    parts: &Parts<'_>,
    session: &Session,
    fold: &Fold,
    way: scan::Kind,
    outs: &[Argument],
) -> Result<(), Error> {
    let what = if way == scan::Kind::Inclusive { Scan::Inclusive } else { Scan::Exclusive };
    let staged: Vec<Staged> = parts.inputs.iter().map(|input| input.staged(session)).collect::<Result<_, _>>()?;
    let inputs: Vec<(Argument, Kind)> = staged.iter().map(Staged::argument).zip(parts.kinds()).collect();
    launch(session, fold, what, &inputs, outs, parts.length)
}

/// The kernel for a fold on inputs, with the state that its blocks share.
fn launch(
    session: &Session,
    fold: &Fold,
    what: Scan,
    inputs: &[(Argument, Kind)],
    outs: &[Argument],
    n: usize,
) -> Result<(), Error> {
    let kinds: Vec<Kind> = inputs.iter().map(|&(_, kind)| kind).collect();
    let operator = Some((fold.combine.clone(), fold.identity.clone(), fold.ordered));
    let key = (Task::Scan(what), fold.item.clone(), operator, kinds.clone());
    let kernel = written(key, || ptx::scan(fold, what, &kinds));
    let written = outs.iter().copied().zip(fold.item.kinds()).filter(|_| !matches!(what, Scan::Kept(_)));
    let vectors = vectors(kernel.width, inputs.iter().copied().chain(written), n);
    let (tiles, fields) = (n.div_ceil(kernel.tile), fold.identity.len());
    let state = session.allocate_zeroed::<u64>(2 + tiles * (1 + 2 * fields))?;
    let input = |i: usize| inputs.get(i).map_or(Argument::NULL, |(argument, _)| *argument);
    let out = |i: usize| outs.get(i).copied().unwrap_or(Argument::NULL);
    let numbers = [n as u64, vectors, tiles as u64].map(Argument::U64);
    let arguments =
        [&[input(0), input(1), input(2), state.argument()][..], &numbers, &[out(0), out(1), out(2), out(3)]].concat();
    let shape = Shape::line(tiles as u32, SCAN_BLOCK, 0);
    session.launch_text("scan", &kernel.text, shape, &arguments, &kernel.constants)?;
    Ok(())
}

/// Writes the elements for which an expression is not 0 to `out`, in order; returns how many they are. There is at least
/// one element.
pub(crate) fn keep<T: Element>(
    xs: &dyn Input<T>,
    mask: &Mapped<'_, u8>,
    session: &Session,
    out: Argument,
) -> Result<usize, Error> {
    let parts = &mask.parts;
    let Some(kind) = kind_of::<T>() else { return Err(Error::expression(0, "there are no such elements")) };
    let here = host_address(xs);
    // What is tested is often what is kept: then it is copied and read once.
    let same = |i: &usize| here.is_some() && parts.inputs[*i].host_address() == here && parts.kinds()[*i] == kind;
    let kept = (0..parts.inputs.len()).find(same);
    let mut staged: Vec<Staged> = parts.inputs.iter().map(|input| input.staged(session)).collect::<Result<_, _>>()?;
    let mut kinds = parts.kinds();
    let kept = match kept {
        Some(kept) => kept,
        None => {
            let own = Staged::new(session, xs)?;
            let address = |staged: &Staged| match staged.argument() {
                Argument::Pointer(at) => Some(at.0),
                _ => None,
            };
            let known = (0..kinds.len()).find(|&i| kinds[i] == kind && address(&staged[i]) == address(&own));
            known.unwrap_or_else(|| {
                staged.push(own);
                kinds.push(kind);
                kinds.len() - 1
            })
        }
    };
    let inputs: Vec<(Argument, Kind)> = staged.iter().map(Staged::argument).zip(kinds).collect();
    let count: Allocation = session.allocate_result(8)?;
    let fold = combining(as_count(&parts.program), Operator::Sum, Kind::U64, 0);
    launch(session, &fold, Scan::Kept(kept), &inputs, &[out, count.argument()], parts.length)?;
    Ok(session.download_vec::<u64>(count.ptr(), 1)?[0] as usize)
}

/// 1 where a program gives something that is not 0, else 0.
fn as_count(program: &Program) -> Program {
    let mut builder = Builder::of(program);
    let result = program.results[0];
    let count = match program.kind(result) {
        Kind::Bool => builder.cast(result, Kind::U64),
        kind => {
            let (nothing, zero, one) =
                (builder.constant(kind, 0), builder.constant(Kind::U64, 0), builder.constant(Kind::U64, 1));
            let is_zero = builder.add(Op::Equal, Kind::Bool, &[result, nothing]);
            builder.add(Op::Select, Kind::U64, &[is_zero, zero, one])
        }
    };
    builder.finish(&[count])
}
