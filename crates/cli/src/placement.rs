//! Where primitives run: the flags that all applications share.

use clap::ValueEnum;
use warpwise_lab::Place;
use warpwise_lab::applications::Setup;

/// Where and how to compute.
#[derive(clap::Args)]
pub(crate) struct Placement {
    /// Where to compute
    #[arg(long, value_enum, default_value = "auto")]
    device: DeviceName,
    /// The variant to use, of those that `warpwise list` shows; the device's best where it is left out
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
}

/// The values of `--device`.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum DeviceName {
    /// On a GPU where there is one; else gpu-... variants on the emulator, everything else on the CPU
    Auto,
    /// The cores of this machine
    Cpu,
    /// The emulator: GPU kernels on the cores of this machine
    Emulator,
    /// An NVIDIA GPU
    Cuda,
}

impl From<DeviceName> for Place {
    fn from(name: DeviceName) -> Self {
        match name {
            DeviceName::Auto => Self::Auto,
            DeviceName::Cpu => Self::Cpu,
            DeviceName::Emulator => Self::Emulator,
            DeviceName::Cuda => Self::Cuda,
        }
    }
}

impl Placement {
    /// As the laboratory takes it.
    pub(crate) fn setup(self) -> Setup {
        Setup { place: self.device.into(), variant: self.variant }
    }
}
