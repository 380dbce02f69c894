//! The devices of a run.

use super::BenchError;
use super::estimate::Estimator;
use crate::Place;
use warpwise::Device;
use warpwise::trace::Watch;

/// The GPU that the emulator stands for, unless another is named.
pub(crate) const USUAL: &str = "h200";

/// A device and what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    pub(crate) device: Device,
    /// Whether it counts instead of measuring.
    pub(crate) emulated: bool,
    /// Estimates the time on a GPU, if it counts and a GPU was named.
    pub(crate) estimator: Option<Estimator>,
}

/// Devices that were opened: each once, however many variants run there.
#[derive(Debug, Default)]
pub(crate) struct Stations {
    /// The GPU that the emulator stands for, if its times are to be estimated.
    gpu: Option<String>,
    all: Vec<Station>,
    /// The requests, and the device for each.
    opened: Vec<((Place, bool), usize)>,
}

impl Stations {
    /// None yet; times on that GPU are estimated where kernels are emulated.
    pub(crate) fn new(gpu: Option<&str>) -> Self {
        Self { gpu: gpu.map(str::to_owned), ..Self::default() }
    }

    /// The device for a variant at a place.
    pub(crate) fn open(&mut self, place: Place, variant: Option<&str>) -> Result<usize, BenchError> {
        let key = (place, variant.is_some_and(|name| name.starts_with("gpu-")));
        if let Some((_, at)) = self.opened.iter().find(|(opened, _)| *opened == key) {
            return Ok(*at);
        }
        let device = place.open(variant)?;
        let name = device.name();
        let at = self.all.iter().position(|station| station.device.name() == name).map_or_else(
            || {
                self.all.push(Station::new(device, self.gpu.as_deref())?);
                Ok::<_, BenchError>(self.all.len() - 1)
            },
            Ok,
        )?;
        self.opened.push((key, at));
        Ok(at)
    }

    pub(crate) fn into_vec(self) -> Vec<Station> {
        self.all
    }
}

impl Station {
    fn new(device: Device, gpu: Option<&str>) -> Result<Self, BenchError> {
        let emulated = device.name() == "emulator";
        // On the emulator, counters are the result, so every launch is watched.
        let estimator = gpu.filter(|_| emulated).map(Estimator::new).transpose()?;
        let device = if emulated { Device::emulator_watching(gpu.unwrap_or(USUAL), Watch::COUNTERS)? } else { device };
        Ok(Self { device, emulated, estimator })
    }
}
