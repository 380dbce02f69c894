//! Sort the way that is best on the device.

use super::Sort;
use super::order::{Key, Value};
use crate::{Buffer, Device, Error, Input, Output};

/// The keys in ascending order.
///
/// ```
/// use warpwise::{Device, sort};
///
/// assert_eq!(sort::sort(&Device::best(), &[3, 1, 4, 1, 5])?, [1, 1, 3, 4, 5]);
/// assert_eq!(sort::sort(&Device::emulator(), &[0.5_f32, f32::NEG_INFINITY, -0.5])?[1], -0.5);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn sort<K: Key>(device: &Device, keys: &(impl Input<K> + ?Sized)) -> Result<Vec<K>, Error> {
    Sort::new().run(device, keys)
}

/// Like [`sort`], but into existing memory: on the host or, with a buffer, on the device.
///
/// # Errors
///
/// [`Error::Length`] when the output and the keys differ in length.
///
/// ```
/// use warpwise::{Device, sort};
///
/// let mut sorted = [0; 3];
/// sort::sort_into(&Device::best(), &[3, 1, 2], &mut sorted)?;
/// assert_eq!(sorted, [1, 2, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn sort_into<K: Key>(
    device: &Device,
    keys: &(impl Input<K> + ?Sized),
    out: &mut (impl Output<K> + ?Sized),
) -> Result<(), Error> {
    Sort::new().run_into(device, keys, out)
}

/// Like [`sort`], but the result stays on the device.
///
/// ```
/// use warpwise::{Device, sort};
///
/// assert_eq!(sort::sort_buffer(&Device::emulator(), &[3_u8, 1, 2])?.to_vec()?, [1, 2, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn sort_buffer<K: Key>(device: &Device, keys: &(impl Input<K> + ?Sized)) -> Result<Buffer<K>, Error> {
    Sort::new().run_buffer(device, keys)
}

/// The keys in ascending order, and values that go along with them. Values of equal keys stay in the order of the input.
///
/// # Errors
///
/// [`Error::Length`] when there is not a value for each key.
///
/// ```
/// use warpwise::{Device, sort};
///
/// let (keys, values) = sort::pairs(&Device::emulator(), &[2, 1, 2], &[0.5, 1.5, 2.5])?;
/// assert_eq!((keys, values), (vec![1, 2, 2], vec![1.5, 0.5, 2.5]));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn pairs<K: Key, V: Value>(
    device: &Device,
    keys: &(impl Input<K> + ?Sized),
    values: &(impl Input<V> + ?Sized),
) -> Result<(Vec<K>, Vec<V>), Error> {
    Sort::new().run_pairs(device, keys, values)
}

/// Like [`pairs`], but into existing memory: on the host or on the device.
///
/// # Errors
///
/// As for [`pairs`], and [`Error::Length`] when an output differs in length.
///
/// ```
/// use warpwise::{Device, sort};
///
/// let (mut keys, mut values) = ([0_u16; 2], [0_i64; 2]);
/// sort::pairs_into(&Device::best(), &[2, 1], &[20, 10], &mut keys, &mut values)?;
/// assert_eq!((keys, values), ([1, 2], [10, 20]));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn pairs_into<K: Key, V: Value>(
    device: &Device,
    keys: &(impl Input<K> + ?Sized),
    values: &(impl Input<V> + ?Sized),
    out: &mut (impl Output<K> + ?Sized),
    along: &mut (impl Output<V> + ?Sized),
) -> Result<(), Error> {
    Sort::new().run_pairs_into(device, keys, values, out, along)
}

/// Where the keys in ascending order are in the input; equal keys in the order of the input.
///
/// # Errors
///
/// [`Error::TooLarge`] for more keys than 32 bits number: sort pairs with numbers of 64 bits instead.
///
/// ```
/// use warpwise::{Device, sort};
///
/// assert_eq!(sort::argsort(&Device::best(), &[30, 10, 20, 10])?, [1, 3, 2, 0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn argsort<K: Key>(device: &Device, keys: &(impl Input<K> + ?Sized)) -> Result<Vec<u32>, Error> {
    Sort::new().argsort(device, keys)
}

/// Like [`argsort`], but into existing memory: on the host or on the device.
///
/// # Errors
///
/// As for [`argsort`], and [`Error::Length`] when the output and the keys differ in length.
///
/// ```
/// use warpwise::{Device, sort};
///
/// let mut places = [0; 2];
/// sort::argsort_into(&Device::emulator(), &[0.5, -0.5], &mut places)?;
/// assert_eq!(places, [1, 0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn argsort_into<K: Key>(
    device: &Device,
    keys: &(impl Input<K> + ?Sized),
    out: &mut (impl Output<u32> + ?Sized),
) -> Result<(), Error> {
    Sort::new().argsort_into(device, keys, out)
}
