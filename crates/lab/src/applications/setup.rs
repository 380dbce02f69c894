//! Where and how an application computes.

use super::AppError;
use crate::Place;
use warpwise::{Device, Variant};

/// The device and the rung.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Where.
    pub place: Place,
    /// The rung, by name; the device's best where it is left out.
    pub variant: Option<String>,
}

impl Setup {
    /// Checks the rung, for a primitive with these variants. Opens nothing: what is wrong with the rest of the request is
    /// better said before a GPU is looked for.
    pub(super) fn check(&self, primitive: &'static str, variants: &[Variant]) -> Result<(), AppError> {
        let Some(wanted) = &self.variant else { return Ok(()) };
        // Where any device will do, any rung will: list all of them.
        let on = match self.place {
            Place::Auto => String::new(),
            Place::Cpu | Place::Emulator => format!(" on the {}", self.place),
            _ => " on a GPU".to_owned(),
        };
        let fits = |v: &&Variant| self.place.runs(v.runs_on);
        let names: Vec<&str> = variants.iter().filter(fits).map(|v| v.name).collect();
        if names.contains(&wanted.as_str()) {
            return Ok(());
        }
        let problem = format!("{primitive} has no variant {wanted}{on}: use one of {}", names.join(", "));
        Err(AppError::flag("--variant", problem))
    }

    /// Opens the device.
    pub(super) fn open(&self) -> Result<Device, AppError> {
        Ok(self.place.open(self.variant.as_deref())?)
    }
}
