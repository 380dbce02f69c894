//! Part of a buffer, to be written.

use super::buffer::Memory;
use super::{Buffer, Device, DevicePtr, Input, Output, Session, Target, View};
use crate::{Element, Error};

/// A range of a buffer's elements that can be written, without a copy: made by [`Buffer::view_mut`].
///
/// ```
/// use warpwise::{Buffer, Device, scan};
///
/// let device = Device::best();
/// let mut sums = Buffer::zeros(&device, 4)?;
/// scan::inclusive_into(&device, &[1, 2], &mut sums.view_mut(..2)?)?;
/// scan::inclusive_into(&device, &[3, 4], &mut sums.view_mut(2..)?)?;
/// assert_eq!(sums.to_vec()?, [1, 3, 3, 7]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct ViewMut<'a, T: Element> {
    buffer: &'a mut Buffer<T>,
    first: usize,
    len: usize,
}

impl<'a, T: Element> ViewMut<'a, T> {
    pub(super) fn new(buffer: &'a mut Buffer<T>, first: usize, len: usize) -> Self {
        Self { buffer, first, len }
    }

    /// The same elements, to be read.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, reduce};
    ///
    /// let device = Device::best();
    /// let mut xs = Buffer::from_slice(&device, &[1, 2, 3])?;
    /// assert_eq!(reduce::max(&device, &xs.view_mut(..2)?.as_view())?, 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn as_view(&self) -> View<'_, T> {
        View::new(self.buffer, self.first, self.len)
    }

    /// The device that the elements are on.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// assert!(Buffer::<u8>::zeros(&Device::cpu(), 9)?.view_mut(1..)?.device().is_cpu());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        self.buffer.device()
    }

    /// Copies a slice to these elements.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the slice has another length.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// let mut xs = Buffer::zeros(&Device::best(), 4)?;
    /// xs.view_mut(1..3)?.upload_from(&[7, 8])?;
    /// assert_eq!(xs.to_vec()?, [0, 7, 8, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn upload_from(&mut self, values: &[T]) -> Result<(), Error> {
        Error::check_length("the slice", values.len(), self.len)?;
        if let Some((memory, to)) = self.as_view().place() {
            memory.before_write(memory.session())?;
            return memory.session().upload(to, values);
        }
        self.slice()?.copy_from_slice(values);
        Ok(())
    }

    /// Copies elements that are on the same device, or in host memory, to these.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the lengths differ, [`Error::OtherDevice`] for a buffer of another device.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// let device = Device::best();
    /// let (from, mut to) = (Buffer::from_slice(&device, &[1, 2, 3])?, Buffer::zeros(&device, 2)?);
    /// to.view_mut(..)?.copy_from(&from.view(1..)?)?;
    /// assert_eq!(to.to_vec()?, [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn copy_from(&mut self, from: &(impl Input<T> + ?Sized)) -> Result<(), Error> {
        let Some(view) = from.as_view() else { return self.upload_from(&from.on_host()?) };
        Error::check_length("the input", from.length(), self.len)?;
        view.device().check_same(self.device())?;
        if let (Some((to, to_at)), Some((from, from_at))) = (self.as_view().place(), view.place()) {
            from.before_read(to.session())?;
            to.before_write(to.session())?;
            return to.session().copy(from_at, to_at, size_of::<T>() as u64 * self.len as u64);
        }
        let from = view.to_host()?;
        self.slice()?.copy_from_slice(&from);
        Ok(())
    }

    /// The address of the first element on that session's device, which writes there next.
    pub(crate) fn landing(&self, session: &Session) -> Result<DevicePtr, Error> {
        let here = self.as_view().place().filter(|(own, _)| own.session().same(session));
        let (memory, at) = here.ok_or_else(|| Error::other_device(self.device(), session.name()))?;
        memory.before_write(session)?;
        Ok(at)
    }

    /// The elements, if they are in host memory.
    pub(crate) fn in_host_memory(&mut self) -> Option<&mut [T]> {
        match self.buffer.memory_mut() {
            Memory::Host(values) => Some(&mut values[self.first..][..self.len]),
            Memory::Device(_) => None,
        }
    }

    fn slice(&mut self) -> Result<&mut [T], Error> {
        match self.buffer.memory_mut() {
            Memory::Host(values) => Ok(&mut values[self.first..][..self.len]),
            Memory::Device(_) => Err(Error::Lost),
        }
    }

    /// The elements, if they are in host memory.
    pub(super) fn into_slice(self) -> Result<&'a mut [T], Error> {
        match self.buffer.memory_mut() {
            Memory::Host(values) => Ok(&mut values[self.first..][..self.len]),
            Memory::Device(_) => Err(Error::Lost),
        }
    }
}

impl<T: Element> Output<T> for ViewMut<'_, T> {
    fn room(&self) -> usize {
        self.len
    }

    fn as_target(&mut self) -> Target<'_, T> {
        Target::Buffer(ViewMut { buffer: self.buffer, first: self.first, len: self.len })
    }
}
