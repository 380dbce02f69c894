//! Results that are not there yet.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::Error;

/// What a call of a [`Stream`](crate::Stream) will give: [`wait`](Pending::wait) for it, or drop it, and the call is made
/// all the same.
///
/// ```
/// use warpwise::{Device, Pending, reduce};
///
/// let stream = Device::best().stream()?;
/// let sums: Vec<Pending<f64>> = (1..4_i32)
///     .map(|k| stream.call(move |device| reduce::sum(device, &vec![f64::from(k); 100])))
///     .collect();
/// let sums = sums.into_iter().map(Pending::wait).collect::<Result<Vec<f64>, _>>()?;
/// assert_eq!(sums, [100.0, 200.0, 300.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Pending<T> {
    slot: Arc<Slot<T>>,
}

/// Where the result is put.
pub(super) struct Slot<T> {
    result: Mutex<Option<std::thread::Result<Result<T, Error>>>>,
    there: Condvar,
}

impl<T> Slot<T> {
    fn lock(&self) -> MutexGuard<'_, Option<std::thread::Result<Result<T, Error>>>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the result there, or the panic of the call.
    pub(super) fn put(&self, result: std::thread::Result<Result<T, Error>>) {
        *self.lock() = Some(result);
        self.there.notify_all();
    }
}

impl<T> Pending<T> {
    /// One without a result, and where the result is put.
    pub(super) fn new() -> (Self, Arc<Slot<T>>) {
        let slot = Arc::new(Slot { result: Mutex::new(None), there: Condvar::new() });
        (Self { slot: Arc::clone(&slot) }, slot)
    }

    /// Waits for the call, and returns what it gave. A [`Buffer`](crate::Buffer) is returned as soon as all that fills it
    /// has been given to the GPU: it knows what it waits for.
    ///
    /// # Errors
    ///
    /// Those of the call.
    ///
    /// # Panics
    ///
    /// If the call panicked, with what it panicked with.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    ///
    /// let stream = Device::best().stream()?;
    /// let largest = stream.call(|device| reduce::max(device, &[3, 1, 2]));
    /// assert_eq!(largest.wait()?, 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn wait(self) -> Result<T, Error> {
        let waited = self.slot.there.wait_while(self.slot.lock(), |result| result.is_none());
        let result = waited.unwrap_or_else(PoisonError::into_inner).take().expect("it was waited for");
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Whether [`wait`](Pending::wait) would return at once.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    ///
    /// let stream = Device::best().stream()?;
    /// let smallest = stream.call(|device| reduce::min(device, &[3, 1, 2]));
    /// stream.wait()?;
    /// assert!(smallest.is_ready());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn is_ready(&self) -> bool {
        self.slot.lock().is_some()
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("is_ready", &self.is_ready()).finish()
    }
}
