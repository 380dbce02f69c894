//! Where and how an application computes.

use super::AppError;
use crate::Place;
use warpwise::{Device, RunsOn, Variant};

/// The device and the rung.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Where.
    pub place: Place,
    /// The rung, by name; the device's best where it is left out.
    pub variant: Option<String>,
}

impl Setup {
    /// Opens the device, for a primitive with these variants.
    pub(super) fn open(&self, primitive: &'static str, variants: &[Variant]) -> Result<Device, AppError> {
        let device = self.place.open(self.variant.as_deref())?;
        let Some(wanted) = &self.variant else { return Ok(device) };
        let runs_on = if device.is_cpu() { RunsOn::Cpu } else { RunsOn::Gpu };
        // Where any device will do, any rung will: list all of them.
        let fits = |v: &&Variant| self.place == Place::Auto || v.runs_on == runs_on;
        let names: Vec<&str> = variants.iter().filter(fits).map(|v| v.name).collect();
        if names.contains(&wanted.as_str()) {
            return Ok(device);
        }
        let on = if self.place == Place::Auto { String::new() } else { format!(" on the {}", device.name()) };
        let problem = format!("{primitive} has no variant {wanted}{on}: use one of {}", names.join(", "));
        Err(AppError::flag("--variant", problem))
    }
}
