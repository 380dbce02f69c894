//! Reductions of an expression: what it gives is combined at once, and never written.

use super::{Extreme, cpu, fixed};
use crate::expression::{self, Mapped};
use crate::operator::{Combine, with_operator};
use crate::simd::Level;
use crate::simd::ahead::Ahead;
use crate::{Device, Element, Error, Input, Operator};

/// Elements that are evaluated before they are combined, where the order does not matter.
const CHUNK: usize = 8192;

/// Combines what an expression gives: on the CPU in the order of the same elements in memory, on a GPU in any.
pub(super) fn values<T: Element>(device: &Device, operator: Operator, mapped: &Mapped<'_, T>) -> Result<T, Error> {
    cpu::check(operator, mapped.length())?;
    match device.session() {
        Some(session) if mapped.length() > 0 => {
            let value = expression::gpu::reduce(mapped, session, operator)?;
            Ok(with_operator!(operator, finished::<T>(value)))
        }
        _ => values_at(Level::current(), operator, mapped),
    }
}

/// There is only one NaN, and a sum of nothing but -0 is +0.
fn finished<T: Element, O: Combine>(value: T) -> T {
    if O::OPERATOR.order_shows::<T>() { fixed::finish::<T, O>(value) } else { value }
}

/// On the CPU.
pub(crate) fn values_at<T: Element>(level: Level, operator: Operator, mapped: &Mapped<'_, T>) -> Result<T, Error> {
    with_operator!(operator, combined::<T>(level, mapped))
}

fn combined<T: Element, O: Combine>(level: Level, mapped: &Mapped<'_, T>) -> Result<T, Error> {
    if const { T::IS_FLOAT && O::IGNORES_SIGNS } {
        let tile = fixed::tile_of::<T>();
        let tiles = expression::cpu::chunks(mapped, level, tile, &|_, xs| fixed::tile_value::<T, O>(level, xs))?;
        return Ok(fixed::reduce::<T, O>(level, &tiles));
    }
    let one = |_, xs: &[T]| cpu::task::<T, O>(level, Ahead::within(xs), xs);
    let chunks = expression::cpu::chunks(mapped, level, CHUNK, &one)?;
    Ok(chunks.into_iter().fold(O::identity(), O::combine))
}

/// The place of an extreme of what an expression gives.
pub(super) fn place<T: Element>(device: &Device, extreme: Extreme, mapped: &Mapped<'_, T>) -> Result<usize, Error> {
    match device.session() {
        Some(session) if mapped.length() > 0 => expression::gpu::place(mapped, session, extreme),
        _ => place_at(Level::current(), extreme, mapped),
    }
}

/// On the CPU.
pub(crate) fn place_at<T: Element>(level: Level, extreme: Extreme, mapped: &Mapped<'_, T>) -> Result<usize, Error> {
    let one = |first: usize, xs: &[T]| {
        let place = cpu::par_place_at(level, extreme, xs).unwrap_or(0);
        (xs[place], first + place)
    };
    let chunks = expression::cpu::chunks(mapped, level, CHUNK, &one)?;
    let better = |best: (T, usize), next: (T, usize)| if extreme.beats(next.0, best.0) { next } else { best };
    chunks.into_iter().reduce(better).map(|(_, place)| place).ok_or(Error::Empty { operator: extreme.name() })
}
