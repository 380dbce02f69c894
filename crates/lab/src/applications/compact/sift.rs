//! Keeping numbers of any type: with the library's rungs where there are some, and otherwise by a mask, on the host.

use crate::applications::Verified;
use crate::applications::formula::mapped;
use crate::files::{Number, Numbers, with_numbers};
use warpwise::compact::{Compact, Compactable, Rung};
use warpwise::expression::{Expression, Mapped};
use warpwise::{Device, Error, map};

/// Whether the library has rungs for numbers of this type.
pub(super) fn has_rungs(numbers: &Numbers) -> bool {
    !matches!(numbers, Numbers::U8(_) | Numbers::I64(_) | Numbers::U64(_))
}

/// The numbers for which a condition holds.
pub(super) fn keep(
    device: &Device,
    rung: Option<Rung>,
    condition: &Expression,
    numbers: &Numbers,
) -> Result<Numbers, Error> {
    let mask = mapped::<u8>(condition, numbers, None)?;
    match numbers {
        Numbers::I32(xs) => by_rung(device, rung, &mask, xs),
        Numbers::U32(xs) => by_rung(device, rung, &mask, xs),
        Numbers::F32(xs) => by_rung(device, rung, &mask, xs),
        Numbers::F64(xs) => by_rung(device, rung, &mask, xs),
        Numbers::U8(xs) => by_mask(&map::run(device, &mask)?, xs),
        Numbers::I64(xs) => by_mask(&map::run(device, &mask)?, xs),
        Numbers::U64(xs) => by_mask(&map::run(device, &mask)?, xs),
    }
}

fn by_rung<T: Number + Compactable>(
    device: &Device,
    rung: Option<Rung>,
    mask: &Mapped<'_, u8>,
    xs: &Vec<T>,
) -> Result<Numbers, Error> {
    Ok(T::numbers(Compact::by_mask(mask).variant(rung).run(device, xs)?))
}

fn by_mask<T: Number>(mask: &[u8], xs: &[T]) -> Result<Numbers, Error> {
    Ok(T::numbers(xs.iter().zip(mask).filter(|&(_, &keep)| keep != 0).map(|(&x, _)| x).collect()))
}

/// Compares what was kept with what plain code keeps; without regard to order if it need not be the same.
pub(super) fn compare(ours: &Numbers, theirs: &Numbers, in_order: bool) -> Verified {
    let with = "plain sequential code";
    let values = |numbers: &Numbers| {
        let mut all: Vec<f64> = with_numbers!(numbers, xs => xs.iter().map(|x| x.value().to_f64()).collect());
        if !in_order {
            all.sort_by(f64::total_cmp);
        }
        all
    };
    let (ours, theirs) = (values(ours), values(theirs));
    let mut verified = Verified::of(with, 0.0, &mut ours.iter().copied().zip(theirs.iter().copied()));
    verified.differing += ours.len().abs_diff(theirs.len());
    verified.ok = verified.differing == 0;
    verified
}
