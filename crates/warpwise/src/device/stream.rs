//! Calls beside other work.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use super::pending::Pending;
use super::queue::Queue;
use super::{Device, Session};
use crate::Error;

/// A queue of calls, made by [`Device::stream`]. A call is any code that uses the device that it is given. Calls of one
/// stream follow each other; on a GPU, those of two streams overlap. Nothing is lost when a stream is dropped: what was
/// called is done.
///
/// A [`Buffer`](crate::Buffer) knows what it waits for: a call that reads it begins, on the GPU, after the calls that
/// write it, on whichever stream they are, and one that writes it after all that use it. Calls own what they use:
/// buffers are moved into them, or shared in an [`Arc`](std::sync::Arc).
///
/// ```
/// use std::sync::Arc;
/// use warpwise::{Buffer, Device, reduce, scan};
///
/// let device = Device::best();
/// let (first, second) = (device.stream()?, device.stream()?);
/// let xs = Arc::new(Buffer::from_slice(&device, &[3, 1, 2])?);
/// let (left, right) = (Arc::clone(&xs), xs);
/// let sums = first.call(move |device| scan::inclusive_buffer(device, &left));
/// let largest = second.call(move |device| reduce::max(device, &right));
/// let total = second.call(move |device| reduce::max(device, &sums.wait()?));
/// assert_eq!((largest.wait()?, total.wait()?), (3, 6));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    device: Device,
    /// Its own; `None` where all streams of the device take turns.
    queue: Option<Queue>,
}

impl Device {
    /// A new stream: calls queue there and return at once. On a GPU, streams overlap. The calls of all streams of the CPU
    /// are made one after the other, and so are those of an emulator, each with all cores (those of rayon's global pool).
    ///
    /// # Errors
    ///
    /// What the driver says when the GPU cannot have another one.
    ///
    /// ```
    /// use warpwise::{Device, vecadd};
    ///
    /// let stream = Device::cpu().stream()?;
    /// let sums = stream.call(|device| vecadd::add(device, &[1, 2], &[10, 20]));
    /// assert_eq!(sums.wait()?, [11, 22]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn stream(&self) -> Result<Stream, Error> {
        let Some(session) = self.session() else { return Ok(Stream { device: self.clone(), queue: None }) };
        Ok(match session.stream()? {
            Some((own, queue)) => Stream { device: Self::of(own), queue: Some(queue) },
            None => Stream { device: self.clone(), queue: None },
        })
    }
}

impl Stream {
    /// Queues a call and returns at once. From within a call of the same stream it is made at once.
    ///
    /// ```
    /// use warpwise::{Buffer, Device, sort};
    ///
    /// let stream = Device::best().stream()?;
    /// let sorted = stream.call(|device| sort::sort(device, &[3, 1, 2]));
    /// assert_eq!(sorted.wait()?, [1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Device) -> Result<T, Error> + Send + 'static,
    ) -> Pending<T> {
        let (pending, slot) = Pending::new();
        let device = self.device.clone();
        self.queue().push(Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(&device)));
            if let Some(session) = device.session() {
                session.end_call();
            }
            slot.put(result);
        }));
        pending
    }

    /// Waits for all calls so far, and on a GPU for all that they have started there.
    ///
    /// # Errors
    ///
    /// [`Error::Kernel`] when a kernel has failed meanwhile.
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    ///
    /// let stream = Device::best().stream()?;
    /// let zeros = stream.call(|device| Buffer::<f32>::zeros(device, 1000));
    /// stream.wait()?;
    /// assert_eq!(zeros.wait()?.len(), 1000);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn wait(&self) -> Result<(), Error> {
        self.call(|device| device.session().map_or(Ok(()), Session::synchronize)).wait()
    }

    /// The device as the calls see it: equal to the one that the stream was made of.
    ///
    /// ```
    /// let device = warpwise::Device::emulator();
    /// assert_eq!(device.stream()?.device(), &device);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    fn queue(&self) -> &Queue {
        static CPU: OnceLock<Queue> = OnceLock::new();
        match (&self.queue, self.device.session()) {
            (Some(own), _) => own,
            (None, Some(session)) => session.queue(),
            (None, None) => CPU.get_or_init(|| Queue::start(|| {})),
        }
    }
}

#[cfg(all(test, feature = "emulator"))]
#[path = "stream_tests.rs"]
mod tests;
