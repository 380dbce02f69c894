//! The device of a run.

use super::Request;
use super::error::RunError;
use crate::Place;
use crate::machine::place::{BareDevice, Emulation};
use warpwise_gpu::emulated::{SharedFollower, Watch};
use warpwise_gpu::paired::Differences;
use warpwise_gpu::{Device, Gpu};

/// A device, and what is known about it.
pub(super) struct Opened {
    pub(super) device: Box<dyn Device>,
    /// The GPU that code is compiled for, and whose limits apply.
    pub(super) gpu: Gpu,
    /// The differences, if two devices run.
    pub(super) seen: Option<Differences>,
    /// A remark for the user.
    pub(super) note: Option<String>,
}

impl Opened {
    /// Opens the requested device, with a follower if it is the emulator.
    pub(super) fn new(request: &Request, follower: Option<SharedFollower>) -> Result<Self, RunError> {
        let gpu = Gpu::named(&request.gpu)
            .ok_or_else(|| RunError::Gpu { name: request.gpu.clone(), known: Gpu::names().join(", ") })?;
        let watch = Watch { counters: true, checks: request.checks, record: request.record };
        let (budget, time_limit) = (request.max_instructions, request.time_limit);
        let emulation = Emulation { gpu, watch, budget, time_limit, follower };
        let open = |place: Place| match place.open_bare(emulation.clone()) {
            Some(opened) => opened.map_err(RunError::NoDevice),
            None => Err(RunError::NoKernels(place)),
        };
        match request.device {
            // Only the emulator checks.
            Place::Auto if request.checks.any() => Ok(Self::of(open(Place::Emulator)?)),
            Place::Auto => match open(Place::Cuda) {
                Err(RunError::NoDevice(why)) => {
                    let note = Some(format!("{why}; using the emulator"));
                    Ok(Self { note, ..Self::of(open(Place::Emulator)?) })
                }
                opened => Ok(Self::of(opened?)),
            },
            place => Ok(Self::of(open(place)?)),
        }
    }

    fn of((device, seen): BareDevice) -> Self {
        Self { gpu: device.gpu().clone(), device, seen, note: None }
    }
}
