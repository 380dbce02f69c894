//! The library's own table.

use crate::{Tuned, Tuning};
use serde::Deserialize;
use std::sync::OnceLock;

const OWN: &str = include_str!("tuning.toml");

/// Geometry, and constants by compute capability.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Own {
    pub(crate) tuned: Vec<Tuned>,
    /// The compute capability whose constants are the default.
    default: (u32, u32),
    architecture: Vec<Tuning>,
}

impl Own {
    /// The constants of a compute capability.
    pub(crate) fn architecture(&self, capability: (u32, u32)) -> &Tuning {
        let find = |wanted| self.architecture.iter().find(|tuning| tuning.capability == wanted);
        find(capability).or_else(|| find(self.default)).expect("the library's own table is tested")
    }
}

/// The library's own table, read once.
pub(crate) fn own() -> &'static Own {
    static TABLE: OnceLock<Own> = OnceLock::new();
    TABLE.get_or_init(|| toml::from_str(OWN).expect("the library's own table is tested"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gpu_has_every_constant() {
        let table = own();
        // Reading fails if a key is missing or unknown.
        assert!(table.architecture.iter().any(|tuning| tuning.capability == table.default));
        for (at, tuning) in table.architecture.iter().enumerate() {
            assert!(std::ptr::eq(Tuning::of(tuning.capability), tuning), "entry {at} is listed twice");
        }
        assert!(std::ptr::eq(Tuning::of((1, 0)), Tuning::of(table.default)));
        let key = "posting_blocks_per_sm = 2\n";
        assert!(OWN.contains(key));
        assert!(toml::from_str::<Own>(&OWN.replace(key, "")).unwrap_err().message().contains("posting_blocks_per_sm"));
        assert!(toml::from_str::<Own>(&OWN.replace(key, "blocks = 1\n")).is_err());
    }
}
