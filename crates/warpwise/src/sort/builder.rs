//! Sort with choices.

use super::order::{Key, Value};
use super::{Rung, run};
use crate::{Buffer, Device, Error, Geometry, Input, Output};

/// A sort, with its choices: ascending, by the device's best rung for the length, unless they say otherwise.
///
/// ```
/// use warpwise::Device;
/// use warpwise::sort::{Rung, Sort};
///
/// let sort = Sort::new().descending(true).variant(Rung::OneSweep);
/// assert_eq!(sort.run(&Device::emulator(), &[3, 1, 4, 1, 5])?, [5, 4, 3, 1, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sort {
    pub(super) descending: bool,
    pub(super) rung: Option<Rung>,
    pub(super) geometry: Geometry,
}

impl Sort {
    /// Ascending, the way that is best on the device.
    ///
    /// ```
    /// use warpwise::{Device, sort::Sort};
    ///
    /// assert_eq!(Sort::new().run(&Device::best(), &[0.5, -1.5, 0.0])?, [-1.5, 0.0, 0.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the highest key comes first. Equal keys stay in the order of the input either way.
    ///
    /// ```
    /// use warpwise::{Device, sort::Sort};
    ///
    /// let places = Sort::new().descending(true).argsort(&Device::best(), &[7_u8, 9, 7])?;
    /// assert_eq!(places, [1, 0, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn descending(self, descending: bool) -> Self {
        Self { descending, ..self }
    }

    /// The rung; with `None`, the best one.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::sort::{Rung, Sort};
    ///
    /// assert_eq!(Sort::new().variant(Rung::Bitonic).run(&Device::emulator(), &[3, 1, 2])?, [1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn variant(self, rung: impl Into<Option<Rung>>) -> Self {
        Self { rung: rung.into(), ..self }
    }

    /// Launch geometry of GPU rungs: the block of `gpu-1-bitonic`.
    ///
    /// ```
    /// use warpwise::sort::{Rung, Sort};
    /// use warpwise::{Device, Geometry};
    ///
    /// let sort = Sort::new().variant(Rung::Bitonic).geometry(Geometry { block: Some(64), ..Geometry::default() });
    /// assert_eq!(sort.run(&Device::emulator(), &[3, 1, 2])?, [1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn geometry(self, geometry: Geometry) -> Self {
        Self { geometry, ..self }
    }

    /// The keys in order.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownVariant`] for a rung of another kind of device, [`Error::OtherDevice`] for a buffer of another
    /// device, [`Error::Choice`] for more keys than `gpu-6-together` has room for.
    ///
    /// ```
    /// use warpwise::{Device, sort::Sort};
    ///
    /// assert_eq!(Sort::new().run(&Device::emulator(), &[3_u64, 1, 2])?, [1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<K: Key>(&self, device: &Device, keys: &(impl Input<K> + ?Sized)) -> Result<Vec<K>, Error> {
        let mut out = crate::memory::zeros(keys.length());
        self.run_into(device, keys, &mut out)?;
        Ok(out)
    }

    /// The keys in order, into existing memory: on the host or, with a buffer, on the device.
    ///
    /// # Errors
    ///
    /// As for [`run`](Sort::run), and [`Error::Length`] when the output and the keys differ in length.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, sort::Sort};
    ///
    /// let device = Device::emulator();
    /// let mut sorted = Buffer::uninit(&device, 3)?;
    /// Sort::new().run_into(&device, &[3, 1, 2], &mut sorted)?;
    /// assert_eq!(sorted.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into<K: Key>(
        &self,
        device: &Device,
        keys: &(impl Input<K> + ?Sized),
        mut out: &mut (impl Output<K> + ?Sized),
    ) -> Result<(), Error> {
        run::keys(device, self, &keys, &mut out)
    }

    /// The keys in order, in a new buffer, which stays on the device.
    ///
    /// ```
    /// use warpwise::{Device, reduce, sort::Sort};
    ///
    /// let device = Device::emulator();
    /// let sorted = Sort::new().run_buffer(&device, &[8, 1, 2, 3])?;
    /// assert_eq!(reduce::max(&device, &sorted.view(..2)?)?, 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer<K: Key>(&self, device: &Device, keys: &(impl Input<K> + ?Sized)) -> Result<Buffer<K>, Error> {
        let mut out = Buffer::uninit(device, keys.length())?;
        self.run_into(device, keys, &mut out)?;
        Ok(out)
    }

    /// The keys in order, and values that go along with them.
    ///
    /// # Errors
    ///
    /// As for [`run`](Sort::run), and [`Error::Length`] when there is not a value for each key.
    ///
    /// ```
    /// use warpwise::{Device, sort::Sort};
    ///
    /// let (ages, names) = Sort::new().run_pairs(&Device::best(), &[40_u8, 7], &[1.5, 2.5])?;
    /// assert_eq!((ages, names), (vec![7, 40], vec![2.5, 1.5]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_pairs<K: Key, V: Value>(
        &self,
        device: &Device,
        keys: &(impl Input<K> + ?Sized),
        values: &(impl Input<V> + ?Sized),
    ) -> Result<(Vec<K>, Vec<V>), Error> {
        let (mut out, mut along) = (crate::memory::zeros(keys.length()), crate::memory::zeros(keys.length()));
        self.run_pairs_into(device, keys, values, &mut out, &mut along)?;
        Ok((out, along))
    }

    /// Like [`run_pairs`](Sort::run_pairs), but into existing memory: on the host or on the device.
    ///
    /// # Errors
    ///
    /// As for [`run_pairs`](Sort::run_pairs), and [`Error::Length`] when an output differs in length.
    ///
    /// ```
    /// use warpwise::{Device, sort::Sort};
    ///
    /// let (mut keys, mut values) = ([0; 3], [0_u32; 3]);
    /// Sort::new().run_pairs_into(&Device::emulator(), &[3, 1, 2], &[30, 10, 20], &mut keys, &mut values)?;
    /// assert_eq!((keys, values), ([1, 2, 3], [10, 20, 30]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_pairs_into<K: Key, V: Value>(
        &self,
        device: &Device,
        keys: &(impl Input<K> + ?Sized),
        values: &(impl Input<V> + ?Sized),
        mut out: &mut (impl Output<K> + ?Sized),
        mut along: &mut (impl Output<V> + ?Sized),
    ) -> Result<(), Error> {
        run::pairs(device, self, &keys, &values, &mut out, &mut along)
    }

    /// Like [`run_pairs`](Sort::run_pairs), but the results stay on the device.
    ///
    /// ```
    /// use warpwise::{Device, sort::Sort};
    ///
    /// let (keys, values) = Sort::new().run_pairs_buffer(&Device::emulator(), &[2, 1], &[0.5, 1.5])?;
    /// assert_eq!((keys.to_vec()?, values.to_vec()?), (vec![1, 2], vec![1.5, 0.5]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_pairs_buffer<K: Key, V: Value>(
        &self,
        device: &Device,
        keys: &(impl Input<K> + ?Sized),
        values: &(impl Input<V> + ?Sized),
    ) -> Result<(Buffer<K>, Buffer<V>), Error> {
        let (mut out, mut along) = (Buffer::uninit(device, keys.length())?, Buffer::uninit(device, keys.length())?);
        self.run_pairs_into(device, keys, values, &mut out, &mut along)?;
        Ok((out, along))
    }

    /// Where the keys in order are in the input.
    ///
    /// # Errors
    ///
    /// As for [`run`](Sort::run), and [`Error::TooLarge`] for more keys than 32 bits number.
    ///
    /// ```
    /// use warpwise::{Device, sort::Sort};
    ///
    /// assert_eq!(Sort::new().argsort(&Device::emulator(), &[0.5, f32::NAN, -1.0])?, [2, 0, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn argsort<K: Key>(&self, device: &Device, keys: &(impl Input<K> + ?Sized)) -> Result<Vec<u32>, Error> {
        let mut out = crate::memory::zeros(keys.length());
        self.argsort_into(device, keys, &mut out)?;
        Ok(out)
    }

    /// Like [`argsort`](Sort::argsort), but into existing memory: on the host or on the device.
    ///
    /// # Errors
    ///
    /// As for [`argsort`](Sort::argsort), and [`Error::Length`] when the output and the keys differ in length.
    ///
    /// ```
    /// use warpwise::{Device, sort::Sort};
    ///
    /// let mut places = [0; 3];
    /// Sort::new().argsort_into(&Device::best(), &[30_i64, 10, 20], &mut places)?;
    /// assert_eq!(places, [1, 2, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn argsort_into<K: Key>(
        &self,
        device: &Device,
        keys: &(impl Input<K> + ?Sized),
        mut out: &mut (impl Output<u32> + ?Sized),
    ) -> Result<(), Error> {
        run::numbers(device, self, &keys, &mut out)
    }

    /// Like [`argsort`](Sort::argsort), but the result stays on the device.
    ///
    /// ```
    /// use warpwise::{Device, sort::Sort};
    ///
    /// assert_eq!(Sort::new().argsort_buffer(&Device::emulator(), &[2, 1])?.to_vec()?, [1, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn argsort_buffer<K: Key>(
        &self,
        device: &Device,
        keys: &(impl Input<K> + ?Sized),
    ) -> Result<Buffer<u32>, Error> {
        let mut out = Buffer::uninit(device, keys.length())?;
        self.argsort_into(device, keys, &mut out)?;
        Ok(out)
    }

    /// The name of the rung, if one was chosen.
    pub(super) fn name(&self) -> Option<&'static str> {
        self.rung.map(Rung::name)
    }
}
