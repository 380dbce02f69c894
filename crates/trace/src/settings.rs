//! What a run is told.

use crate::pick::Pick;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The environment variable with the path of the settings.
pub const VARIABLE: &str = "WARPWISE_EXEC";

/// How the driver library behaves: its fields are the JSON. Fields that a file omits have their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The folder for traces, and for the PTX of modules; without one, nothing is written down.
    pub folder: Option<PathBuf>,
    /// The GPU to be.
    pub gpu: String,
    /// Checks of kernels: `none`, `all`, or a list such as `races,sync`.
    pub checks: String,
    /// Whether the host's use of the API is checked.
    pub host_checks: bool,
    /// Whether launches are counted.
    pub counters: bool,
    /// Whether counted launches are also written down instruction by instruction.
    pub profiles: bool,
    /// The launches that are checked and counted; all, if there are none here.
    pub launches: Vec<Pick>,
    /// Bytes of device memory; a share of the host's, if not given.
    pub memory: Option<u64>,
    /// Seconds after which a launch is ended.
    pub time_limit: Option<f64>,
    /// Host threads for the blocks of a launch; 0 for all cores.
    pub workers: usize,
    /// What events measure.
    pub clock: Clock,
    /// Where allocations end.
    pub bounds: Bounds,
    /// Whether programs that ask nvJitLink for machine code are made to hand over PTX.
    pub hold_back_nvjitlink: bool,
    /// Whether to tell on stderr what is done that a program might not expect.
    pub verbose: bool,
}

impl Default for Settings {
    /// A driver on its own, as if it were installed: no checks, no trace.
    fn default() -> Self {
        Self {
            folder: None,
            gpu: "h200".to_owned(),
            checks: "none".to_owned(),
            host_checks: false,
            counters: false,
            profiles: false,
            launches: Vec::new(),
            memory: None,
            time_limit: None,
            workers: 0,
            clock: Clock::Host,
            bounds: Bounds::Padded,
            hold_back_nvjitlink: false,
            verbose: false,
        }
    }
}

/// What events of a program measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// The time that passes on the host.
    #[default]
    Host,
    /// The estimated time of the GPU that is emulated.
    Estimated,
}

/// Where an allocation ends for a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bounds {
    /// At the next multiple of 512 bytes, as on hardware; what is used of the padding is reported.
    #[default]
    Padded,
    /// Where the program said: an access past it ends the kernel.
    Exact,
}

/// Why settings cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("{VARIABLE}: cannot read {}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file does not hold settings.
    #[error("{VARIABLE}: {} does not hold settings: {error}", .path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Why.
        error: serde_json::Error,
    },
}

impl Settings {
    /// The settings of this process: those of the file that [`VARIABLE`] names, else the defaults.
    pub fn of_process() -> Result<Self, SettingsError> {
        match std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            Some(path) => Self::load(Path::new(&path)),
            None => Ok(Self::default()),
        }
    }

    /// The settings in a file.
    pub fn load(path: &Path) -> Result<Self, SettingsError> {
        let file = |error| SettingsError::File { path: path.to_owned(), error };
        let text = std::fs::read_to_string(path).map_err(file)?;
        serde_json::from_str(&text).map_err(|error| SettingsError::Json { path: path.to_owned(), error })
    }

    /// The settings as a file holds them.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("settings have only strings, numbers and lists")
    }

    /// Whether a launch is to be checked and counted: the `number`-th of its kernel, from 1.
    pub fn picks(&self, kernel: &str, number: u64) -> bool {
        self.launches.is_empty() || self.launches.iter().any(|pick| pick.matches(kernel, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_only_what_differs() {
        let settings: Settings = serde_json::from_str(r#"{"gpu": "rtx-3090", "clock": "estimated"}"#).expect("valid");
        assert_eq!(settings, Settings { gpu: "rtx-3090".to_owned(), clock: Clock::Estimated, ..Settings::default() });
        let launches = vec!["reduce*:3-5".parse().expect("valid")];
        let full = Settings { launches, folder: Some("/tmp/x".into()), time_limit: Some(0.5), ..Settings::default() };
        assert_eq!(serde_json::from_str::<Settings>(&full.to_json()).expect("its own text"), full);
    }

    #[test]
    fn mistakes_name_the_file() {
        let folder = std::env::temp_dir().join(format!("warpwise-settings-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("settings.json");
        let error = Settings::load(&path).expect_err("there is none").to_string();
        assert!(error.starts_with("WARPWISE_EXEC: cannot read ") && error.contains("settings.json"), "{error}");
        std::fs::write(&path, r#"{"gpus": 1}"#).expect("written");
        let error = Settings::load(&path).expect_err("no such field").to_string();
        assert!(error.contains("does not hold settings") && error.contains("gpus"), "{error}");
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn all_launches_are_picked_unless_some_are() {
        let mut settings = Settings::default();
        assert!(settings.picks("_Z3addPf", 1));
        settings.launches = vec!["add:2".parse().expect("valid"), "scan*".parse().expect("valid")];
        assert!(!settings.picks("_Z3addPf", 1) && settings.picks("_Z3addPf", 2) && settings.picks("scan_up", 9));
    }
}
