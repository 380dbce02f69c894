//! Resolves `#include`: the program's own headers, stand-ins, CUDA's headers, and headers that cannot be found.

use super::host_code::includes;
use super::{CompileError, Nvrtc, headers};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The result of following a program's includes.
#[derive(Debug)]
pub(super) struct Resolved {
    /// The program and its own headers, each under the name it is included by.
    pub(super) files: Vec<(String, String)>,
    /// Stand-ins to pass to the compiler.
    pub(super) headers: Vec<(String, String)>,
    /// Folders with the CUDA headers that are needed.
    pub(super) folders: Vec<PathBuf>,
    /// Headers that were not found: passed as empty ones, because usually only host code uses them.
    pub(super) missing: Vec<String>,
}

/// More files than a program has of its own: beyond this, includes are circular or lead into a library.
const FILES: usize = 512;

/// Follows the includes of a program.
pub(super) fn resolve(path: &Path, text: String, folders: &[PathBuf], nvrtc: &Nvrtc) -> Result<Resolved, CompileError> {
    let always = headers::ALWAYS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let mut resolved =
        Resolved { files: Vec::new(), headers: always.collect(), folders: Vec::new(), missing: Vec::new() };
    let mut seen: HashSet<String> = headers::ALWAYS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut cuda_folders: Option<Vec<PathBuf>> = None;
    // Files still to be searched for includes, with the folder each is in.
    let mut queue = vec![(path.display().to_string(), text, path.parent().map(Path::to_owned).unwrap_or_default())];
    while let Some((name, text, folder)) = queue.pop() {
        for (included, quoted) in includes(&text) {
            // A program's own header may have the name of a stand-in that is always passed.
            let own = quoted.then(|| folder.join(&included)).into_iter();
            let own = own.chain(folders.iter().map(|f| f.join(&included))).find(|p| p.is_file());
            if own.is_none() && seen.contains(&included) || resolved.files.len() + queue.len() > FILES {
                continue;
            }
            let known = !seen.insert(included.clone());
            if let Some(text) = own.as_ref().filter(|_| !known).and_then(|p| read(p)) {
                let folder = own.as_ref().and_then(|p| p.parent()).map(Path::to_owned).unwrap_or_default();
                queue.push((included, text, folder));
            } else if known {
            } else if let Some(text) = headers::stand_in(&included) {
                resolved.headers.push((included, text.to_owned()));
            } else {
                let cuda = cuda_folders.get_or_insert_with(|| nvrtc.header_folders());
                if cuda.iter().any(|f| f.join(&included).is_file()) {
                    resolved.folders.clone_from(cuda);
                    // CUDA's `mma.h` and `curand_kernel.h` are short: their contents are in a separate package.
                    let crt = included.starts_with("mma.h") || included.starts_with("curand_");
                    if crt && !cuda.iter().any(|f| f.join("crt").is_dir()) {
                        return Err(no_header("crt/", &included, nvrtc));
                    }
                } else if headers::package_of(&included, nvrtc.version.0).is_some() {
                    return Err(no_header(&included, &included, nvrtc));
                } else {
                    resolved.headers.push((included.clone(), "#pragma once\n".to_owned()));
                    resolved.missing.push(included);
                }
            }
        }
        resolved.files.push((name, text));
    }
    Ok(resolved)
}

fn no_header(package_of: &str, header: &str, nvrtc: &Nvrtc) -> CompileError {
    let package = headers::package_of(package_of, nvrtc.version.0).unwrap_or("nvidia-cuda-runtime");
    CompileError::NoHeader { header: header.to_owned(), package }
}

/// A header's text; odd bytes (old encodings in comments) are replaced.
fn read(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // A NUL ends the text for the compiler, so anything after it is ignored.
    Some(text.split('\0').next().unwrap_or("").to_owned())
}
