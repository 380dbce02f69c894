//! Places in the order of a device's work.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A place in the work of a device: after all that it had been given by then. [`Device::point`](crate::Device::point)
/// makes one, and another order of work of the same GPU [follows](crate::Device::follow) it.
#[derive(Clone)]
pub struct Point(Arc<dyn Any + Send + Sync>);

impl Point {
    /// A place, in the terms of the device that makes it.
    pub fn new(place: impl Any + Send + Sync) -> Self {
        Self(Arc::new(place))
    }

    /// The place, if it is in those terms.
    ///
    /// ```
    /// use warpwise_gpu::Point;
    ///
    /// let point = Point::new(5_u32);
    /// assert_eq!((point.get::<u32>(), point.get::<u64>()), (Some(&5), None));
    /// ```
    pub fn get<P: Any>(&self) -> Option<&P> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Point")
    }
}
