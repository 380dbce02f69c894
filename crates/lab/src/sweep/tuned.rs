//! Keeping the best configuration for the library.

use super::Report;
use crate::bench::BenchError;
use std::path::PathBuf;
use warpwise::tuning::{self, Tuned};

/// Writes the best configuration to the user's tuning table, which the library reads; says which file that is.
pub fn save(report: &Report) -> Result<PathBuf, BenchError> {
    let refuse = |problem: &str| BenchError::flag("--save", problem);
    let Some(gpu) = &report.device.gpu else {
        return Err(refuse("only times on a GPU are worth keeping: use --device cuda"));
    };
    let best = report.best.as_ref().ok_or_else(|| refuse("no configuration was measured"))?;
    let file = tuning::file().ok_or_else(|| refuse("there is no home folder: set WARPWISE_TUNING to a file"))?;
    let mut table = tuning::read(&file).map_err(|why| refuse(&why))?;
    table.add(Tuned {
        gpu: gpu.clone(),
        primitive: report.primitive.to_owned(),
        variant: report.variant.to_owned(),
        ty: report.ty.to_owned(),
        block: best.block,
        grid: best.grid,
        items: best.items,
    });
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|problem| crate::files::FileError::Write { path: folder.to_owned(), problem })?;
    }
    crate::files::save(&file, table.to_toml().as_bytes())?;
    Ok(file)
}
