//! The machine and the devices of a run, as every report names them.

use serde::{Deserialize, Serialize};

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostFacts {
    /// Operating system.
    pub os: String,
    /// Architecture.
    pub arch: String,
    /// The processor's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cpu: String,
    /// Cores that may be used.
    pub cores: usize,
    /// The widest vector instructions.
    pub simd: String,
    /// The version of this program.
    pub warpwise: String,
}

impl HostFacts {
    /// This machine.
    pub fn here() -> Self {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = text.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
        Self {
            os: std::env::consts::OS.into(),
            arch: std::env::consts::ARCH.into(),
            cpu: model.trim_start_matches([' ', '\t', ':']).trim().into(),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            simd: crate::machine::doctor::simd_level().into(),
            warpwise: env!("CARGO_PKG_VERSION").into(),
        }
    }
}

/// A device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceFacts {
    /// Its name in results: `cpu`, `emulator` or `cuda`.
    pub name: String,
    /// `cpu`, `gpu` or `emulator`.
    pub kind: String,
    /// The GPU's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// Gigabytes per second, read plus written, of a copy within its memory: measured in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_gb_per_s: Option<f64>,
    /// Compute capability of a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_capability: Option<String>,
    /// Multiprocessors of a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiprocessors: Option<u32>,
    /// Memory of a GPU in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The CUDA version that the driver supports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
}

impl DeviceFacts {
    pub(crate) fn new(name: &str, copy_gb_per_s: Option<f64>) -> Self {
        let mut facts = Self { name: name.into(), kind: name.into(), copy_gb_per_s, ..Self::default() };
        if name != "cuda" {
            return facts;
        }
        facts.kind = "gpu".into();
        facts.cuda = warpwise_gpu::driver::find()
            .and_then(|driver| driver.cuda)
            .map(|(major, minor)| format!("{major}.{minor}"));
        if let Some(gpu) = warpwise_gpu::cuda::gpus().ok().and_then(|all| all.into_iter().next()) {
            facts.compute_capability = Some(format!("{}.{}", gpu.compute_capability.0, gpu.compute_capability.1));
            (facts.multiprocessors, facts.memory) = (Some(gpu.multiprocessors), Some(gpu.memory));
            facts.gpu = Some(gpu.name);
        }
        facts
    }
}
