//! Why a program cannot be run.

use std::io;
use std::path::PathBuf;

/// Bad input to `exec`.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// Nothing to run.
    #[error("nothing to run: give a .cu file, a .py file, or a program with its arguments after --")]
    Nothing,
    /// Several files that are not sources.
    #[error("`{word}` is not a source file: give one program, and its own arguments after --")]
    Several {
        /// The file.
        word: String,
    },
    /// A file is not there.
    #[error("there is no program `{}`: give its path, such as ./a.out", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {problem}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: io::Error,
    },
    /// A folder of ours cannot be made.
    #[error("cannot make {}: {problem}; XDG_CACHE_HOME may name another folder", .path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        problem: io::Error,
    },
    /// A library of ours is not there.
    #[error("{name} is not beside the program, nor in {looked}: build it with `cargo build -p {package}`")]
    Library {
        /// The library.
        name: &'static str,
        /// The package that has it.
        package: &'static str,
        /// Where it was looked for.
        looked: String,
    },
    /// NVIDIA's runtime is part of the program.
    #[error(
        "{} has NVIDIA's runtime library linked into it, which runs on NVIDIA's driver only: link the program with \
         `nvcc -cudart shared` (CMake: set CUDA_RUNTIME_LIBRARY to Shared)",
        .path.display()
    )]
    StaticRuntime {
        /// The program.
        path: PathBuf,
    },
    /// There is machine code only.
    #[error(
        "{} has machine code for GPUs and no PTX, which is what the emulator runs: build it with `nvcc -arch=compute_{cc}`, \
         or add `-gencode arch=compute_{cc},code=compute_{cc}`",
        .path.display()
    )]
    NoPtx {
        /// The program.
        path: PathBuf,
        /// The compute capability of the GPU.
        cc: u32,
    },
    /// There is no nvcc.
    #[error(
        "no nvcc was found in CUDA_HOME, on PATH, in /usr/local/cuda and in Python's packages, and a .cu file needs it: \
         pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl (no GPU needed)"
    )]
    NoNvcc,
    /// The compiler cannot be started.
    #[error("cannot run {}: {problem}", .path.display())]
    Compiler {
        /// The compiler.
        path: PathBuf,
        /// Why.
        problem: io::Error,
    },
    /// The program does not compile.
    #[error("{file} does not compile:\n{}", .messages.trim_end())]
    Compile {
        /// The source.
        file: String,
        /// What the compiler says.
        messages: String,
    },
    /// Its parts do not fit together.
    #[error("the program does not link:\n{}", .messages.trim_end())]
    Link {
        /// What the linker says.
        messages: String,
    },
    /// A file of kernels.
    #[error(
        "{name} has no main, so it is no program: run a kernel of it with `warpwise run {name} --entry NAME --arg ...`; \
         `warpwise inspect {name}` says what its kernels take",
        name = .file.display()
    )]
    NoMain {
        /// The source.
        file: PathBuf,
    },
    /// Options that only sources have.
    #[error("--nvcc-arg is for .cu files: {} is compiled already", .path.display())]
    NotCompiled {
        /// The program.
        path: PathBuf,
    },
    /// An unknown GPU.
    #[error("--gpu: `{name}` is not a GPU that is known: use one of {}", .known.join(", "))]
    Gpu {
        /// The name.
        name: String,
        /// Those that are.
        known: Vec<String>,
    },
    /// Options of the emulator on a GPU.
    #[error("{flag} is for the emulator: leave it out, or use --device emulator")]
    EmulatorOnly {
        /// The option.
        flag: &'static str,
    },
    /// There is no GPU to compare with.
    #[error("--device both: {why}; use --device emulator")]
    NoGpu {
        /// Why.
        why: String,
    },
    /// The program cannot be started.
    #[error("cannot start {}: {problem}", .path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// Why.
        problem: io::Error,
    },
    /// A trace cannot be read.
    #[error("the trace of the program cannot be read: {0}")]
    Trace(io::Error),
}
