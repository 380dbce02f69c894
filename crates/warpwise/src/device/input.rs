//! What primitives take as input: slices as well as buffers.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Allocation, Argument, Buffer, Device, Session, View};
use crate::expression::Mapped;
use crate::{Element, Error};

/// Input of a primitive: a slice, a vector, an array, a [`Buffer`] already on the device, or a [`View`] of one.
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

    /// The elements on their device, if they are in a buffer.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, Input};
    ///
    /// assert!(Buffer::from_slice(&Device::best(), &[1, 2])?.as_view().is_some());
    /// assert!([1, 2].as_view().is_none());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    fn as_view(&self) -> Option<View<'_, T>> {
        None
    }

    /// The expression, if the elements are what one gives.
    #[doc(hidden)]
    fn as_mapped(&self) -> Option<&Mapped<'_, T>> {
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

impl<T: Element, I: Input<T> + ?Sized> Input<T> for &I {
    fn length(&self) -> usize {
        (**self).length()
    }

    fn on_host(&self) -> Result<Cow<'_, [T]>, Error> {
        (**self).on_host()
    }

    fn as_view(&self) -> Option<View<'_, T>> {
        (**self).as_view()
    }

    fn as_mapped(&self) -> Option<&Mapped<'_, T>> {
        (**self).as_mapped()
    }
}

/// Shared elements, for calls of [streams](crate::Stream), which own what they use.
impl<T: Element, I: Input<T> + ?Sized> Input<T> for Arc<I> {
    fn length(&self) -> usize {
        (**self).length()
    }

    fn on_host(&self) -> Result<Cow<'_, [T]>, Error> {
        (**self).on_host()
    }

    fn as_view(&self) -> Option<View<'_, T>> {
        (**self).as_view()
    }

    fn as_mapped(&self) -> Option<&Mapped<'_, T>> {
        (**self).as_mapped()
    }
}

impl<T: Element> Input<T> for Buffer<T> {
    fn length(&self) -> usize {
        self.len()
    }

    fn on_host(&self) -> Result<Cow<'_, [T]>, Error> {
        View::new(self, 0, self.len()).to_host()
    }

    fn as_view(&self) -> Option<View<'_, T>> {
        Some(View::new(self, 0, self.len()))
    }
}

impl<T: Element> dyn Input<T> + '_ {
    /// Refuses a buffer of another device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), Error> {
        if let Some(mapped) = self.as_mapped() {
            return mapped.parts.check(device);
        }
        self.as_view().map_or(Ok(()), |view| view.device().check_same(device))
    }

    /// The elements for code that runs on the CPU. A buffer of another device is refused, not copied.
    pub(crate) fn for_cpu(&self) -> Result<Cow<'_, [T]>, Error> {
        self.check(&Device::cpu())?;
        self.on_host()
    }
}

/// Input on a GPU: a buffer that was already there, or a copy for this call.
#[derive(Debug)]
pub(crate) struct Staged {
    argument: Argument,
    /// Kept until the call returns.
    _copy: Option<Allocation>,
}

impl Staged {
    /// Input for a session's GPU: slices are copied there, and a buffer of another device is refused.
    pub(crate) fn new<T: Element>(session: &Session, input: &(impl Input<T> + ?Sized)) -> Result<Self, Error> {
        if let Some(view) = input.as_view() {
            let argument = view.argument(session)?.ok_or_else(|| Error::other_device(view.device(), session.name()))?;
            return Ok(Self { argument, _copy: None });
        }
        let copy = match input.as_mapped() {
            Some(mapped) => mapped.on_device(session)?,
            None => session.allocate_copy(&input.on_host()?)?,
        };
        Ok(copy.into())
    }

    /// As an argument of a kernel.
    pub(crate) fn argument(&self) -> Argument {
        self.argument
    }
}

impl From<Allocation> for Staged {
    fn from(copy: Allocation) -> Self {
        Self { argument: copy.argument(), _copy: Some(copy) }
    }
}
