//! CUDA C++ to PTX, with NVRTC.
//!
//! [`compile`] takes a whole program as a student writes it: host code is set aside (`host_code`), host headers become
//! short stand-ins (`headers`), the program's own headers are read and treated the same way, and the rest goes to the
//! NVRTC that [`find`] finds (`search` has the search order).

mod diagnostics;
mod headers;
mod host_code;
mod include;
mod nvrtc;
mod search;

pub use diagnostics::{Diagnostic, printable};
pub use host_code::KernelSource;
pub use nvrtc::{Nvrtc, find};
pub use search::{Outcome, Place, Python, python, site_packages};

use host_code::Sources;
use include::Resolved;
use nvrtc::{Job, Outcomes};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A program to compile.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// Its path: messages name it, and its own headers are looked for beside it.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a str,
    /// The kernel wanted; a template instance such as `scale<float>` has to be named here to exist.
    pub entry: Option<&'a str>,
    /// Compute capability to compile for; the nearest that the compiler knows is used.
    pub compute_capability: (u32, u32),
    /// Macros, `NAME` or `NAME=VALUE`.
    pub defines: &'a [String],
    /// More folders with headers.
    pub includes: &'a [PathBuf],
    /// Whether nothing is optimised: every variable, store and line of the source stays.
    pub debug: bool,
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The PTX text.
    pub ptx: String,
    /// The mangled name of the requested template instance.
    pub instance: Option<String>,
    /// Mangled names of kernels that are local to the file, beside their names in the source.
    pub locals: Vec<(String, String)>,
    /// The kernels that the source declares.
    pub kernels: Vec<KernelSource>,
    /// Template instances that the program's host code launches.
    pub launched_instances: Vec<String>,
    /// The program and its own headers: name and text.
    pub sources: Vec<(String, String)>,
    /// Headers that were not found and were replaced by empty ones.
    pub missing_headers: Vec<String>,
    /// The compiler, `NVRTC 12.4`.
    pub compiler: String,
}

/// Why a program does not compile.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// NVRTC was not found.
    #[error("no CUDA compiler (NVRTC) found.\n{}", how_to_get_nvrtc(.places))]
    NoCompiler {
        /// Where it was looked for.
        places: Vec<Place>,
    },
    /// The program has errors.
    #[error("{} does not compile:\n{rendered}", .path.display())]
    Errors {
        /// The program.
        path: PathBuf,
        /// Each error.
        errors: Vec<Diagnostic>,
        /// The errors as text.
        rendered: String,
    },
    /// The requested template instance does not exist.
    #[error("no template instance `{entry}`: {problem}.{}", list_templates(.kernels))]
    Instance {
        /// The instance, as requested.
        entry: String,
        /// The compiler's words.
        problem: String,
        /// The kernels that exist.
        kernels: Vec<KernelSource>,
    },
    /// A CUDA device header is not installed.
    #[error(
        "`#include <{header}>` needs CUDA's own headers, which were not found beside NVRTC. Get them with: pip install {package}"
    )]
    NoHeader {
        /// The header.
        header: String,
        /// The packages that have it.
        package: &'static str,
    },
    /// The text cannot be handed to the compiler.
    #[error("the file contains a NUL character, so it is not C++ text")]
    NulCharacter,
    /// The compiler itself failed.
    #[error("NVRTC at {} failed: {problem}", .path.display())]
    Library {
        /// Where the library is.
        path: PathBuf,
        /// Its words.
        problem: String,
    },
}

/// Rounds of compiling and setting aside: each removes at least one item, so programs need far fewer.
const ROUNDS: usize = 12;

/// Compiles a program to PTX.
pub fn compile(source: &Source<'_>) -> Result<Compiled, CompileError> {
    let (nvrtc, places) = find();
    let Some(nvrtc) = nvrtc else { return Err(CompileError::NoCompiler { places }) };
    compile_with(&nvrtc, source)
}

/// Compiles a program to PTX with a given NVRTC.
pub fn compile_with(nvrtc: &Nvrtc, source: &Source<'_>) -> Result<Compiled, CompileError> {
    let name = source.path.display().to_string();
    let program = source.text.strip_prefix('\u{feff}').unwrap_or(source.text).to_owned();
    let resolved = include::resolve(source.path, program, source.includes, nvrtc)?;
    let Resolved { files, mut headers, folders, missing } = resolved;
    let instance = source.entry.filter(|e| e.contains('<')).map(|e| e.trim().to_owned());
    let mut sources = Sources::scan(files, instance.as_deref().unwrap_or(""));
    let kernels = sources.kernels();
    let locals = local_names(&kernels);
    let expressions: Vec<String> = instance.iter().chain(&locals).cloned().collect();
    let options = options(nvrtc, source, &folders);
    let stand_ins = headers.len();
    let mut first_errors: Vec<Diagnostic> = Vec::new();
    for round in 0..ROUNDS {
        headers.truncate(stand_ins);
        headers.extend((1..sources.files.len()).map(|i| (sources.files[i].name.clone(), sources.device_text(i))));
        let text = sources.device_text(0);
        let job = Job { name: &name, text: &text, headers: &headers, options: &options, expressions: &expressions };
        let log = match nvrtc.compile(&job)? {
            Outcomes::Ptx { text: ptx, mut lowered } => {
                let local_symbols = lowered.split_off(usize::from(instance.is_some()));
                return Ok(Compiled {
                    ptx,
                    instance: lowered.pop(),
                    locals: local_symbols.into_iter().zip(locals).collect(),
                    kernels,
                    launched_instances: sources.launched_instances(),
                    sources: sources.files.into_iter().map(|f| (f.name, f.text)).collect(),
                    missing_headers: missing,
                    compiler: format!("NVRTC {}.{}", nvrtc.version.0, nvrtc.version.1),
                });
            }
            Outcomes::Errors(log) => log,
        };
        let errors = diagnostics::errors(&log);
        let removed = errors.iter().filter(|e| sources.set_aside(&e.file, e.line)).count();
        if removed == 0 || round + 1 == ROUNDS {
            return Err(failure(source, &name, &sources, errors, first_errors, &log, &kernels, &missing));
        }
        if first_errors.is_empty() {
            first_errors = errors;
        }
    }
    unreachable!("the last round returns")
}

