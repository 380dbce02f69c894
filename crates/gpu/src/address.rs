//! Addresses in device memory.

/// An address in device memory: a plain number, as the driver's are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DevicePtr(pub u64);
