//! Runs of equal elements, and the different elements of a vector.
//!
//! Elements are equal as numbers are: zeros of both signs are equal. All NaNs are equal too, as in NumPy. A run is
//! given by its first element.

pub(crate) mod conformance;
pub mod cpu;
mod gpu;
#[cfg(test)]
mod tests;

use crate::sort::{self, Key};
use crate::{Buffer, Device, Error, Input};

/// The different elements, in the order of [`sort`].
///
/// ```
/// use warpwise::{Device, unique};
///
/// assert_eq!(unique::unique(&Device::best(), &[3, 1, 3, 2, 1])?, [1, 2, 3]);
/// assert_eq!(unique::unique(&Device::emulator(), &[0.5, -0.5, 0.5])?, [-0.5, 0.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn unique<K: Key>(device: &Device, xs: &(impl Input<K> + ?Sized)) -> Result<Vec<K>, Error> {
    if device.is_cpu() {
        let mut sorted = sort::sort(device, xs)?;
        cpu::keep_first(&mut sorted);
        return Ok(sorted);
    }
    unique_buffer(device, xs)?.into_vec()
}

/// Like [`unique`], but the result stays on the device.
///
/// ```
/// use warpwise::{Device, reduce, unique};
///
/// let device = Device::emulator();
/// assert_eq!(reduce::max(&device, &unique::unique_buffer(&device, &[3, 1, 3, 2, 1])?)?, 3);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn unique_buffer<K: Key>(device: &Device, xs: &(impl Input<K> + ?Sized)) -> Result<Buffer<K>, Error> {
    if device.is_cpu() {
        return Ok(Buffer::from_vec(unique(device, xs)?));
    }
    Ok(run_lengths_buffer(device, &sort::sort_buffer(device, xs)?)?.0)
}

/// The first element of each run of equal elements, and how long the runs are.
///
/// ```
/// use warpwise::{Device, unique};
///
/// let (elements, lengths) = unique::run_lengths(&Device::best(), &[7, 7, 7, 5, 7])?;
/// assert_eq!((elements, lengths), (vec![7, 5, 7], vec![3, 1, 1]));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_lengths<K: Key>(device: &Device, xs: &(impl Input<K> + ?Sized)) -> Result<(Vec<K>, Vec<u64>), Error> {
    let (elements, lengths) = run_lengths_buffer(device, xs)?;
    Ok((elements.into_vec()?, lengths.into_vec()?))
}

/// Like [`run_lengths`], but the results stay on the device.
///
/// ```
/// use warpwise::{Device, unique};
///
/// let (elements, lengths) = unique::run_lengths_buffer(&Device::emulator(), &[0.5, 0.5, -0.0, 0.0])?;
/// assert_eq!((elements.to_vec()?, lengths.to_vec()?), (vec![0.5, 0.0], vec![2, 2]));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_lengths_buffer<K: Key>(
    device: &Device,
    xs: &(impl Input<K> + ?Sized),
) -> Result<(Buffer<K>, Buffer<u64>), Error> {
    (&xs as &dyn Input<K>).check(device)?;
    match device.session() {
        None => {
            let (elements, lengths) = cpu::run_lengths(&(&xs as &dyn Input<K>).for_cpu()?);
            Ok((Buffer::from_vec(elements), Buffer::from_vec(lengths)))
        }
        Some(session) => gpu::run_lengths(device, session, &xs),
    }
}
