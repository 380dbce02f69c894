//! Scans of an expression, each in one launch.

use super::{Task, bits, combining, identity_of, kind, staged, stored, vectors, written};
use crate::device::{Argument, Session, Shape, Staged};
use crate::expression::kind::Kind;
use crate::expression::mapped::{Mapped, Parts};
use crate::expression::ptx::{self, Fold, SCAN_BLOCK, Scan};
use crate::{Element, Error, Operator, scan};

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
    let staged = staged(parts, session)?;
    let inputs: Vec<(Argument, Kind)> = staged.iter().map(Staged::argument).zip(parts.kinds()).collect();
    let (n, kinds) = (parts.length, parts.kinds());
    let operator = Some((fold.combine.clone(), fold.identity.clone(), fold.ordered));
    let key = (Task::Scan(what), fold.item.clone(), operator, kinds.clone());
    let kernel = written(key, || ptx::scan(fold, what, &kinds));
    let written = outs.iter().copied().zip(fold.item.kinds());
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
