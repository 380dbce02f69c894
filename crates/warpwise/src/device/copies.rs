//! Copies of buffers: to and from the host, and from device to device.

use super::{Buffer, Device, Input, View, ViewMut};
use crate::{Element, Error};

impl<T: Element> Buffer<T> {
    fn all(&self) -> View<'_, T> {
        View::new(self, 0, self.len())
    }

    fn all_mut(&mut self) -> ViewMut<'_, T> {
        let len = self.len();
        ViewMut::new(self, 0, len)
    }

    /// Copies a slice to the elements, which keep their place on the device.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the slice has another length.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, reduce};
    ///
    /// let device = Device::best();
    /// let mut xs = Buffer::uninit(&device, 3)?;
    /// for day in [[1, 2, 3], [4, 5, 6]] {
    ///     xs.upload_from(&day)?;
    ///     assert_eq!(reduce::max(&device, &xs)?, day[2]);
    /// }
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn upload_from(&mut self, values: &[T]) -> Result<(), Error> {
        self.all_mut().upload_from(values)
    }

    /// Copies the elements into a slice.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the slice has another length.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// let mut pair = [0; 2];
    /// Buffer::from_slice(&Device::emulator(), &[4, 2])?.download_into(&mut pair)?;
    /// assert_eq!(pair, [4, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn download_into(&self, out: &mut [T]) -> Result<(), Error> {
        self.all().download_into(out)
    }

    /// Copies elements that are on the same device, or in host memory, to these, which keep their place.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the lengths differ, [`Error::OtherDevice`] for a buffer of another device.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// let device = Device::emulator();
    /// let (from, mut to) = (Buffer::from_slice(&device, &[1, 2])?, Buffer::zeros(&device, 2)?);
    /// to.copy_from(&from)?;
    /// assert_eq!(to.to_vec()?, [1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn copy_from(&mut self, from: &(impl Input<T> + ?Sized)) -> Result<(), Error> {
        self.all_mut().copy_from(from)
    }

    /// A copy on another device, or on the same one.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, reduce};
    ///
    /// let (cpu, gpu) = (Device::cpu(), Device::emulator());
    /// let xs = Buffer::from_slice(&cpu, &[3, 1, 2])?;
    /// assert!(reduce::max(&gpu, &xs).is_err());
    /// assert_eq!(reduce::max(&gpu, &xs.to(&gpu)?)?, 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn to(&self, device: &Device) -> Result<Self, Error> {
        self.all().to(device)
    }
}

impl<T: Element> View<'_, T> {
    /// Copies the elements into a slice.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the slice has another length.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// let mut pair = [0; 2];
    /// Buffer::from_slice(&Device::emulator(), &[9, 4, 2])?.view(1..)?.download_into(&mut pair)?;
    /// assert_eq!(pair, [4, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn download_into(&self, out: &mut [T]) -> Result<(), Error> {
        Error::check_length("the output", out.len(), self.length())?;
        match self.to_read()? {
            Some((session, from)) => session.download(from, out),
            None => {
                crate::memory::copy_into(&self.to_host()?, out);
                Ok(())
            }
        }
    }

    /// A copy on a device.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// let xs = Buffer::from_slice(&Device::emulator(), &[1, 2, 3])?;
    /// assert_eq!(xs.view(1..)?.to(&Device::cpu())?.to_vec()?, [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn to(&self, device: &Device) -> Result<Buffer<T>, Error> {
        if self.device() != device {
            return Buffer::from_slice(device, &self.to_host()?);
        }
        let mut copy = Buffer::uninit(device, self.length())?;
        copy.copy_from(self)?;
        Ok(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_keep_their_place_while_they_are_written() {
        for device in [Device::cpu(), Device::emulator()] {
            let mut xs = Buffer::zeros(&device, 4).unwrap();
            assert_eq!(xs.to_vec().unwrap(), [0; 4]);
            xs.upload_from(&[1, 2, 3, 4]).unwrap();
            let copy = xs.to(&device).unwrap();
            xs.view_mut(1..3).unwrap().upload_from(&[8, 9]).unwrap();
            xs.view_mut(3..).unwrap().copy_from(&copy.view(..1).unwrap()).unwrap();
            assert_eq!((xs.to_vec().unwrap(), copy.to_vec().unwrap()), (vec![1, 8, 9, 1], vec![1, 2, 3, 4]));
            assert!(matches!(xs.upload_from(&[1]), Err(Error::Length { expected: 4, found: 1, .. })));
            assert!(matches!(xs.copy_from(&copy.view(1..).unwrap()), Err(Error::Length { .. })));
            assert!(matches!(xs.download_into(&mut [0; 5]), Err(Error::Length { .. })));
            assert!(matches!(xs.view_mut(2..5), Err(Error::View { .. })));
            assert!(Buffer::<f32>::uninit(&device, 0).unwrap().to_vec().unwrap().is_empty());
        }
    }

    #[test]
    fn what_a_device_cannot_hold_is_refused() {
        for device in [Device::cpu(), Device::emulator()] {
            for make in [Buffer::<f64>::zeros, Buffer::<f64>::uninit] {
                assert!(matches!(make(&device, usize::MAX), Err(Error::TooLarge { .. })));
                assert!(matches!(make(&device, usize::MAX / 16), Err(Error::OutOfMemory { .. })));
            }
        }
    }

    #[test]
    fn copies_go_from_device_to_device() {
        let (cpu, one, two) = (Device::cpu(), Device::emulator(), Device::emulator());
        let xs = Buffer::from_slice(&cpu, &[1.5_f32, 2.5]).unwrap();
        let there = xs.to(&one).unwrap().to(&two).unwrap();
        assert_eq!((there.device(), there.to_vec().unwrap()), (&two, vec![1.5, 2.5]));
        let mut other = Buffer::zeros(&one, 2).unwrap();
        assert!(matches!(other.copy_from(&there), Err(Error::OtherDevice { .. })));
    }

    #[test]
    fn what_was_never_written_is_seen_by_the_init_check() {
        let device = Device::emulator_watching("h200", crate::trace::Watch::ALL).unwrap();
        let findings = |buffer: Buffer<i32>| {
            device.start_trace();
            crate::reduce::max(&device, &buffer).unwrap();
            device.take_trace().unwrap().launches.iter().map(|launch| launch.findings.len()).sum::<usize>()
        };
        assert_eq!(findings(Buffer::zeros(&device, 1000).unwrap()), 0);
        assert!(findings(Buffer::uninit(&device, 1000).unwrap()) > 0);
    }
}
