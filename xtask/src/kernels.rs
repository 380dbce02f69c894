//! `cargo xtask kernels`: CUDA C++ to checked-in PTX.
//!
//! The compiler is a pinned NVRTC from the Python package index, in a virtual environment under `target/`, so that
//! everybody gets the same text and `--check` can compare bytes. An assembler, pinned too, says what kernels take.

use crate::{ptx, seal};
use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};
use warpwise_model::Assembler;

/// The last NVRTC series that compiles for compute capability 7.0.
const PACKAGE: &str = "nvidia-cuda-nvrtc-cu12==12.9.86";
/// The assembler of that series.
const ASSEMBLER: &str = "nvidia-cuda-nvcc-cu12==12.9.86";
const SCRIPT: &str = include_str!("nvrtc.py");
/// The folder of the primitives, from the root of the repository.
const SOURCES: &str = "crates/warpwise/src";
/// The header of all primitives, beside their folders.
const HEADER: &str = "kernels.cuh";
const OPTIONS: [&str; 2] = ["--std=c++17", "--generate-line-info"];

/// What a source file is compiled for.
struct Target {
    architecture: &'static str,
    /// What it is assembled for, to see what kernels take.
    machine: &'static str,
    /// The PTX ISA version that the text declares. The compiler declares its own, and a driver refuses a version newer
    /// than itself: the oldest one with everything that the kernels use suits the most drivers.
    isa: &'static str,
}

/// Kernels for every GPU.
const ANY: Target = Target { architecture: "--gpu-architecture=compute_70", machine: "sm_90", isa: "6.0" };
/// Those of `hopper.cu`, which use features of compute capability 9.0 (PTX ISA 8.0 is CUDA 12's).
const HOPPER: Target = Target { architecture: "--gpu-architecture=compute_90a", machine: "sm_90a", isa: "8.0" };

/// Compiles the source files of a primitive, or all of them, and writes the PTX beside each.
pub(crate) fn build(primitive: Option<&str>) -> Result<()> {
    let mut total = 0;
    for (source, text) in compiled(&chosen(primitive)?)? {
        let path = root().join(&source).with_extension("ptx");
        let old = fs::read_to_string(&path).unwrap_or_default();
        if old != text {
            fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        let note = if old == text { "unchanged" } else { "written" };
        println!("{source}: {} kernels, {} KB, {note}", ptx::kernels(&text).len(), text.len() / 1024);
        total += text.len();
    }
    println!("{} KB in all", total / 1024);
    Ok(())
}

/// Fails when a PTX file is missing or differs from what its source compiles to. Those whose seal holds are compiled only if
/// all are.
pub(crate) fn check(all: bool) -> Result<()> {
    let mut doubtful = chosen(None)?;
    let count = doubtful.len();
    if !all {
        let holds = |source: &String| -> Result<bool> {
            let text = fs::read_to_string(root().join(source).with_extension("ptx")).unwrap_or_default();
            let inputs = inputs(source)?;
            Ok(seal::holds(&text, &inputs.iter().map(String::as_str).collect::<Vec<_>>()))
        };
        let held = doubtful.iter().map(holds).collect::<Result<Vec<_>>>()?;
        let mut held = held.into_iter();
        doubtful.retain(|_| !held.next().unwrap_or(false));
    }
    let mut stale = Vec::new();
    for (source, text) in compiled(&doubtful)? {
        let path = root().join(&source).with_extension("ptx");
        if fs::read_to_string(&path).ok().as_deref() != Some(&*text) {
            stale.push(source);
        }
    }
    ensure!(
        stale.is_empty(),
        "the PTX of these files is not up to date; run `cargo xtask kernels`: {}",
        stale.join(", ")
    );
    println!("every PTX file matches its source: {} of {count} compiled, the others are sealed", doubtful.len());
    Ok(())
}

/// The source files of a primitive, or all.
fn chosen(primitive: Option<&str>) -> Result<Vec<String>> {
    let mut sources = sources()?;
    if let Some(primitive) = primitive {
        sources.retain(|source| source.starts_with(&format!("{SOURCES}/{primitive}/")));
        ensure!(!sources.is_empty(), "no kernels under {SOURCES}/{primitive}");
    }
    Ok(sources)
}

/// Source files and what they compile to; as many are compiled at once as there are cores.
fn compiled(sources: &[String]) -> Result<Vec<(String, String)>> {
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let compiler = Compiler::get()?;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((source.clone(), compiler.compile(source)?));
        }
        Ok(done)
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut all = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut all = Vec::new();
        for worker in workers {
            let done: Result<Vec<_>> = worker.join().map_err(|_| anyhow!("a compiler panicked"))?;
            all.extend(done?);
        }
        Ok::<_, Error>(all)
    })?;
    all.sort();
    Ok(all)
}

/// Prints the names of all kernels.
pub(crate) fn list() -> Result<()> {
    for source in sources()? {
        let path = root().join(&source).with_extension("ptx");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for kernel in ptx::kernels(&text) {
            println!("{kernel}");
        }
    }
    Ok(())
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.parent().map(Path::to_owned).unwrap_or(manifest)
}

