//! Writes buffers to files.

use super::error::RunError;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes to a temporary file that is renamed when it is complete, so that nothing is left half-written.
pub(super) fn write(
    folder: &Path,
    name: &str,
    contents: impl FnOnce(&mut dyn Write) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let path = folder.join(name);
    let unfinished = folder.join(format!(".{name}.{}.part", std::process::id()));
    let failed = |problem| RunError::File { path: path.clone(), problem };
    let mut file = BufWriter::new(File::create(&unfinished).map_err(failed)?);
    let outcome = contents(&mut file)
        .and_then(|()| file.flush().map_err(failed))
        .and_then(|()| std::fs::rename(&unfinished, &path).map_err(failed));
    if outcome.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&unfinished);
    }
    outcome
}
