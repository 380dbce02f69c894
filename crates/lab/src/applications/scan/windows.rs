//! A file that is larger than memory, scanned window by window.

use super::{Report, Request};
use crate::applications::formula::{wide, with_wide_type};
use crate::applications::reduce::values;
use crate::applications::{AppError, Summary, milliseconds};
use crate::files::{Array, FileError, Number, Numbers, Sink, Source, none};
use std::time::Instant;
use warpwise::Device;
use warpwise::expression::Expression;
use warpwise::primitive::Type;
use warpwise::scan::{Scannable, Windows};

pub(super) fn run(request: &Request, source: Source, window: usize) -> Result<Report, AppError> {
    let started = Instant::now();
    let shape = source.shape.clone();
    let map = request.map.as_ref().map(|formula| wide(formula, &none(source.ty))).transpose()?;
    let (expression, ty) = match map {
        Some((expression, ty)) => (Some(expression), ty),
        None if source.ty == Type::U8 => (None, Type::U64),
        None => (None, source.ty),
    };
    let sink = request.out.as_ref().map(|out| Sink::create(out, ty, &shape)).transpose()?;
    let (result, windows) = Sink::beside(
        sink,
        |write| with_wide_type!(ty, T => in_windows::<T>(request, source, window, expression.as_ref(), write)),
    )?;
    Ok(Report {
        schema: 1,
        file: request.file.clone(),
        op: request.op(),
        kind: request.kind.name(),
        device: Device::cpu().name(),
        variant: request.setup.variant.clone(),
        time_ms: milliseconds(started),
        result: Summary { shape, ..result },
        out: request.out.clone(),
        map: request.map.as_ref().map(|formula| formula.text.clone()),
        verified: None,
        windows: Some(windows),
        array: Array { shape: vec![0], numbers: none(ty) },
    })
}

/// The first and the last numbers of the result, and how many windows there were.
fn in_windows<T: Number + Scannable>(
    request: &Request,
    mut source: Source,
    window: usize,
    expression: Option<&Expression>,
    write: &dyn Fn(Numbers) -> Result<(), FileError>,
) -> Result<(Summary, usize), AppError> {
    let mut scan = Windows::<T>::new(request.operator, request.kind);
    let (mut summary, mut windows) = (None, 0);
    source.each(window, |numbers| {
        let xs = values::<T>(expression, numbers)?;
        let mut out = vec![T::ZERO; xs.len()];
        scan.run_into(&xs, &mut out)?;
        let last = out.last().map(|last| last.value());
        let result = Array { shape: Vec::new(), numbers: T::numbers(out) };
        let shown: &mut Summary = summary.get_or_insert_with(|| Summary::of(&result));
        shown.last = last;
        windows += 1;
        Ok::<(), AppError>(write(result.numbers)?)
    })?;
    let nothing = || Summary::of(&Array { shape: Vec::new(), numbers: T::numbers(Vec::new()) });
    Ok((summary.unwrap_or_else(nothing), windows))
}
