//! Values of equal keys that follow each other, combined: [`ByKey`] reduces every run of equal keys to one value, or
//! scans it from its beginning.
//!
//! Keys are equal as in [`unique`](crate::unique): zeros of both signs are, and all NaNs. Keys that are equal but do not
//! follow each other are different runs; [`sort::pairs`](crate::sort::pairs) brings them together.

pub(crate) mod conformance;
mod cpu;
mod gpu;
#[cfg(test)]
mod tests;

pub(crate) use cpu::combined;
pub(crate) use gpu::kernel;

use crate::scan::{Kind, Scannable};
use crate::sort::Key;
use crate::{Buffer, Device, Error, Input, Operator};

/// Reduce and scan by key, with choices: sums, unless they say otherwise.
///
/// ```
/// use warpwise::by_key::ByKey;
/// use warpwise::{Device, Operator};
///
/// let (days, hours) = ([1, 1, 2, 2, 2], [7.5_f32, 1.0, 3.0, 4.5, 2.0]);
/// let longest = ByKey::new().operator(Operator::Max);
/// assert_eq!(longest.reduce(&Device::best(), &days, &hours)?, (vec![1, 2], vec![7.5, 4.5]));
/// assert_eq!(longest.scan(&Device::emulator(), &days, &hours)?, [7.5, 7.5, 3.0, 4.5, 4.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct ByKey {
    operator: Operator,
    kind: Kind,
}

impl Default for ByKey {
    fn default() -> Self {
        Self { operator: Operator::Sum, kind: Kind::Inclusive }
    }
}

impl ByKey {
    /// Sums; scans include every element in its own.
    ///
    /// ```
    /// use warpwise::{Device, by_key::ByKey};
    ///
    /// assert_eq!(ByKey::new().reduce(&Device::cpu(), &[7, 7, 5], &[1, 2, 3])?, (vec![7, 5], vec![3, 3]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// What values are combined with. Integers wrap.
    ///
    /// ```
    /// use warpwise::{Device, Operator, by_key::ByKey};
    ///
    /// let smallest = ByKey::new().operator(Operator::Min);
    /// assert_eq!(smallest.reduce(&Device::cpu(), &[7, 7, 5], &[1, 2, 3])?.1, [1, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn operator(self, operator: Operator) -> Self {
        Self { operator, ..self }
    }

    /// Whether a scan leaves every element out of its own prefix.
    ///
    /// ```
    /// use warpwise::{Device, by_key::ByKey, scan::Kind};
    ///
    /// let before = ByKey::new().kind(Kind::Exclusive);
    /// assert_eq!(before.scan(&Device::emulator(), &[7, 7, 5], &[1, 2, 3])?, [0, 1, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// The first key of every run of equal ones, and its values combined.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when there is not a value for each key, [`Error::OtherDevice`] for a buffer of another device.
    ///
    /// ```
    /// use warpwise::{Device, by_key::ByKey};
    ///
    /// let (keys, sums) = ByKey::new().reduce(&Device::emulator(), &[0.5, 0.5, -0.5], &[1_u64, 2, 3])?;
    /// assert_eq!((keys, sums), (vec![0.5, -0.5], vec![3, 3]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn reduce<K: Key, T: Scannable>(
        &self,
        device: &Device,
        keys: &(impl Input<K> + ?Sized),
        values: &(impl Input<T> + ?Sized),
    ) -> Result<(Vec<K>, Vec<T>), Error> {
        let (keys, values) = self.reduce_buffer(device, keys, values)?;
        Ok((keys.into_vec()?, values.into_vec()?))
    }

    /// Like [`reduce`](ByKey::reduce), but the results stay on the device.
    ///
    /// ```
    /// use warpwise::{Device, by_key::ByKey, reduce};
    ///
    /// let device = Device::emulator();
    /// let (_, sums) = ByKey::new().reduce_buffer(&device, &[7, 7, 5], &[1, 2, 4])?;
    /// assert_eq!(reduce::max(&device, &sums)?, 4);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn reduce_buffer<K: Key, T: Scannable>(
        &self,
        device: &Device,
        keys: &(impl Input<K> + ?Sized),
        values: &(impl Input<T> + ?Sized),
    ) -> Result<(Buffer<K>, Buffer<T>), Error> {
        let (keys, values): (&dyn Input<K>, &dyn Input<T>) = (&keys, &values);
        check(device, keys, values)?;
        match device.session() {
            None => {
                let (keys, values) = cpu::reduce(self.operator, &keys.for_cpu()?, &values.for_cpu()?);
                Ok((Buffer::from_vec(keys), Buffer::from_vec(values)))
            }
            Some(session) => gpu::reduce(device, session, self.operator, keys, values),
        }
    }

    /// The values up to each one combined, from the beginning of its run on.
    ///
    /// # Errors
    ///
    /// As for [`reduce`](ByKey::reduce).
    ///
    /// ```
    /// use warpwise::{Device, by_key::ByKey};
    ///
    /// assert_eq!(ByKey::new().scan(&Device::best(), &[7, 7, 5, 5], &[1, 2, 3, 4])?, [1, 3, 3, 7]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn scan<K: Key, T: Scannable>(
        &self,
        device: &Device,
        keys: &(impl Input<K> + ?Sized),
        values: &(impl Input<T> + ?Sized),
    ) -> Result<Vec<T>, Error> {
        self.scan_buffer(device, keys, values)?.into_vec()
    }

    /// Like [`scan`](ByKey::scan), but the result stays on the device.
    ///
    /// ```
    /// use warpwise::{Device, by_key::ByKey};
    ///
    /// let sums = ByKey::new().scan_buffer(&Device::emulator(), &[7, 7, 5], &[1, 2, 4])?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn scan_buffer<K: Key, T: Scannable>(
        &self,
        device: &Device,
        keys: &(impl Input<K> + ?Sized),
        values: &(impl Input<T> + ?Sized),
    ) -> Result<Buffer<T>, Error> {
        let (keys, values): (&dyn Input<K>, &dyn Input<T>) = (&keys, &values);
        check(device, keys, values)?;
        match device.session() {
            None => {
                let scanned = cpu::scan(self.operator, self.kind, &keys.for_cpu()?, &values.for_cpu()?);
                Ok(Buffer::from_vec(scanned))
            }
            Some(session) => gpu::scan(device, session, (self.operator, self.kind), keys, values),
        }
    }
}

fn check<K: Key, T: Scannable>(device: &Device, keys: &dyn Input<K>, values: &dyn Input<T>) -> Result<(), Error> {
    Error::check_length("the values", values.length(), keys.length())?;
    keys.check(device)?;
    values.check(device)
}

/// The first key of every run of equal ones, and the sum of its values. Integers wrap.
///
/// ```
/// use warpwise::{Device, by_key};
///
/// let (keys, sums) = by_key::sum(&Device::best(), &[7, 7, 7, 5, 7], &[1.0, 2.0, 3.0, 4.0, 5.0])?;
/// assert_eq!((keys, sums), (vec![7, 5, 7], vec![6.0, 4.0, 5.0]));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn sum<K: Key, T: Scannable>(
    device: &Device,
    keys: &(impl Input<K> + ?Sized),
    values: &(impl Input<T> + ?Sized),
) -> Result<(Vec<K>, Vec<T>), Error> {
    ByKey::new().reduce(device, keys, values)
}
