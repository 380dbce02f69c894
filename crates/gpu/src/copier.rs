//! Copies beside a device's other work.

use crate::{DeviceError, DevicePtr};

/// Copies between host and device beside the device's other work, from any thread. Where that work touches the same
/// memory, it is for the caller to wait.
pub trait Copier: Send + Sync {
    /// Copies pieces to the device, one after another; `arrived` hears of each when it is there. Done when it returns.
    fn upload(&self, pieces: &[(DevicePtr, &[u8])], arrived: &(dyn Fn(usize) + Sync)) -> Result<(), DeviceError>;

    /// Copies pieces from the device, one after another; `computed` returns when a piece may be copied, or ends the
    /// copying with `false`. Done when it returns.
    fn download(
        &self,
        pieces: Vec<(DevicePtr, &mut [u8])>,
        computed: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<(), DeviceError>;

    /// A fence behind all work that the device was given up to now.
    fn fence(&self) -> Result<Box<dyn Fence>, DeviceError>;
}

/// A place in a device's work.
pub trait Fence: Send + Sync {
    /// Waits until the device has got there.
    fn wait(&self) -> Result<(), DeviceError>;
}
