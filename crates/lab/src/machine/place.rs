//! Where primitives run.

use warpwise::Device;

/// Where a primitive is asked to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Where the variant runs: on a GPU where there is one, else GPU rungs on the emulator and everything else on the
    /// CPU.
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--device cuda: {0}; use --device cpu or --device emulator")]
pub struct NotHere(String);

impl Place {
    /// Opens the device that a variant is to run on.
    ///
    /// ```
    /// use warpwise_lab::Place;
    ///
    /// assert_eq!(Place::Auto.open(Some("cpu-seq"))?.name(), "cpu");
    /// assert_eq!(Place::Emulator.open(None)?.name(), "emulator");
    /// # Ok::<(), warpwise_lab::NotHere>(())
    /// ```
    pub fn open(self, variant: Option<&str>) -> Result<Device, NotHere> {
        match self {
            Self::Cuda => Device::cuda().map_err(|why| NotHere(why.to_string())),
            Self::Emulator => Ok(Device::emulator()),
            Self::Cpu => Ok(Device::cpu()),
            Self::Auto => Ok(match variant {
                Some(name) if name.starts_with("gpu-") => Device::best_gpu(),
                Some(name) if name.starts_with("cpu-") => Device::cpu(),
                _ => Device::best(),
            }),
        }
    }
}
