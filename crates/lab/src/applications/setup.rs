//! Where and how an application computes.

use super::{AppError, Verify};
use crate::Place;
use warpwise::{Device, Variant};

/// The device and the rung.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Where.
    pub place: Place,
    /// The rung, by name; if `None`, the device's best.
    pub variant: Option<String>,
    /// Whether the result is compared with the reference.
    pub verify: Verify,
}

impl Setup {
    /// Checks the rung, for a primitive with these variants. Opens nothing: mistakes in the rest of the request are
    /// better reported before a GPU is opened.
    pub(super) fn check(&self, primitive: &'static str, variants: &[Variant]) -> Result<(), AppError> {
        let Some(wanted) = &self.variant else { return Ok(()) };
        // If any device will do, so will any rung: list all of them.
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

    /// The rung, as the primitive's own type.
    pub(super) fn rung<R: std::str::FromStr<Err = warpwise::Error>>(&self) -> Result<Option<R>, warpwise::Error> {
        self.variant.as_deref().map(str::parse).transpose()
    }

    /// Opens the device.
    pub(super) fn open(&self) -> Result<Device, AppError> {
        Ok(self.place.open(self.variant.as_deref())?)
    }
}
