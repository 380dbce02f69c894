//! Part of a buffer.

use std::borrow::Cow;

use super::buffer::Memory;
use super::{Argument, Buffer, DevicePtr, Input, Session};
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

    /// The elements on the host: borrowed if they are there, else copied.
    pub(crate) fn to_host(self) -> Result<Cow<'a, [T]>, Error> {
        match self.buffer.memory() {
            Memory::Host(values) => Ok(Cow::Borrowed(&values[self.first..][..self.len])),
            Memory::Device(allocation) => {
                allocation.check()?;
                let from = DevicePtr(allocation.ptr().0 + self.bytes_before());
                Ok(Cow::Owned(allocation.session().download_vec(from, self.len)?))
            }
        }
    }

    /// The first element as an argument of a kernel, if the elements are on that session's device.
    pub(super) fn argument(&self, session: &Session) -> Result<Option<Argument>, Error> {
        match self.buffer.memory() {
            Memory::Device(allocation) if allocation.session().same(session) => {
                allocation.check()?;
                Ok(Some(allocation.argument().plus(self.bytes_before())))
            }
            _ => Ok(None),
        }
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
    fn a_view_of_another_device_is_copied_there() {
        let view_of = on(&Device::emulator());
        assert_eq!(crate::reduce::sum(&Device::cpu(), &view_of.view(2..).unwrap()).unwrap(), 25);
        assert_eq!(crate::reduce::sum(&Device::emulator(), &on(&Device::cpu()).view(2..).unwrap()).unwrap(), 25);
    }
}
