//! What primitives write into: slices as well as buffers.

use super::{Allocation, Argument, Buffer, Device, DevicePtr, Session, ViewMut};
use crate::{Element, Error};

/// Output of a primitive: a slice, a vector, an array, a [`Buffer`] on the device of the call, or a [`ViewMut`] of one.
/// It has the length of the result; nothing grows.
///
/// ```
/// use warpwise::{Buffer, Device, scan};
///
/// let device = Device::emulator();
/// let (mut on_host, mut there) = ([0; 3], Buffer::uninit(&device, 3)?);
/// scan::inclusive_into(&device, &[1, 2, 3], &mut on_host)?;
/// scan::inclusive_into(&device, &[1, 2, 3], &mut there)?;
/// assert_eq!(there.to_vec()?, on_host);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Output<T: Element> {
    /// Number of elements that it holds.
    ///
    /// ```
    /// use warpwise::Output;
    ///
    /// assert_eq!(vec![1, 2, 3].room(), 3);
    /// ```
    fn room(&self) -> usize;

    /// Where the elements are.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, Output, Target};
    ///
    /// assert!(matches!([1, 2].as_target(), Target::Slice(&mut [1, 2])));
    /// assert!(matches!(Buffer::<f32>::zeros(&Device::best(), 2)?.as_target(), Target::Buffer(_)));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    fn as_target(&mut self) -> Target<'_, T>;
}

/// Where the elements of an [`Output`] are.
///
/// ```
/// use warpwise::{Output, Target};
///
/// let mut pair = [1, 2];
/// let Target::Slice(values) = pair.as_target() else { panic!("an array is in host memory") };
/// values[0] = 5;
/// assert_eq!(pair, [5, 2]);
/// ```
#[derive(Debug)]
pub enum Target<'a, T: Element> {
    /// In host memory.
    Slice(&'a mut [T]),
    /// In a buffer, on its device.
    Buffer(ViewMut<'a, T>),
}

impl<'a, T: Element> Target<'a, T> {
    /// Refuses a buffer of another device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), Error> {
        match self {
            Self::Slice(_) => Ok(()),
            Self::Buffer(view) => view.device().check_same(device),
        }
    }

    /// Copies the elements of a buffer on the device of the call.
    pub(crate) fn fill_from(self, from: &Buffer<T>) -> Result<(), Error> {
        match self {
            Self::Slice(values) => from.download_into(values),
            Self::Buffer(mut view) => view.copy_from(from),
        }
    }

    /// The elements for code that runs on the CPU; a buffer must be there.
    pub(crate) fn for_cpu(self) -> Result<&'a mut [T], Error> {
        self.check(&Device::cpu())?;
        match self {
            Self::Slice(values) => Ok(values),
            Self::Buffer(view) => view.into_slice(),
        }
    }
}

impl<T: Element> Output<T> for [T] {
    fn room(&self) -> usize {
        self.len()
    }

    fn as_target(&mut self) -> Target<'_, T> {
        Target::Slice(self)
    }
}

impl<T: Element> Output<T> for Vec<T> {
    fn room(&self) -> usize {
        self.len()
    }

    fn as_target(&mut self) -> Target<'_, T> {
        Target::Slice(self)
    }
}

impl<T: Element, const N: usize> Output<T> for [T; N] {
    fn room(&self) -> usize {
        N
    }

    fn as_target(&mut self) -> Target<'_, T> {
        Target::Slice(self)
    }
}

impl<T: Element, O: Output<T> + ?Sized> Output<T> for &mut O {
    fn room(&self) -> usize {
        (**self).room()
    }

    fn as_target(&mut self) -> Target<'_, T> {
        (**self).as_target()
    }
}

impl<T: Element> Output<T> for Buffer<T> {
    fn room(&self) -> usize {
        self.len()
    }

    fn as_target(&mut self) -> Target<'_, T> {
        let len = self.len();
        Target::Buffer(ViewMut::new(self, 0, len))
    }
}

/// Where a call on a GPU writes: a buffer that is there, in place, or memory for this call that is copied where it
/// belongs when the call [has finished](Landing::finish).
#[derive(Debug)]
pub(crate) struct Landing<'a, T: Element> {
    argument: Argument,
    copied: Option<(Allocation, Copied<'a, T>)>,
}

/// Where the memory of a call is copied to: to the host, or to an address on the device.
#[derive(Debug)]
enum Copied<'a, T> {
    Host(&'a mut [T]),
    Device(DevicePtr, u64),
}

impl<'a, T: Element> Landing<'a, T> {
    /// Room on a session's GPU, at any address. A buffer of another device is refused.
    pub(crate) fn new(session: &Session, target: Target<'a, T>) -> Result<Self, Error> {
        match target {
            Target::Buffer(view) => Ok(Self { argument: Argument::Pointer(view.landing(session)?), copied: None }),
            Target::Slice(values) => {
                let memory = session.allocate(size_of_val(values) as u64)?;
                Ok(Self { argument: memory.argument(), copied: Some((memory, Copied::Host(values))) })
            }
        }
    }

    /// The same for kernels that write vectors of 16 bytes: it begins at a multiple of that.
    pub(crate) fn aligned(session: &Session, target: Target<'a, T>) -> Result<Self, Error> {
        match &target {
            Target::Buffer(view) if !view.landing(session)?.0.is_multiple_of(16) => {
                let (at, bytes) = (view.landing(session)?, (size_of::<T>() * view.room()) as u64);
                let memory = session.allocate(bytes)?;
                Ok(Self { argument: memory.argument(), copied: Some((memory, Copied::Device(at, bytes))) })
            }
            _ => Self::new(session, target),
        }
    }

    /// As an argument of a kernel.
    pub(crate) fn argument(&self) -> Argument {
        self.argument
    }

    /// Brings the result to where it belongs, if it is not there.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.copied {
            Some((memory, Copied::Host(values))) => memory.session().download(memory.ptr(), values),
            Some((memory, Copied::Device(to, bytes))) => memory.session().copy(memory.ptr(), to, bytes),
            None => Ok(()),
        }
    }
}
