//! A file that is larger than memory, reduced window by window.

use super::{Operation, Report, Request};
use crate::applications::formula::{mapped, wide, with_wide_type};
use crate::applications::{AppError, milliseconds};
use crate::files::{Array, Number, Numbers, Source, none, with_numbers, with_wide_numbers, write_array};
use crate::kernels::run::Value;
use std::borrow::Cow;
use std::time::Instant;
use warpwise::expression::Expression;
use warpwise::reduce::{self, Extreme, Reduce, Reducible, Summable, Windows};
use warpwise::{Device, Error, Operator, map};

pub(super) fn run(request: &Request, source: Source, window: usize) -> Result<Report, AppError> {
    let started = Instant::now();
    let (ty, shape) = (source.ty, source.shape.clone());
    let map = request.map.as_ref().map(|formula| wide(formula, &none(ty))).transpose()?;
    let (expression, wide_type) = match map {
        Some((expression, ty)) => (Some(expression), ty),
        None => (None, ty),
    };
    let job = Job { operation: request.operation, expression, window };
    let (numbers, windows) = with_wide_type!(wide_type, T => job.run::<T>(source)?);
    let value = with_numbers!(&numbers, xs => xs[0].value());
    if let Some(out) = &request.out {
        write_array(out, &Array { shape: vec![], numbers })?;
    }
    Ok(Report {
        schema: 1,
        file: request.file.clone(),
        op: request.operation.name(),
        device: Device::cpu().name(),
        variant: request.setup.variant.clone(),
        ty: ty.name(),
        shape,
        value,
        time_ms: milliseconds(started),
        map: request.map.as_ref().map(|formula| formula.text.clone()),
        verified: None,
        windows: Some(windows),
    })
}

struct Job {
    operation: Operation,
    expression: Option<Expression>,
    window: usize,
}

impl Job {
    /// The result as one number, and how many windows there were.
    fn run<T: Number + Reducible + Summable>(&self, mut source: Source) -> Result<(Numbers, usize), AppError> {
        let mut so_far = SoFar::<T>::new(self.operation);
        let mut windows = 0;
        source.each(self.window, |numbers| {
            windows += 1;
            Ok::<(), AppError>(so_far.add(&values(self.expression.as_ref(), numbers)?)?)
        })?;
        Ok((so_far.finish()?, windows))
    }
}

/// The numbers of a window, or what an expression gives for them, as they are combined.
pub(in crate::applications) fn values<'a, T: Number>(
    expression: Option<&Expression>,
    numbers: &'a Numbers,
) -> Result<Cow<'a, [T]>, Error> {
    match (expression, numbers) {
        (Some(expression), _) => map::run(&Device::cpu(), &mapped(expression, numbers, None)?).map(Cow::Owned),
        (None, Numbers::U8(_)) => Ok(with_wide_numbers!(numbers, xs => Cow::Owned(bytemuck::cast_slice(xs).to_vec()))),
        (None, _) => Ok(with_numbers!(numbers, xs => Cow::Borrowed(bytemuck::cast_slice(xs)))),
    }
}

/// What all windows so far come to.
enum SoFar<T> {
    Value(Windows<T>),
    /// A sum of integers of less than 64 bits.
    Wide(i128),
    /// The place, the value there, and how many numbers came before.
    Place(Extreme, Option<(u64, T)>, u64),
}

impl<T: Number + Reducible + Summable> SoFar<T> {
    fn new(operation: Operation) -> Self {
        let widens = !T::IS_FLOAT && size_of::<T>() < 8;
        match operation {
            Operation::Value(Operator::Sum) if widens => Self::Wide(0),
            Operation::Value(operator) => Self::Value(Windows::new(operator)),
            Operation::Place(extreme) => Self::Place(extreme, None, 0),
        }
    }

    fn add(&mut self, xs: &[T]) -> Result<(), Error> {
        match self {
            Self::Value(windows) => windows.push(xs),
            Self::Wide(so_far) => {
                *so_far += match reduce::checked_sum(&Device::cpu(), xs) {
                    Ok(sum) => integer(sum),
                    Err(Error::Overflow { sum, .. }) => sum,
                    Err(other) => return Err(other),
                }
            }
            Self::Place(extreme, best, before) => {
                let at = Reduce::new().place(&Device::cpu(), *extreme, xs)?;
                let value = xs[at];
                let better = |&(_, best): &(u64, T)| {
                    let further = if *extreme == Extreme::Min { value < best } else { value > best };
                    further || (value.is_nan() && !best.is_nan())
                };
                if best.as_ref().is_none_or(better) {
                    *best = Some((*before + at as u64, value));
                }
                *before += xs.len() as u64;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Numbers, Error> {
        match self {
            Self::Value(windows) => Ok(T::numbers(vec![windows.finish()?])),
            Self::Wide(sum) => Ok(fitting::<T>(sum)),
            Self::Place(extreme, best, _) => match best {
                Some((place, _)) => Ok(Numbers::U64(vec![place])),
                None => Err(Error::Empty { operator: extreme.name() }),
            },
        }
    }
}

fn integer<T: Number>(value: T) -> i128 {
    match value.value() {
        Value::Integer(value) => value,
        _ => 0,
    }
}

/// A sum of integers in their type if it fits, and otherwise in 64 bits.
fn fitting<T: Number>(sum: i128) -> Numbers {
    match (T::NAME, i32::try_from(sum), u32::try_from(sum)) {
        ("i32", Ok(sum), _) => Numbers::I32(vec![sum]),
        ("u32", _, Ok(sum)) => Numbers::U32(vec![sum]),
        ("u32", ..) => Numbers::U64(vec![sum as u64]),
        _ => Numbers::I64(vec![sum as i64]),
    }
}
