//! Keeping the best configuration for the library.

use super::{Point, Report};
use crate::Place;
use crate::measure::bench::BenchError;
use std::path::{Path, PathBuf};
use warpwise::tuning::{self, Tuned};

/// Checks that the best configuration of a sweep can be kept, before the sweep.
pub fn check_save(place: Place) -> Result<(), BenchError> {
    if !matches!(place, Place::Auto | Place::Cuda) || warpwise::Device::cuda().is_err() {
        return Err(refuse(NOT_A_GPU));
    }
    let file = table()?;
    tuning::read(&file).map_err(|why| BenchError::flag("--save", why))?;
    make_folder(&file)?;
    Ok(crate::files::check_writable(&file)?)
}

const NOT_A_GPU: &str = "only times on a GPU are worth keeping: use --device cuda on a machine that has one";

fn refuse(problem: &str) -> BenchError {
    BenchError::flag("--save", problem)
}

/// The file of the user's tuning table.
fn table() -> Result<PathBuf, BenchError> {
    tuning::file().ok_or_else(|| refuse("there is no home folder: set WARPWISE_TUNING to a file"))
}

fn make_folder(file: &Path) -> Result<(), BenchError> {
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|problem| crate::files::FileError::Write { path: folder.to_owned(), problem })?;
    }
    Ok(())
}

/// Writes the best configuration to the user's tuning table, which the library reads, and returns the file.
pub fn save(report: &Report) -> Result<PathBuf, BenchError> {
    let Some(gpu) = &report.device.gpu else { return Err(refuse(NOT_A_GPU)) };
    let best = report.best.as_ref().ok_or_else(|| refuse("no configuration was measured"))?;
    let file = table()?;
    keep(report, gpu, best, &file)?;
    Ok(file)
}

/// Adds a configuration to a table, replacing an earlier one for the same GPU, rung and type.
fn keep(report: &Report, gpu: &str, best: &Point, file: &Path) -> Result<(), BenchError> {
    let mut table = tuning::read(file).map_err(|why| BenchError::flag("--save", why))?;
    table.add(Tuned {
        gpu: gpu.to_owned(),
        primitive: report.primitive.to_owned(),
        variant: report.variant.to_owned(),
        ty: report.ty.to_owned(),
        block: best.block,
        grid: best.grid,
        items: best.items,
    });
    make_folder(file)?;
    Ok(crate::files::save(file, table.to_toml().as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;
    use crate::measure::bench::{DeviceFacts, HostFacts};

    fn report(gpu: Option<&str>, block: u32) -> Report {
        let best = Point { block: Some(block), grid: Some(512), ok: true, score: Some(1.0), ..Point::default() };
        Report {
            schema: 1,
            host: HostFacts::default(),
            device: DeviceFacts { gpu: gpu.map(Into::into), ..DeviceFacts::default() },
            primitive: "reduce",
            variant: "gpu-7-multi-add",
            ty: "i32",
            size: "2^24".into(),
            kernels: "0".into(),
            ranked_by: "time_ms",
            estimated_gpu: None,
            results: vec![best.clone()],
            best: Some(best),
            equal: 1,
            left_out: 0,
            interrupted: false,
        }
    }

    #[test]
    fn the_best_is_kept_once_for_each_gpu() {
        let file = folder("tuned").join("deep/tuning.toml");
        for (gpu, block) in [("NVIDIA H200", 128), ("NVIDIA L4", 64), ("NVIDIA H200", 256)] {
            let report = report(Some(gpu), block);
            keep(&report, gpu, report.best.as_ref().unwrap(), &file).unwrap();
        }
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text.matches("gpu-7-multi-add").count(), 2, "{text}");
        assert!(text.contains("256") && text.contains("64") && !text.contains("128"), "{text}");
        assert!(tuning::read(&file).is_ok(), "the library reads it");
    }

    #[test]
    fn a_sweep_that_cannot_be_kept_is_refused_before_it_begins() {
        for place in [Place::Emulator, Place::Cpu] {
            let error = check_save(place).unwrap_err().to_string();
            assert!(error.starts_with("--save: only times on a GPU are worth keeping"), "{error}");
        }
    }

    #[test]
    fn only_times_of_a_gpu_are_kept() {
        let error = save(&report(None, 64)).unwrap_err().to_string();
        assert!(error.starts_with("--save: only times on a GPU"), "{error}");
        let nothing = Report { best: None, ..report(Some("NVIDIA H200"), 64) };
        assert!(save(&nothing).unwrap_err().to_string().contains("no configuration was measured"));
    }
}
