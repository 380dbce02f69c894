//! A kernel file, read and compiled: PTX with what is known about its source.

use super::error::RunError;
use crate::kernels::source::SourceMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpwise_gpu::Gpu;
use warpwise_gpu::compiler::{Compiled, Source};
use warpwise_simt::Program;

/// A loaded kernel file.
#[derive(Debug)]
pub(in crate::kernels) struct KernelFile {
    /// The program with its texts.
    pub(in crate::kernels) sources: SourceMap,
    /// What the compiler says, for CUDA C++.
    pub(in crate::kernels) compiled: Option<Compiled>,
    /// Remarks for the user.
    pub(in crate::kernels) notes: Vec<String>,
}

/// Options for the compiler.
#[derive(Clone, Copy, Debug)]
pub(in crate::kernels) struct Options<'a> {
    /// Macros.
    pub(in crate::kernels) defines: &'a [String],
    /// Folders with headers.
    pub(in crate::kernels) includes: &'a [PathBuf],
    /// Whether nothing is optimised.
    pub(in crate::kernels) debug: bool,
}

/// Larger than any kernel file: a larger file is something else.
const LARGEST: u64 = 256 << 20;

/// Reads a `.ptx` file, or reads and compiles a `.cu` file.
pub(in crate::kernels) fn load(
    path: &Path,
    entry: Option<&str>,
    gpu: &Gpu,
    Options { defines, includes, debug }: Options<'_>,
) -> Result<KernelFile, RunError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let is_ptx = match extension.as_str() {
        "ptx" => true,
        "cu" | "cuh" | "cpp" | "cxx" | "cc" | "c" => false,
        _ if path.is_dir() => return Err(unreadable(path, "it is a folder")),
        _ => return Err(RunError::Extension { path: path.to_owned() }),
    };
    let text = read(path)?;
    if is_ptx {
        let program = parse(path, &text)?;
        let files = siblings(path, &program);
        let sources = SourceMap { program, ptx: text, ptx_name: path.display().to_string(), files };
        let ignored = debug.then(|| "--debug has no effect on PTX, which is already compiled".to_owned());
        return Ok(KernelFile { sources, compiled: None, notes: ignored.into_iter().collect() });
    }
    let source = Source { path, text: &text, entry, compute_capability: gpu.cc, defines, includes, debug };
    let mut compiled = super::compiled::compile(&source)?;
    let program = parse(path, &compiled.ptx)?;
    let mut notes = Vec::new();
    if !compiled.missing_headers.is_empty() {
        notes.push(format!("not found and left out: {}", compiled.missing_headers.join(", ")));
    }
    let sources = SourceMap {
        program,
        ptx: compiled.ptx.clone(),
        ptx_name: "the compiled PTX".to_owned(),
        files: std::mem::take(&mut compiled.sources),
    };
    Ok(KernelFile { sources, compiled: Some(compiled), notes })
}

/// Sources that lie beside a PTX file under the names in its line information, as `nvcc -lineinfo -ptx` leaves them.
/// Only C++ files, and only there: a module may name anything.
fn siblings(path: &Path, program: &Program) -> Vec<(String, String)> {
    let read_sibling = |file: &warpwise_ptx::ast::SourceFile| {
        let name = Path::new(&*file.path).file_name()?;
        let extension = Path::new(name).extension()?.to_str()?;
        let sibling = path.with_file_name(name);
        let fits = matches!(extension, "cu" | "cuh" | "h" | "hpp" | "cpp" | "cc");
        let text = read(&sibling).ok().filter(|_| fits)?;
        Some((sibling.display().to_string(), text))
    };
    program.module().files.iter().filter_map(read_sibling).collect()
}

fn parse(path: &Path, ptx: &str) -> Result<Arc<Program>, RunError> {
    let problem = |e: warpwise_simt::LoadError| RunError::Module { path: path.to_owned(), problem: e.to_string() };
    Program::load(ptx).map(Arc::new).map_err(problem)
}

fn unreadable(path: &Path, problem: impl ToString) -> RunError {
    RunError::Read { path: path.to_owned(), problem: problem.to_string() }
}

fn read(path: &Path) -> Result<String, RunError> {
    let metadata = std::fs::metadata(path).map_err(|e| unreadable(path, e))?;
    if metadata.is_dir() {
        return Err(unreadable(path, "it is a folder"));
    }
    if metadata.len() > LARGEST {
        return Err(unreadable(path, "it is far too large for a kernel"));
    }
    let bytes = std::fs::read(path).map_err(|e| unreadable(path, e))?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(unreadable(path, "it is empty"));
    }
    if bytes.contains(&0) {
        return Err(unreadable(path, "it is not a text file"));
    }
    // Old encodings in comments are harmless.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
