//! Memory that other code has allocated on the same device, and addresses for that code.

use std::any::Any;

use warpwise_gpu::DevicePtr;

use super::allocation::Owner;
use super::{Buffer, Device};
use crate::{Element, Error};

impl Device {
    /// A buffer of memory that other code has allocated on this GPU: nothing is copied, and nothing freed. The owner is
    /// kept until the buffer is dropped and the device no longer uses it. On the CPU the elements are copied.
    ///
    /// For CUDA, the other code has its memory in the primary context of the process:
    /// [`MemoryPolicy::shared`](crate::MemoryPolicy) opens a device there. Its work on the memory is done, or
    /// [`wait_for_stream`](Self::wait_for_stream) waits for it.
    ///
    /// # Safety
    ///
    /// From the address on there are `len` elements of this type, on this device, as long as the owner is there.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use warpwise::{Buffer, Device, reduce};
    ///
    /// let device = Device::emulator();
    /// let theirs = Arc::new(Buffer::from_slice(&device, &[1, 2, 3, 4])?);
    /// // SAFETY: the buffer has these elements, and is kept.
    /// let ours = unsafe { device.borrow::<i32>(theirs.address() + 4, 2, Arc::clone(&theirs)) }?;
    /// assert_eq!(reduce::sum(&device, &ours)?, 5);
    /// drop(ours);
    /// assert_eq!(theirs.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub unsafe fn borrow<T: Element>(
        &self,
        address: u64,
        len: usize,
        owner: impl Any + Send + Sync,
    ) -> Result<Buffer<T>, Error> {
        match self.session() {
            Some(session) => {
                let allocation = session.borrow(DevicePtr(address), Owner(Box::new(owner)));
                Ok(Buffer::from_allocation(self, allocation, len))
            }
            None if len == 0 => Buffer::from_slice(self, &[]),
            // SAFETY: so says the caller.
            None => Buffer::from_slice(self, unsafe { std::slice::from_raw_parts(address as *const T, len) }),
        }
    }

    /// Waits until everything that was asked of the device is done.
    ///
    /// ```
    /// warpwise::Device::emulator().synchronize()?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn synchronize(&self) -> Result<(), Error> {
        self.session().map_or(Ok(()), super::Session::synchronize)
    }

    /// Waits for the work of a stream of other code on a CUDA device, by its handle in the driver: 1 is the default
    /// stream, 2 that of the thread. Other devices have no such streams.
    ///
    /// ```
    /// warpwise::Device::emulator().wait_for_stream(1)?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn wait_for_stream(&self, stream: u64) -> Result<(), Error> {
        self.session().map_or(Ok(()), |session| session.wait_for_stream(stream))
    }

    /// Lets other code add work of its own to the order of a CUDA device: it is called with the handle of the stream in
    /// the driver, in the context of the device. `None`, with nothing called, on other devices.
    ///
    /// ```
    /// assert_eq!(warpwise::Device::emulator().with_stream(|stream| stream)?, None);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn with_stream<R>(&self, work: impl FnOnce(u64) -> R) -> Result<Option<R>, Error> {
        let (mut work, mut result) = (Some(work), None);
        if let Some(session) = self.session() {
            session.with_stream(&mut |stream| result = work.take().map(|work| work(stream)))?;
        }
        Ok(result)
    }

    /// Begins no later work before all that has been asked of the same GPU in another order, that of a
    /// [stream](crate::Stream::device), is done there. Nobody waits but the GPU.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] for another device.
    ///
    /// ```
    /// let device = warpwise::Device::emulator();
    /// let stream = device.stream()?;
    /// device.follow(stream.device())?;
    /// assert!(device.follow(&warpwise::Device::cpu()).is_err());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn follow(&self, other: &Self) -> Result<(), Error> {
        self.check_same(other)?;
        match (self.session(), other.session()) {
            (Some(session), Some(other)) => session.follow_order(other),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn borrowed_memory_is_written_in_place_and_its_owner_let_go() {
        for device in [Device::emulator(), Device::cpu()] {
            let theirs = Arc::new(Buffer::from_slice(&device, &[1.0_f32, 2.0, 3.0]).unwrap());
            let watched = Arc::downgrade(&theirs);
            // SAFETY: the buffer has these elements, and is kept.
            let mut ours = unsafe { device.borrow::<f32>(theirs.address(), 3, Arc::clone(&theirs)) }.unwrap();
            ours.upload_from(&[4.0, 5.0, 6.0]).unwrap();
            let expected = if device.is_cpu() { [1.0, 2.0, 3.0] } else { [4.0, 5.0, 6.0] };
            assert_eq!(theirs.to_vec().unwrap(), expected);
            drop(theirs);
            assert_eq!(watched.upgrade().is_some(), !device.is_cpu(), "a GPU's memory is kept while it is borrowed");
            drop(ours);
            assert!(watched.upgrade().is_none());
        }
    }

    #[test]
    fn addresses_are_those_of_the_first_element() {
        let cpu = Buffer::from_slice(&Device::cpu(), &[7_u64, 8]).unwrap();
        // SAFETY: the buffer has two elements.
        assert_eq!(unsafe { *(cpu.address() as *const u64).add(1) }, 8);
        let device = Device::emulator();
        assert_ne!(Buffer::from_slice(&device, &[1, 2]).unwrap().address(), 0);
        device.synchronize().unwrap();
        device.wait_for_stream(2).unwrap();
    }
}
