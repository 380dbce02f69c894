//! The check-up as an aligned table.

use super::Checkup;
use crate::output::{Report, Style, Table, View};
use std::fmt::Write;

impl Report for Checkup {
    const VIEWS: &'static [View<Self>] = &[View::Records(|checkup| Table::facts("doctor", facts(checkup)))];

    fn text(&self, _: Style) -> String {
        let facts = facts(self);
        let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut out = String::new();
        for (name, value) in facts {
            let _ = writeln!(out, "{name:<width$}  {value}");
        }
        out
    }
}

/// What was found, with its name; lines that continue the previous one have none.
fn facts(checkup: &Checkup) -> Vec<(&'static str, String)> {
    let mut rows: Vec<(&'static str, String)> = Vec::new();
    let driver = &checkup.driver;
    rows.push(match (&driver.library, &driver.cuda) {
        (Some(library), Some(cuda)) => ("driver", format!("{library}, CUDA {cuda}")),
        (Some(library), None) => ("driver", library.clone()),
        _ => ("driver", format!("none (looked for {})", driver.looked_for.join(", "))),
    });
    match (&driver.problem, checkup.gpus.is_empty()) {
        (Some(problem), _) => rows.push(("GPUs", problem.clone())),
        (None, true) => rows.push(("GPUs", "none; kernels run on the emulator".into())),
        (None, false) => {}
    }
    for gpu in &checkup.gpus {
        let gibibytes = gpu.memory >> 30;
        rows.push(("GPU", format!("{}, compute capability {}, {gibibytes} GiB", gpu.name, gpu.compute_capability)));
    }
    let nvrtc = &checkup.nvrtc;
    match (&nvrtc.path, &nvrtc.version) {
        (Some(path), Some(version)) => rows.push(("NVRTC", format!("{version}, {}", path.display()))),
        _ => rows.push((
            "NVRTC",
            "none: .cu files need it; pip install nvidia-cuda-nvrtc, or set WARPWISE_NVRTC to libnvrtc.so or its folder"
                .into(),
        )),
    }
    if let (Some(first), Some(last)) = (nvrtc.architectures.first(), nvrtc.architectures.last()) {
        rows.push(("", format!("compiles for compute capability {} to {}", dotted(*first), dotted(*last))));
    }
    for place in &nvrtc.looked_in {
        let mark = if place.outcome == "found" { "here: " } else { "" };
        let problem = match place.outcome.as_str() {
            "found" | "nothing" => String::new(),
            problem => format!(": {problem}"),
        };
        rows.push(("", format!("looked at {mark}{} ({}){problem}", place.path.display(), place.reason)));
    }
    rows.push(match (&checkup.nvcc.path, &checkup.nvcc.version) {
        (Some(path), Some(version)) => ("nvcc", format!("{version}, {}", path.display())),
        _ => ("nvcc", "none: only `exec` of .cu files needs it, and says what to pip install".into()),
    });
    let headers: Vec<String> = checkup.cuda_headers.iter().map(|p| p.display().to_string()).collect();
    match headers.as_slice() {
        [] => rows.push((
            "CUDA headers",
            "none: cuda_fp16.h, cooperative_groups.h and the like need them; pip install nvidia-cuda-runtime".into(),
        )),
        [first, rest @ ..] => {
            rows.push(("CUDA headers", first.clone()));
            rows.extend(rest.iter().map(|r| ("", r.clone())));
        }
    }
    let python = &checkup.python;
    rows.push(match (&python.version, &python.executable) {
        (Some(version), Some(path)) => ("Python", format!("{version}, {}", path.display())),
        _ => ("Python", "none (looked for python3)".into()),
    });
    match &python.environment {
        Some(path) => rows.push(("", format!("environment {}", path.display()))),
        None => rows.push(("", "no active environment (VIRTUAL_ENV, CONDA_PREFIX)".into())),
    }
    rows.push(("cores", format!("{}, SIMD {}", checkup.cpu.cores, checkup.cpu.simd)));
    rows.push(("emulator", format!("knows the limits of {}", checkup.emulator.gpus.join(", "))));
    rows
}

/// 90 is 9.0.
fn dotted(architecture: u32) -> String {
    format!("{}.{}", architecture / 10, architecture % 10)
}
