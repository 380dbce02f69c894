//! Sort on the CPU.

mod digits;
mod lines;
mod places;
pub(super) mod record;
#[cfg(target_arch = "x86_64")]
mod registers;
mod sample;
mod split;
mod spread;
mod tags;
mod tally;

pub use self::sample::Sample;
pub use self::split::{Leaves, split};
pub use self::tally::{Spread, Tally};

use self::places::Places;
use self::record::Joins;
use self::spread::Bits;
use super::order::{Key, Word};
use crate::Error;
use crate::simd::Level;
use std::ops::Range;

/// What goes along with keys, and where it goes.
#[doc(hidden)]
pub enum Along<'a> {
    Nothing,
    /// Values of four or eight bytes.
    Words(&'a [u32], &'a mut [u32]),
    Longs(&'a [u64], &'a mut [u64]),
    /// The numbers of the keys.
    Numbers(&'a mut [u32]),
}

/// Sorts, on one thread: by digits of the keys, from the lowest to the highest.
///
/// # Errors
///
/// [`Error::Length`] when the two differ in length.
///
/// ```
/// let mut sorted = [0.0; 4];
/// warpwise::sort::cpu::seq(&[0.5, f64::NAN, -0.0, -3.0], false, &mut sorted)?;
/// assert_eq!(sorted[..3], [-3.0, -0.0, 0.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn seq<K: Key>(keys: &[K], descending: bool, out: &mut [K]) -> Result<(), Error> {
    Error::check_length("the output", out.len(), keys.len())?;
    run(How { descending, in_parallel: false }, keys, Some(out), Along::Nothing);
    Ok(())
}

/// Sorts, on all cores.
///
/// # Errors
///
/// As for [`seq`].
///
/// ```
/// let mut sorted = [0; 4];
/// warpwise::sort::cpu::par(&[3, -1, 4, 1], true, &mut sorted)?;
/// assert_eq!(sorted, [4, 3, 1, -1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn par<K: Key>(keys: &[K], descending: bool, out: &mut [K]) -> Result<(), Error> {
    Error::check_length("the output", out.len(), keys.len())?;
    run(How { descending, in_parallel: true }, keys, Some(out), Along::Nothing);
    Ok(())
}

/// How to sort.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct How {
    pub(super) descending: bool,
    pub(super) in_parallel: bool,
}

/// Sorts keys, and what goes along with them; all have the same length. Sorted keys are not always wanted.
pub(super) fn run<K: Key>(how: How, keys: &[K], out: Option<&mut [K]>, along: Along<'_>) {
    match along {
        Along::Nothing => {
            if const { size_of::<K>() < size_of::<K::Word>() } {
                with::<K, (), <K::Word as Word>::Alone>(how, keys, out, true, |_| (), &mut []);
            } else if let Some(out) = out {
                in_place(how, keys, out);
            }
        }
        Along::Words(values, to) => with::<K, u32, <K::Word as Word>::With32>(how, keys, out, false, |i| values[i], to),
        Along::Longs(values, to) => with::<K, u64, <K::Word as Word>::With64>(how, keys, out, false, |i| values[i], to),
        Along::Numbers(to) => {
            if out.is_some() || !tags::sort(how, keys, to) {
                // Numbers are in order, so that keys and numbers together are sorted as keys are.
                with::<K, u32, <K::Word as Word>::With32>(how, keys, out, true, |i| i as u32, to);
            }
        }
    }
}

/// Keys alone that are as long as what stands for them: they are sorted where they go.
fn in_place<K: Key>(how: How, keys: &[K], out: &mut [K]) {
    let flip = K::Word::ones(if how.descending { K::BITS } else { 0 });
    let level = Level::current();
    let finish = |_: usize, records: &mut [tally::Record<K>]| level.run(tally::Restored::<K> { flip, records });
    // Keys that are alone and equal are the same, so that their order does not matter.
    let bits = Bits { low: 0, high: K::BITS, whole: true };
    let make = tally::make(keys, how.descending);
    spread::sort(keys.len(), bits, how.in_parallel, &make, Some(bytemuck::cast_slice_mut(out)), &finish);
}

fn with<K: Key, P: Copy + Send + Sync, R: Joins<K::Word, P>>(
    how: How,
    keys: &[K],
    out: Option<&mut [K]>,
    whole: bool,
    payload: impl Fn(usize) -> P + Sync,
    along: &mut [P],
) {
    let flip = K::Word::ones(if how.descending { K::BITS } else { 0 });
    let make = |range: Range<usize>, records: &mut [R]| {
        for ((record, &key), i) in records.iter_mut().zip(&keys[range.clone()]).zip(range) {
            *record = R::join(key.ordered() ^ flip, payload(i));
        }
    };
    let (out, along) = (out.map(Places::new), (!along.is_empty()).then(|| Places::new(along)));
    let take = |first: usize, records: &mut [R]| {
        let range = first..first + records.len();
        if let Some(out) = out {
            // SAFETY: every range of places is handed over once.
            for (key, record) in unsafe { out.part(range.clone()) }.iter_mut().zip(&*records) {
                *key = K::restored(record.split().0 ^ flip);
            }
        }
        if let Some(along) = along {
            // SAFETY: as above.
            for (payload, record) in unsafe { along.part(range) }.iter_mut().zip(&*records) {
                *payload = record.split().1;
            }
        }
    };
    let bits = Bits { low: R::LOW, high: R::LOW + K::BITS, whole };
    spread::sort(keys.len(), bits, how.in_parallel, &make, None, &take);
}
