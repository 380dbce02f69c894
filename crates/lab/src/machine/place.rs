//! Where things run: the values of `--device`.

use std::fmt;
use std::time::Duration;
use warpwise::{Device, Differences, RunsOn};
use warpwise_gpu::cuda::{CudaDevice, MemoryPolicy};
use warpwise_gpu::emulated::{EmulatedDevice, SharedFollower, Watch};
use warpwise_gpu::paired::PairedDevice;
use warpwise_gpu::{Device as _, Gpu};

/// A device that kernels can be launched on, and the differences if it is a pair.
pub(crate) type BareDevice = (Box<dyn warpwise_gpu::Device>, Option<Differences>);

/// What is known about a place. A new device is a line in the list of [`Place`]s.
struct Row {
    name: &'static str,
    words: &'static str,
    /// The variants of primitives that run there; all if there is a choice.
    runs: Option<RunsOn>,
    /// Whether it counts instead of measuring.
    emulates: bool,
    /// Opens it for a variant of a primitive.
    open: fn(Option<&str>) -> Result<Device, warpwise::Error>,
    /// Opens it for the user's own kernel, if it can run one.
    bare: Option<fn(Emulation) -> Result<BareDevice, String>>,
}

/// How the emulator is set up for the user's own kernel.
#[derive(Clone, Debug)]
pub(crate) struct Emulation {
    /// The GPU whose limits apply if there is no real one.
    pub(crate) gpu: Gpu,
    pub(crate) watch: Watch,
    /// Warp instructions after which a launch ends.
    pub(crate) budget: u64,
    /// Time after which a launch ends.
    pub(crate) time_limit: Option<Duration>,
    /// Who hears of every instruction.
    pub(crate) follower: Option<SharedFollower>,
}

macro_rules! places {
    ($($(#[$attribute:meta])* $place:ident { $($row:tt)* })*) => {
        /// Where something is asked to run: a value of `--device`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Place {
            $($(#[$attribute])* $place,)*
        }

        impl Place {
            /// Every place, in the order of `--help`.
            pub const ALL: &[Self] = &[$(Self::$place,)*];

            fn row(self) -> &'static Row {
                match self {
                    $(Self::$place => {
                        static ROW: Row = Row { $($row)* };
                        &ROW
                    })*
                }
            }
        }
    };
}

places! {
    /// Where the variant runs: on a GPU if there is one, else GPU rungs on the emulator and everything else on the
    /// CPU.
    #[default]
    Auto {
        name: "auto",
        words: "On a GPU if there is one; else gpu-... variants on the emulator, everything else on the CPU",
        runs: None,
        emulates: false,
        open: |variant| Ok(best(variant)),
        bare: None,
    }
    /// The cores of this machine.
    Cpu {
        name: "cpu",
        words: "The cores of this machine",
        runs: Some(RunsOn::Cpu),
        emulates: false,
        open: |_| Ok(Device::cpu()),
        bare: None,
    }
    /// The emulator.
    Emulator {
        name: "emulator",
        words: "The emulator: GPU kernels on the cores of this machine",
        runs: Some(RunsOn::Gpu),
        emulates: true,
        open: |_| Ok(Device::emulator()),
        bare: Some(|emulation| Ok((Box::new(emulator(emulation)), None))),
    }
    /// An NVIDIA GPU.
    Cuda {
        name: "cuda",
        words: "An NVIDIA GPU",
        runs: Some(RunsOn::Gpu),
        emulates: false,
        open: |_| Device::cuda(),
        bare: Some(|_| Ok((Box::new(cuda()?), None))),
    }
    /// The emulator and a GPU: memory is compared bit by bit after every launch.
    Both {
        name: "both",
        words: "The emulator and a GPU, compared bit by bit after every launch",
        runs: Some(RunsOn::Gpu),
        emulates: false,
        open: |_| Device::both().map(|(device, _)| device),
        bare: Some(pair),
    }
}

/// A device that is not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("--device {place}: {why}; use --device cpu or --device emulator")]
pub struct NotHere {
    place: Place,
    why: String,
}

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
        (self.row().open)(variant).map_err(|why| NotHere { place: self, why: why.to_string() })
    }

    /// Opens the device for the user's own kernel; `None` if there is none to open.
    pub(crate) fn open_bare(self, emulation: Emulation) -> Option<Result<BareDevice, String>> {
        self.row().bare.map(|open| open(emulation))
    }

    /// Its name for `--device`.
    ///
    /// ```
    /// use warpwise_lab::Place;
    ///
    /// assert!(Place::ALL.iter().all(|place| Place::named(place.name()) == Some(*place)));
    /// assert_eq!(Place::named("abacus"), None);
    /// ```
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The place of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|place| place.name() == name)
    }

    /// What it is, in one line.
    pub fn words(self) -> &'static str {
        self.row().words
    }

    /// Whether variants of that kind run there.
    pub(crate) fn runs(self, kind: RunsOn) -> bool {
        self.row().runs.is_none_or(|runs| runs == kind)
    }

    /// Whether GPU rungs run on the emulator there.
    pub(crate) fn emulates(self) -> bool {
        match self {
            Self::Auto => best(Some("gpu-")).name() == Self::Emulator.name(),
            place => place.row().emulates,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The device that suits a variant.
fn best(variant: Option<&str>) -> Device {
    match variant {
        Some(name) if name.starts_with("gpu-") => Device::best_gpu(),
        Some(name) if name.starts_with("cpu-") => Device::cpu(),
        _ => Device::best(),
    }
}

fn emulator(Emulation { gpu, watch, budget, time_limit, follower }: Emulation) -> EmulatedDevice {
    let device = EmulatedDevice::new(gpu).watching(watch).with_budget(budget).with_time_limit(time_limit);
    match follower {
        Some(follower) => device.followed_by(follower),
        None => device,
    }
}

fn cuda() -> Result<CudaDevice, String> {
    CudaDevice::open(0, MemoryPolicy::default()).map_err(|why| format!("no CUDA device: {why}"))
}

fn pair(emulation: Emulation) -> Result<BareDevice, String> {
    let second = cuda()?;
    let first = emulator(Emulation { gpu: second.gpu().clone(), ..emulation });
    let pair = PairedDevice::new(Box::new(first), Box::new(second));
    let seen = pair.differences();
    Ok((Box::new(pair), Some(seen)))
}