/// Every `.cu` in a folder of a primitive, as a path from the root of the repository, in order of name.
fn sources() -> Result<Vec<String>> {
    let mut found = Vec::new();
    collect(SOURCES, &mut found)?;
    ensure!(!found.is_empty(), "no kernels under {SOURCES}");
    Ok(found)
}

/// Adds the `.cu` files of a folder and its subfolders.
fn collect(folder: &str, found: &mut Vec<String>) -> Result<()> {
    for name in names(&root().join(folder), "")? {
        let path = format!("{folder}/{name}");
        if root().join(&path).is_dir() {
            collect(&path, found)?;
        } else if name.ends_with(".cu") {
            found.push(path);
        }
    }
    Ok(())
}

/// The files of a folder with this extension, in order of name.
fn names(folder: &Path, ending: &str) -> Result<Vec<String>> {
    let entries = folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))?;
    let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(ending));
    names.sort();
    Ok(names)
}

/// A Python that can load NVRTC, the NVRTC, and an assembler.
struct Compiler {
    python: PathBuf,
    library: PathBuf,
    assembler: PathBuf,
}

impl Compiler {
    /// The pinned NVRTC and assembler; installed on first use.
    fn get() -> Result<Self> {
        let environment = root().join("target/nvrtc");
        let stamp = environment.join(format!("{PACKAGE}.{ASSEMBLER}.installed"));
        let python = environment.join("bin/python3");
        if !stamp.is_file() {
            eprintln!("installing {PACKAGE} and {ASSEMBLER} in target/nvrtc");
            run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
            run(Command::new(&python).args(["-m", "pip", "install", "--quiet", PACKAGE, ASSEMBLER]))?;
            fs::write(&stamp, "").with_context(|| format!("cannot write {}", stamp.display()))?;
        }
        let find = |package: &str, file: &str| -> Result<PathBuf> {
            let script = format!("import nvidia.{package} as p; print(list(p.__path__)[0] + '/{file}')");
            Ok(run(Command::new(&python).args(["-c", &script]))?.trim().into())
        };
        let (library, assembler) = (find("cuda_nvrtc", "lib/libnvrtc.so.12")?, find("cuda_nvcc", "bin/ptxas")?);
        Ok(Self { python, library, assembler })
    }

    /// Compiles one file, given from the root of the repository.
    fn compile(&self, source: &str) -> Result<String> {
        let target = target(source);
        let path = root().join(source);
        let folder = path.parent().context("a source file is in a folder")?;
        let mut command = Command::new(&self.python);
        command.args(["-c", SCRIPT]).arg(&self.library).arg(&path).arg(source);
        let mut sources = vec![source.to_owned()];
        // Its headers are those beside it, and the shared one. Some of those beside it contain rungs, and say so.
        for (header, included_as) in names(folder, ".cuh")?.into_iter().map(|name| (folder.join(&name), name)) {
            command.arg(format!("{}={included_as}", header.display()));
            if fs::read_to_string(&header)?.contains("// Rung") {
                let beside = source.rsplit_once('/').map_or("", |(folder, _)| folder);
                sources.push(format!("{beside}/{included_as}"));
            }
        }
        let below = source.trim_start_matches(SOURCES).split('/').count() - 2;
        command.arg(format!("{}={}{HEADER}", root().join(SOURCES).join(HEADER).display(), "../".repeat(below)));
        command.args(["--", target.architecture]).args(OPTIONS);
        let text = run(&mut command).with_context(|| format!("{source} does not compile"))?;
        let text = ptx::tidy(&text, &sources, PACKAGE, target.isa)?;
        let text = Assembler::new(&self.assembler)
            .noted(&text, target.machine)
            .map_err(|words| anyhow!("{source} does not assemble:\n{words}"))?;
        let inputs = inputs(source)?;
        Ok(seal::sealed(&text, &inputs.iter().map(String::as_str).collect::<Vec<_>>()))
    }
}

/// What a source file is compiled for.
fn target(source: &str) -> Target {
    if source.ends_with("/hopper.cu") { HOPPER } else { ANY }
}

/// All that decides what a source file compiles to: the compiler, what it is told, and the texts that it reads.
fn inputs(source: &str) -> Result<Vec<String>> {
    let target = target(source);
    let words = [PACKAGE, ASSEMBLER, target.architecture, target.machine, target.isa, source];
    let mut inputs: Vec<String> = words.map(str::to_owned).into();
    inputs.extend(OPTIONS.map(str::to_owned));
    let path = root().join(source);
    let folder = path.parent().context("a source file is in a folder")?;
    let headers = names(folder, ".cuh")?.into_iter().map(|name| folder.join(name));
    for file in [path.clone(), root().join(SOURCES).join(HEADER)].into_iter().chain(headers) {
        inputs.push(fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?);
    }
    Ok(inputs)
}

/// Runs a command and returns its output; warnings are shown or, if it fails, put into the error.
fn run(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot run {program}"))?;
    let complaints = String::from_utf8_lossy(&output.stderr);
    // The old architecture is intended.
    let complaints: Vec<&str> = complaints.lines().filter(|l| !l.contains("Architectures prior to")).collect();
    if !output.status.success() {
        bail!("{program} failed: {}", complaints.join("\n"));
    }
    if !complaints.is_empty() {
        eprintln!("{}", complaints.join("\n"));
    }
    Ok(String::from_utf8(output.stdout)?)
}
