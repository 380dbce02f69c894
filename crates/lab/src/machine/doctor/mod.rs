//! What this machine offers: driver, GPUs, compiler, Python, cores.

mod render;

use serde::Serialize;
use std::path::PathBuf;
use warpwise_gpu::Gpu;
use warpwise_gpu::compiler::{self, Outcome};
use warpwise_gpu::driver;

/// Everything that was found, and where it was searched for.
#[derive(Clone, Debug, Serialize)]
pub struct Checkup {
    /// Version of this format.
    pub schema: u32,
    /// The NVIDIA driver.
    pub driver: DriverFacts,
    /// GPUs in this machine.
    pub gpus: Vec<GpuFacts>,
    /// The compiler.
    pub nvrtc: NvrtcFacts,
    /// Folders with CUDA's own headers.
    pub cuda_headers: Vec<PathBuf>,
    /// The Python environment.
    pub python: PythonFacts,
    /// The processor.
    pub cpu: CpuFacts,
    /// The emulator.
    pub emulator: EmulatorFacts,
    /// The compiler of whole programs.
    pub nvcc: NvccFacts,
}

/// nvcc.
#[derive(Clone, Debug, Serialize)]
pub struct NvccFacts {
    /// Whether it was found.
    pub found: bool,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Its release, `13.0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The driver.
#[derive(Clone, Debug, Serialize)]
pub struct DriverFacts {
    /// Whether it was found.
    pub found: bool,
    /// The library it was reached through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// The CUDA version it supports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// Why it lists no GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The libraries that were tried.
    pub looked_for: Vec<String>,
}

/// A GPU.
#[derive(Clone, Debug, Serialize)]
pub struct GpuFacts {
    /// Its name.
    pub name: String,
    /// Compute capability.
    pub compute_capability: String,
    /// Memory in bytes.
    pub memory: u64,
}

/// NVRTC.
#[derive(Clone, Debug, Serialize)]
pub struct NvrtcFacts {
    /// Whether it was found.
    pub found: bool,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The architectures it compiles for, such as 90.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub architectures: Vec<u32>,
    /// Where it was searched for, in order.
    pub looked_in: Vec<PlaceFacts>,
}

/// A place that was searched.
#[derive(Clone, Debug, Serialize)]
pub struct PlaceFacts {
    /// Why it was searched.
    pub reason: String,
    /// Where.
    pub path: PathBuf,
    /// `found`, `nothing`, or what is wrong with the file there.
    pub outcome: String,
}

/// Python.
#[derive(Clone, Debug, Serialize)]
pub struct PythonFacts {
    /// Whether `python3` runs.
    pub found: bool,
    /// Its executable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executable: Option<PathBuf>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The active virtual environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<PathBuf>,
}

/// The processor.
#[derive(Clone, Debug, Serialize)]
pub struct CpuFacts {
    /// Cores that may be used.
    pub cores: usize,
    /// The widest vector instructions: `avx512`, `avx2`, `neon`, `baseline`.
    pub simd: String,
}

/// The emulator.
#[derive(Clone, Debug, Serialize)]
pub struct EmulatorFacts {
    /// The GPUs whose limits it knows.
    pub gpus: Vec<String>,
}

/// Looks at this machine.
pub fn examine() -> Checkup {
    let (driver, gpus) = examine_driver();
    let (nvrtc, places) = compiler::find();
    let looked_in = places.into_iter().map(|place| PlaceFacts {
        reason: place.reason.to_owned(),
        path: place.path,
        outcome: match place.outcome {
            Outcome::Found => "found".into(),
            Outcome::Nothing => "nothing".into(),
            Outcome::Unusable(problem) => problem,
        },
    });
    let python = compiler::python();
    let nvcc = crate::programs::nvcc();
    let environment = ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().find_map(std::env::var_os).map(PathBuf::from);
    Checkup {
        schema: 1,
        driver,
        gpus,
        cuda_headers: nvrtc.as_ref().map(compiler::Nvrtc::header_folders).unwrap_or_default(),
        nvrtc: NvrtcFacts {
            found: nvrtc.is_some(),
            path: nvrtc.as_ref().map(|n| n.path.clone()),
            version: nvrtc.as_ref().map(|n| format!("{}.{}", n.version.0, n.version.1)),
            architectures: nvrtc.as_ref().map(compiler::Nvrtc::architectures).unwrap_or_default(),
            looked_in: looked_in.collect(),
        },
        python: PythonFacts {
            found: python.is_some(),
            executable: python.as_ref().map(|p| p.executable.clone()),
            version: python.map(|p| p.version),
            environment,
        },
        cpu: CpuFacts {
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            simd: simd_level().into(),
        },
        emulator: EmulatorFacts { gpus: Gpu::names() },
        nvcc: NvccFacts {
            found: nvcc.is_some(),
            path: nvcc.as_ref().map(|(path, _)| path.clone()),
            version: nvcc.map(|(_, version)| version),
        },
    }
}

fn examine_driver() -> (DriverFacts, Vec<GpuFacts>) {
    let found = driver::find();
    let facts = DriverFacts {
        found: found.is_some(),
        library: found.as_ref().map(|d| d.library.to_owned()),
        cuda: found.as_ref().and_then(|d| d.cuda).map(|(major, minor)| format!("{major}.{minor}")),
        problem: found.as_ref().and_then(|d| d.gpus.as_ref().err().cloned()),
        looked_for: driver::looked_for().iter().map(ToString::to_string).collect(),
    };
    let gpus = found.and_then(|d| d.gpus.ok()).unwrap_or_default();
    let gpus = gpus.into_iter().map(|g| GpuFacts {
        name: g.name,
        compute_capability: format!("{}.{}", g.compute_capability.0, g.compute_capability.1),
        memory: g.memory,
    });
    (facts, gpus.collect())
}

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
pub(crate) fn simd_level() -> &'static str {
    if std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512bw") {
        "avx512"
    } else if std::is_x86_feature_detected!("avx2") {
        "avx2"
    } else {
        "baseline"
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "x86")))]
pub(crate) fn simd_level() -> &'static str {
    if cfg!(target_arch = "aarch64") { "neon" } else { "baseline" }
}
