//! Where primitives run.

use warpwise::Device;

/// Where a primitive is asked to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Where the variant runs: GPU rungs on the emulator, everything else on the CPU.
    #[default]
    Auto,
    /// The cores of this machine.
    Cpu,
    /// The emulator.
    Emulator,
    /// A GPU.
    Cuda,
}

/// A device that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--device cuda is not in this build: use --device cpu or --device emulator")]
pub struct NotHere;

impl Place {
    /// Opens the device that a variant is to run on.
    ///
    /// ```
    /// use warpwise_lab::Place;
    ///
    /// assert_eq!(Place::Auto.open(Some("gpu-3-sequential"))?.name(), "emulator");
    /// assert_eq!(Place::Auto.open(None)?.name(), "cpu");
    /// assert!(Place::Cuda.open(None).is_err());
    /// # Ok::<(), warpwise_lab::NotHere>(())
    /// ```
    pub fn open(self, variant: Option<&str>) -> Result<Device, NotHere> {
        let gpu = variant.is_some_and(|name| name.starts_with("gpu-"));
        match self {
            Self::Cuda => Err(NotHere),
            Self::Emulator => Ok(Device::emulator()),
            Self::Auto if gpu => Ok(Device::emulator()),
            Self::Auto | Self::Cpu => Ok(Device::cpu()),
        }
    }
}