/// Kernels that exist only when requested by name; overloaded names cannot be requested.
fn local_names(kernels: &[KernelSource]) -> Vec<String> {
    let unique = |k: &&KernelSource| kernels.iter().filter(|other| other.qualified == k.qualified).count() == 1;
    kernels.iter().filter(|k| k.is_local && !k.is_template).filter(unique).map(|k| k.qualified.clone()).collect()
}

fn options(nvrtc: &Nvrtc, source: &Source<'_>, folders: &[PathBuf]) -> Vec<String> {
    let wanted = source.compute_capability.0 * 10 + source.compute_capability.1;
    let known = nvrtc.architectures();
    let below = known.iter().copied().filter(|&a| a <= wanted).max();
    let architecture = below.or_else(|| known.iter().copied().min()).unwrap_or(wanted);
    let mut options = vec![
        format!("--gpu-architecture=compute_{architecture}"),
        "--std=c++17".into(),
        if source.debug { "--device-debug".into() } else { "--generate-line-info".into() },
        "--device-as-default-execution-space".into(),
        "--disable-warnings".into(),
        format!("--pre-include={}", headers::BASE.0),
    ];
    options.extend(source.defines.iter().map(|d| format!("--define-macro={d}")));
    options.extend(source.includes.iter().chain(folders).map(|f| format!("--include-path={}", f.display())));
    options
}

/// Turns the errors of a program that does not compile into words.
#[allow(clippy::too_many_arguments, reason = "everything that is known at the end of the rounds")]
fn failure(
    source: &Source<'_>,
    name: &str,
    sources: &Sources,
    errors: Vec<Diagnostic>,
    first_errors: Vec<Diagnostic>,
    log: &str,
    kernels: &[KernelSource],
    missing: &[String],
) -> CompileError {
    const NAME_MAP: &str = "__nv_name_map";
    // Something set aside in an earlier round may be what the kernel misses now; then the first complaint is the one to
    // show.
    let own: Vec<Diagnostic> = errors.iter().filter(|e| e.file != NAME_MAP).cloned().collect();
    if let (Some(problem), Some(entry), true) = (errors.first(), source.entry, own.is_empty()) {
        let (entry, problem) = (entry.to_owned(), problem.message.clone());
        return CompileError::Instance { entry, problem, kernels: kernels.to_vec() };
    }
    let undefined = own.iter().any(|e| e.message.contains("undefined") || e.message.contains("has no member"));
    let shown = if undefined && !first_errors.is_empty() { first_errors } else { own };
    let line_of = |file: &str, line: usize| {
        let file = sources.files.iter().find(|f| f.name == file)?;
        file.text.lines().nth(line.checked_sub(1)?).map(str::to_owned)
    };
    let mut rendered = diagnostics::render(&shown, line_of);
    if shown.is_empty() {
        rendered = log.trim().to_owned();
    }
    if !missing.is_empty() {
        let _ = write!(rendered, "\nnote: not found and left out: {}", missing.join(", "));
    }
    CompileError::Errors { path: PathBuf::from(name), errors: shown, rendered }
}

fn how_to_get_nvrtc(places: &[Place]) -> String {
    let mut text = String::from(
        "Get it with `pip install nvidia-cuda-nvrtc` (in the active Python environment), install the CUDA toolkit, or \
         set WARPWISE_NVRTC to libnvrtc.so or its folder.\nA .ptx file needs no compiler.\nLooked in:",
    );
    for place in places {
        let _ = write!(text, "\n  {:<15} {}", place.reason, place.path.display());
        if let Outcome::Unusable(problem) = &place.outcome {
            let _ = write!(text, ": {problem}");
        }
    }
    text
}

fn list_templates(kernels: &[KernelSource]) -> String {
    let mut text = String::new();
    for kernel in kernels.iter().filter(|k| k.is_template) {
        let _ = write!(text, "\n  {}", kernel.declaration);
    }
    if text.is_empty() { String::new() } else { format!(" The templates are:{text}") }
}
