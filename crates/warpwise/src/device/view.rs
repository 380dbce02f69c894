//! Part of a buffer.

use std::borrow::Cow;

use super::buffer::Memory;
use super::{Allocation, Argument, Buffer, Device, DevicePtr, Input, Session};
use crate::{Element, Error};

/// A range of a buffer's elements, without a copy: made by [`Buffer::view`].
///
/// ```
/// use warpwise::{Buffer, Device, scan};
///
/// let device = Device::best();
/// let xs = Buffer::from_slice(&device, &[9, 1, 2, 3, 9])?;
/// assert_eq!(scan::inclusive(&device, &xs.view(1..4)?)?, [1, 3, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T: Element> {
    buffer: &'a Buffer<T>,
    first: usize,
    len: usize,
}

impl<'a, T: Element> View<'a, T> {
    pub(super) fn new(buffer: &'a Buffer<T>, first: usize, len: usize) -> Self {
        Self { buffer, first, len }
    }

    fn bytes_before(&self) -> u64 {
        (self.first * size_of::<T>()) as u64
    }

    /// The device that the elements are on.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// assert!(Buffer::from_slice(&Device::cpu(), &[1, 2])?.view(1..)?.device().is_cpu());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &'a Device {
        self.buffer.device()
    }

    /// The memory and the address of the first element, if it is on a GPU.
    pub(super) fn place(&self) -> Option<(&'a Allocation, DevicePtr)> {
        match self.buffer.memory() {
            Memory::Host(_) => None,
            Memory::Device(allocation) => Some((allocation, DevicePtr(allocation.ptr().0 + self.bytes_before()))),
        }
    }

    /// The address of the first element, if it is on a GPU, and a session that may read there now.
    pub(super) fn to_read(&self) -> Result<Option<(&'a Session, DevicePtr)>, Error> {
        let Some((allocation, at)) = self.place() else { return Ok(None) };
        allocation.before_read(allocation.session())?;
        Ok(Some((allocation.session(), at)))
    }

    /// The elements on the host: borrowed if they are there, else copied.
    pub(crate) fn to_host(self) -> Result<Cow<'a, [T]>, Error> {
        match (self.buffer.memory(), self.to_read()?) {
            (_, Some((session, from))) => Ok(Cow::Owned(session.download_vec(from, self.len)?)),
            (Memory::Host(values), None) => Ok(Cow::Borrowed(&values[self.first..][..self.len])),
            (Memory::Device(_), None) => Err(Error::Lost),
        }
    }

    /// The elements, if they are in host memory.
    pub(crate) fn in_host_memory(&self) -> Option<&'a [T]> {
        match self.buffer.memory() {
            Memory::Host(values) => Some(&values[self.first..][..self.len]),
            Memory::Device(_) => None,
        }
    }

    /// The first element as an argument of a kernel that the session launches next, if the elements are on its device.
    pub(super) fn argument(&self, session: &Session) -> Result<Option<Argument>, Error> {
        let Some((allocation, at)) = self.place().filter(|(own, _)| own.session().same(session)) else {
            return Ok(None);
        };
        allocation.before_read(session)?;
        Ok(Some(Argument::Pointer(at)))
    }
}

impl<T: Element> Input<T> for View<'_, T> {
    fn length(&self) -> usize {
        self.len
    }

    fn on_host(&self) -> Result<Cow<'_, [T]>, Error> {
        self.to_host()
    }

    fn as_view(&self) -> Option<View<'_, T>> {
        Some(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    fn on(device: &Device) -> Buffer<i32> {
        Buffer::from_slice(device, &[10, 11, 12, 13]).unwrap()
    }

    #[test]
    fn a_view_has_the_elements_of_its_range() {
        for device in [Device::cpu(), Device::emulator()] {
            let buffer = on(&device);
            assert_eq!(*buffer.view(..).unwrap().on_host().unwrap(), [10, 11, 12, 13]);
            assert_eq!(*buffer.view(1..3).unwrap().on_host().unwrap(), [11, 12]);
            assert_eq!(*buffer.view(..=2).unwrap().on_host().unwrap(), [10, 11, 12]);
            assert!(buffer.view(4..).unwrap().on_host().unwrap().is_empty());
        }
    }

    #[test]
    fn a_range_outside_is_refused() {
        let buffer = on(&Device::cpu());
        #[expect(clippy::reversed_empty_ranges, reason = "it must be refused")]
        let wrong = [buffer.view(2..5), buffer.view(5..), buffer.view(3..2), buffer.view(..=usize::MAX)];
        for view in wrong {
            assert!(view.unwrap_err().to_string().contains("4 elements"));
        }
    }

    #[test]
    fn a_view_of_another_device_is_refused() {
        let there = on(&Device::emulator());
        let error = crate::reduce::sum(&Device::cpu(), &there.view(2..).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "the buffer is on the emulator, not on the cpu: copy it with to(&device)");
        let here = on(&Device::cpu());
        let error = crate::reduce::sum(there.device(), &here.view(2..).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "the buffer is on the cpu, not on the emulator: copy it with to(&device)");
        let error = crate::reduce::sum(&Device::emulator(), &there).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the buffer is on another emulator, not on the emulator: copy it with to(&device)"
        );
        assert_eq!(
            crate::reduce::sum(there.device(), &here.to(there.device()).unwrap().view(2..).unwrap()).unwrap(),
            25
        );
    }
}
