//! CUDA C++, compiled once: a kernel that is run again and again, as in a notebook, is not compiled again.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use warpwise_gpu::compiler::{self, CompileError, Compiled, Source};

/// Programs that are kept.
const KEPT: usize = 16;

/// Everything that the result depends on.
#[derive(PartialEq)]
struct Key {
    path: PathBuf,
    text: String,
    entry: Option<String>,
    compute_capability: (u32, u32),
    defines: Vec<String>,
    includes: Vec<PathBuf>,
    debug: bool,
}

static PROGRAMS: Mutex<Vec<(Key, Compiled)>> = Mutex::new(Vec::new());

/// The program, compiled now or before.
pub(super) fn compile(source: &Source<'_>) -> Result<Compiled, CompileError> {
    let key = Key {
        path: source.path.to_owned(),
        text: source.text.to_owned(),
        entry: source.entry.map(str::to_owned),
        compute_capability: source.compute_capability,
        defines: source.defines.to_vec(),
        includes: source.includes.to_vec(),
        debug: source.debug,
    };
    let kept = || PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, compiled)) = kept().iter().find(|(known, _)| *known == key) {
        return Ok(compiled.clone());
    }
    let compiled = compiler::compile(source)?;
    // Headers of its own may change without a trace in the key.
    if compiled.sources.len() <= 1 {
        let mut kept = kept();
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((key, compiled.clone()));
    }
    Ok(compiled)
}
