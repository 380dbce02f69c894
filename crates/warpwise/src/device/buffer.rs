//! Memory on a device.

use std::ops::{Bound, RangeBounds};

use super::{Allocation, Device, View, ViewMut};
use crate::{Element, Error};

/// Elements that live on a device. Primitives can be chained on it without copies in between.
///
/// ```
/// use warpwise::{Buffer, Device};
///
/// let device = Device::emulator();
/// let buffer = Buffer::from_slice(&device, &[1, 2, 3])?;
/// assert_eq!(buffer.len(), 3);
/// assert_eq!(buffer.to_vec()?, [1, 2, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct Buffer<T: Element> {
    device: Device,
    memory: Memory<T>,
    len: usize,
}

/// Where the elements of a buffer are.
#[derive(Debug)]
pub(super) enum Memory<T> {
    Host(Vec<T>),
    Device(Allocation),
}

impl<T: Element> Buffer<T> {
    /// A copy of a slice on a device.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, reduce};
    ///
    /// let device = Device::best();
    /// let xs = Buffer::from_slice(&device, &[3, 1, 2])?;
    /// assert_eq!(reduce::min(&device, &xs)?, 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn from_slice(device: &Device, values: &[T]) -> Result<Self, Error> {
        let memory = match device.session() {
            None => Memory::Host(values.to_vec()),
            Some(session) => Memory::Device(session.allocate_copy(values)?),
        };
        Ok(Self { device: device.clone(), memory, len: values.len() })
    }

    /// That many zeros on a device.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] when the device does not have that much memory.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// assert_eq!(Buffer::<f32>::zeros(&Device::best(), 3)?.to_vec()?, [0.0; 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn zeros(device: &Device, len: usize) -> Result<Self, Error> {
        let memory = match device.session() {
            None => Memory::Host(crate::memory::try_zeros(len)?),
            Some(session) => {
                Error::area(len, size_of::<T>())?;
                Memory::Device(session.allocate_zeroed::<T>(len)?)
            }
        };
        Ok(Self { device: device.clone(), memory, len })
    }

    /// Room for that many elements on a device, to be written before they are read: on a GPU they hold whatever was
    /// there before, and the emulator's `init` check reports kernels that read them. On the CPU they are zeros.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] when the device does not have that much memory.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, scan};
    ///
    /// let device = Device::emulator();
    /// let mut sums = Buffer::uninit(&device, 3)?;
    /// scan::inclusive_into(&device, &[1, 2, 3], &mut sums)?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn uninit(device: &Device, len: usize) -> Result<Self, Error> {
        let Some(session) = device.session() else { return Self::zeros(device, len) };
        let memory = Memory::Device(session.allocate(Error::area(len, size_of::<T>())? as u64)?);
        Ok(Self { device: device.clone(), memory, len })
    }

    /// A buffer on the CPU that takes ownership of a vector.
    pub(crate) fn from_vec(values: Vec<T>) -> Self {
        Self { device: Device::cpu(), len: values.len(), memory: Memory::Host(values) }
    }

    /// A buffer over device memory that holds that many elements.
    pub(crate) fn from_allocation(device: &Device, allocation: Allocation, len: usize) -> Self {
        Self { device: device.clone(), memory: Memory::Device(allocation), len }
    }

    /// The same memory with fewer elements.
    pub(crate) fn shortened(self, len: usize) -> Self {
        Self { len: len.min(self.len), ..self }
    }

    /// Copies the elements to the host.
    ///
    /// ```
    /// use warpwise::{Device, vecadd};
    ///
    /// let sums = vecadd::add_buffer(&Device::best(), &[1, 2], &[10, 20])?;
    /// assert_eq!(sums.to_vec()?, [11, 22]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        match &self.memory {
            Memory::Host(values) => Ok(values.clone()),
            Memory::Device(allocation) => {
                allocation.before_read(allocation.session())?;
                allocation.session().download_vec(allocation.ptr(), self.len)
            }
        }
    }

    /// The elements as a vector, without a copy if they are in host memory.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// assert_eq!(Buffer::from_slice(&Device::emulator(), &[1.5_f32])?.into_vec()?, [1.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn into_vec(self) -> Result<Vec<T>, Error> {
        match self.memory {
            Memory::Host(values) => Ok(values),
            Memory::Device(allocation) => {
                allocation.before_read(allocation.session())?;
                allocation.session().download_vec(allocation.ptr(), self.len)
            }
        }
    }

    /// A range of the elements, as the input of a primitive.
    ///
    /// # Errors
    ///
    /// [`Error::View`] when the range reaches past the end.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, reduce};
    ///
    /// let device = Device::best();
    /// let xs = Buffer::from_slice(&device, &[8_i32, 1, 2, 3])?;
    /// assert_eq!(reduce::sum(&device, &xs.view(1..)?)?, 6);
    /// assert!(xs.view(2..9).unwrap_err().to_string().contains("4 elements"));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn view(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>, Error> {
        let (first, len) = within(range, self.len)?;
        Ok(View::new(self, first, len))
    }

    /// A range of the elements, as the output of a primitive.
    ///
    /// # Errors
    ///
    /// [`Error::View`] when the range reaches past the end.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, scan};
    ///
    /// let device = Device::emulator();
    /// let mut sums = Buffer::zeros(&device, 5)?;
    /// scan::inclusive_into(&device, &[1, 2, 3], &mut sums.view_mut(1..4)?)?;
    /// assert_eq!(sums.to_vec()?, [0, 1, 3, 6, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn view_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>, Error> {
        let (first, len) = within(range, self.len)?;
        Ok(ViewMut::new(self, first, len))
    }

    /// Number of elements.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// assert_eq!(Buffer::from_slice(&Device::best(), &[1, 2, 3])?.len(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the buffer is empty.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// assert!(Buffer::<f32>::from_slice(&Device::best(), &[])?.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device it lives on.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// assert!(Buffer::from_slice(&Device::cpu(), &[1, 2])?.device().is_cpu());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The address of its first element: on a GPU, one of device memory. It is for other code, such as a package that
    /// uses the same GPU, and good as long as the buffer is.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// let xs = Buffer::from_slice(&Device::cpu(), &[1, 2])?;
    /// assert_eq!(xs.address() % 4, 0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn address(&self) -> u64 {
        match &self.memory {
            Memory::Host(values) => values.as_ptr() as u64,
            Memory::Device(allocation) => allocation.ptr().0,
        }
    }

    /// Where the elements are.
    pub(super) fn memory(&self) -> &Memory<T> {
        &self.memory
    }

    /// Where the elements are, to be written.
    pub(super) fn memory_mut(&mut self) -> &mut Memory<T> {
        &mut self.memory
    }
}

/// The first element and the length of a range of `len` elements.
fn within(range: impl RangeBounds<usize>, len: usize) -> Result<(usize, usize), Error> {
    let first = match range.start_bound() {
        Bound::Included(&first) => first,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    if first > end || end > len {
        return Err(Error::View { first, end, len });
    }
    Ok((first, end - first))
}
