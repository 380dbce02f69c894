//! Copies beside a device's other work.

use crate::{DeviceError, DevicePtr};

/// Copies between host and device beside the device's other work, from any thread. If that work touches the same
/// memory, the caller must wait for it.
pub trait Copier: Send + Sync {
    /// Copies pieces to the device in order; calls `arrived` after each one. Returns when all are copied.
    fn upload(&self, pieces: &[(DevicePtr, &[u8])], arrived: &(dyn Fn(usize) + Sync)) -> Result<(), DeviceError>;

    /// Copies pieces from the device in order; `computed` returns when a piece may be copied, or stops the copying with
    /// `false`. Returns when all are copied.
    fn download(
        &self,
        pieces: Vec<(DevicePtr, &mut [u8])>,
        computed: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<(), DeviceError>;

    /// A fence after all work that the device has been given so far.
    fn fence(&self) -> Result<Box<dyn Fence>, DeviceError>;
}

/// A place in a device's work.
pub trait Fence: Send + Sync {
    /// Waits until the device has reached it.
    fn wait(&self) -> Result<(), DeviceError>;
}
