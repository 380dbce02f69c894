//! Following launches step by step.

use super::observe::Observer;
use crate::Launch;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An [`Observer`] that is also told which launch comes next.
pub trait Follower: Observer + Send {
    /// A kernel is about to be launched.
    fn launch_starts(&mut self, kernel: &str, launch: &Launch);
}

/// A follower that a device and the caller share.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use warpwise_gpu::Launch;
/// use warpwise_gpu::emulated::{EmulatedDevice, Follower, SharedFollower};
/// use warpwise_gpu::emulated::observe::Observer;
///
/// /// The kernels that were launched.
/// #[derive(Default)]
/// struct Kernels(Vec<String>);
///
/// impl Observer for Kernels {}
///
/// impl Follower for Kernels {
///     fn launch_starts(&mut self, kernel: &str, _: &Launch) {
///         self.0.push(kernel.to_owned());
///     }
/// }
///
/// let kernels = Arc::new(Mutex::new(Kernels::default()));
/// let gpu = warpwise_gpu::Gpu::named("h200").expect("a known GPU");
/// let device = EmulatedDevice::new(gpu).followed_by(SharedFollower::new(kernels.clone()));
/// # drop(device);
/// assert!(kernels.lock().expect("nobody panicked").0.is_empty());
/// ```
#[derive(Clone)]
pub struct SharedFollower(Arc<Mutex<dyn Follower>>);

impl SharedFollower {
    /// Shares a follower; the caller keeps a handle of its own.
    pub fn new(follower: Arc<Mutex<impl Follower + 'static>>) -> Self {
        Self(follower)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, dyn Follower + 'static> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SharedFollower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedFollower")
    }
}
