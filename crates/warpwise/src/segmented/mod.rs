//! Segments of a vector, each by itself: [`reduce`] combines every one, and [`sort`](sort()) sorts it.
//!
//! Offsets say where segments begin and end: segment `s` has the elements from `offsets[s]` up to `offsets[s + 1]`, so
//! that there is one offset more than there are segments. They ascend; elements before the first and after the last
//! belong to no segment. An empty segment gives the identity of the operator.

pub(crate) mod conformance;
mod cpu;
mod gpu;
#[cfg(test)]
mod tests;

use crate::scan::Scannable;
use crate::sort::{Key, Value};
use crate::{Buffer, Device, Error, Input, Operator};

/// The elements of every segment combined. Integers wrap.
///
/// # Errors
///
/// [`Error::Offsets`] when offsets in host memory do not ascend, or reach past the end ([a GPU](reduce_buffer) takes
/// those of a buffer as they are), [`Error::OtherDevice`] for a buffer of another device.
///
/// ```
/// use warpwise::{Device, Operator, segmented};
///
/// let xs = [3, 1, 4, 1, 5, 9];
/// assert_eq!(segmented::reduce(&Device::best(), Operator::Sum, &xs, &[0, 2, 2, 6])?, [4, 0, 19]);
/// assert_eq!(segmented::reduce(&Device::emulator(), Operator::Max, &xs, &[1, 3, 5])?, [4, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn reduce<T: Scannable>(
    device: &Device,
    operator: Operator,
    xs: &(impl Input<T> + ?Sized),
    offsets: &(impl Input<u64> + ?Sized),
) -> Result<Vec<T>, Error> {
    reduce_buffer(device, operator, xs, offsets)?.into_vec()
}

/// Like [`reduce`], but the result stays on the device. Offsets in a buffer of a GPU are not looked at before: one that is
/// too large is taken for the end, and a segment that ends before it begins is empty.
///
/// ```
/// use warpwise::{Buffer, Device, Operator, reduce, segmented};
///
/// let device = Device::emulator();
/// let offsets = Buffer::from_slice(&device, &[0, 2, 6])?;
/// let sums = segmented::reduce_buffer(&device, Operator::Sum, &[3, 1, 4, 1, 5, 9], &offsets)?;
/// assert_eq!(reduce::max(&device, &sums)?, 19);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn reduce_buffer<T: Scannable>(
    device: &Device,
    operator: Operator,
    xs: &(impl Input<T> + ?Sized),
    offsets: &(impl Input<u64> + ?Sized),
) -> Result<Buffer<T>, Error> {
    let (xs, offsets): (&dyn Input<T>, &dyn Input<u64>) = (&xs, &offsets);
    xs.check(device)?;
    offsets.check(device)?;
    match device.session() {
        None => {
            let offsets = offsets.for_cpu()?;
            check(&offsets, xs.length())?;
            Ok(Buffer::from_vec(cpu::reduce(operator, &xs.for_cpu()?, &offsets)))
        }
        Some(session) => {
            if offsets.as_view().is_none() {
                check(&offsets.on_host()?, xs.length())?;
            }
            gpu::reduce(device, session, operator, xs, offsets)
        }
    }
}

/// The elements with every segment sorted: stable, in the order of [`sort::sort`](crate::sort::sort()). Elements of no
/// segment stay where they are.
///
/// # Errors
///
/// [`Error::Offsets`] when offsets do not ascend, or reach past the end, [`Error::OtherDevice`] for a buffer of another
/// device.
///
/// ```
/// use warpwise::{Device, segmented};
///
/// assert_eq!(segmented::sort(&Device::best(), &[3, 1, 4, 1, 5, 9, 2], &[0, 2, 6])?, [1, 3, 1, 4, 5, 9, 2]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn sort<K: Key + Value>(
    device: &Device,
    xs: &(impl Input<K> + ?Sized),
    offsets: &(impl Input<u64> + ?Sized),
) -> Result<Vec<K>, Error> {
    let (xs, offsets): (&dyn Input<K>, &dyn Input<u64>) = (&xs, &offsets);
    xs.check(device)?;
    offsets.check(device)?;
    let places = offsets.on_host()?;
    check(&places, xs.length())?;
    if device.is_cpu() {
        return cpu::sort(&xs.for_cpu()?, &places);
    }
    gpu::sort(device, xs, &places)
}

/// Refuses offsets that do not ascend, or reach past the end.
fn check(offsets: &[u64], n: usize) -> Result<(), Error> {
    let wrong = |at: usize| Err(Error::Offsets { at, offset: offsets[at], n });
    if let Some(at) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
        return wrong(at + 1);
    }
    match offsets.last() {
        Some(&last) if last > n as u64 => wrong(offsets.len() - 1),
        _ => Ok(()),
    }
}
