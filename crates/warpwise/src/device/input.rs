//! What primitives take as input: slices and buffers alike.

use std::borrow::Cow;

use super::Buffer;
use super::session::{Allocation, Argument, Session};
use crate::{Element, Error};

/// Input of a primitive: a slice, a vector, an array, or a [`Buffer`] that is on the device already.
///
/// ```
/// use warpwise::{Buffer, Device, Input};
///
/// fn count<T: warpwise::Element>(xs: &(impl Input<T> + ?Sized)) -> usize {
///     xs.length()
/// }
/// assert_eq!(count(&[1, 2, 3]), 3);
/// assert_eq!(count(&Buffer::from_slice(&Device::cpu(), &[1.0, 2.0])?), 2);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Input<T: Element> {
    /// Number of elements.
    ///
    /// ```
    /// use warpwise::Input;
    ///
    /// assert_eq!(vec![1, 2, 3].length(), 3);
    /// ```
    fn length(&self) -> usize;

    /// The elements in the host's memory.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, Input};
    ///
    /// let xs = Buffer::from_slice(&Device::best(), &[1, 2, 3])?;
    /// assert_eq!(*xs.on_host()?, [1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    fn on_host(&self) -> Result<Cow<'_, [T]>, Error>;

    /// The buffer, if it is one.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, Input};
    ///
    /// assert!(Buffer::from_slice(&Device::best(), &[1, 2])?.as_buffer().is_some());
    /// assert!([1, 2].as_buffer().is_none());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    fn as_buffer(&self) -> Option<&Buffer<T>> {
        None
    }
}

impl<T: Element> Input<T> for [T] {
    fn length(&self) -> usize {
        self.len()
    }

    fn on_host(&self) -> Result<Cow<'_, [T]>, Error> {
        Ok(Cow::Borrowed(self))
    }
}

impl<T: Element> Input<T> for Vec<T> {
    fn length(&self) -> usize {
        self.len()
    }

    fn on_host(&self) -> Result<Cow<'_, [T]>, Error> {
        Ok(Cow::Borrowed(self))
    }
}

impl<T: Element, const N: usize> Input<T> for [T; N] {
    fn length(&self) -> usize {
        N
    }

    fn on_host(&self) -> Result<Cow<'_, [T]>, Error> {
        Ok(Cow::Borrowed(self))
    }
}

impl<T: Element> Input<T> for Buffer<T> {
    fn length(&self) -> usize {
        self.len()
    }

    fn on_host(&self) -> Result<Cow<'_, [T]>, Error> {
        match self.host() {
            Some(values) => Ok(Cow::Borrowed(values)),
            None => Ok(Cow::Owned(self.to_vec()?)),
        }
    }

    fn as_buffer(&self) -> Option<&Buffer<T>> {
        Some(self)
    }
}

/// Input on a GPU: memory that was there, or a copy for this call.
#[derive(Debug)]
pub(crate) enum Staged<'a> {
    There(&'a Allocation),
    Copied(Allocation),
}

impl Staged<'_> {
    /// Brings input to a session's GPU.
    pub(crate) fn new<'a, T: Element>(
        session: &Session,
        input: &'a (impl Input<T> + ?Sized),
    ) -> Result<Staged<'a>, Error> {
        if let Some(allocation) = input.as_buffer().map(|buffer| buffer.allocation(session)).transpose()?.flatten() {
            return Ok(Staged::There(allocation));
        }
        Ok(Staged::Copied(session.allocate_copy(&input.on_host()?)?))
    }

    /// As an argument of a kernel.
    pub(crate) fn argument(&self) -> Argument {
        match self {
            Self::There(allocation) => allocation.argument(),
            Self::Copied(allocation) => allocation.argument(),
        }
    }
}
