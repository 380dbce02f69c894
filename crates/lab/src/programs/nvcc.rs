//! Finding nvcc: in a toolkit, on the search path, or in the packages of a Python environment.

use super::ProgramError;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use warpwise_gpu::compiler::site_packages;

/// A compiler for whole programs.
#[derive(Clone, Debug)]
pub(super) struct Nvcc {
    /// The executable.
    pub(super) program: PathBuf,
    /// What it says about itself.
    pub(super) version: String,
    /// The first number of its release.
    pub(super) major: u32,
}

/// The environment variables that name a toolkit.
const TOOLKITS: [&str; 3] = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"];
/// Where packages of Python have it, inside `site-packages`.
const PACKAGES: [&str; 3] = ["nvidia/cu13/bin/nvcc", "nvidia/cuda_nvcc/bin/nvcc", "nvidia/cu12/bin/nvcc"];

impl Nvcc {
    /// The first one that works.
    pub(super) fn find() -> Result<Self, ProgramError> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let toolkits = TOOLKITS.iter().filter_map(|name| set(name)).map(|root| PathBuf::from(root).join("bin/nvcc"));
        let path = set("PATH").unwrap_or_default();
        let on_path: Vec<PathBuf> = std::env::split_paths(&path).map(|folder| folder.join("nvcc")).collect();
        let system = ["/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc"].map(PathBuf::from);
        let near = toolkits.chain(on_path).chain(system);
        // Asking Python costs a process: that comes last.
        let packages = std::iter::once_with(site_packages).flatten();
        let packages = packages.flat_map(|site| PACKAGES.map(|package| site.join(package)));
        near.chain(packages).filter(|path| is_executable(path)).find_map(Self::at).ok_or(ProgramError::NoNvcc)
    }

    /// The one at a path, if it runs.
    fn at(program: PathBuf) -> Option<Self> {
        let output = Command::new(&program).arg("--version").output().ok().filter(|output| output.status.success())?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let major = release(&version)?;
        Some(Self { program, version, major })
    }

    /// The folders with its libraries: those of packages are not where it looks for them itself.
    pub(super) fn library_folders(&self) -> Vec<PathBuf> {
        let program = self.program.canonicalize().unwrap_or_else(|_| self.program.clone());
        let root = program.ancestors().nth(2).map(Path::to_owned).unwrap_or_default();
        let names = ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
        names.iter().map(|name| root.join(name)).filter(|folder| folder.join("libcudadevrt.a").exists()).collect()
    }
}

/// The nvcc that programs are compiled with, and its release, if there is one.
pub fn nvcc() -> Option<(PathBuf, String)> {
    let found = Nvcc::find().ok()?;
    let (_, after) = found.version.split_once("release ")?;
    Some((found.program, after.split(',').next()?.trim().to_owned()))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The first number of the release in what `nvcc --version` prints.
fn release(text: &str) -> Option<u32> {
    let (_, after) = text.split_once("release ")?;
    after.split(['.', ',']).next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;

    #[test]
    fn releases_are_read() {
        assert_eq!(release("Cuda compilation tools, release 13.0, V13.0.88"), Some(13));
        assert_eq!(release("Cuda compilation tools, release 12.4, V12.4.131\nBuild"), Some(12));
        assert_eq!(release("gcc (Debian) 12.2.0"), None);
    }

    #[test]
    fn what_does_not_run_is_not_taken() {
        let root = folder("nvcc");
        let file = root.join("nvcc");
        std::fs::write(&file, "#!/bin/sh\necho 'Cuda compilation tools, release 13.1, V13.1.2'\n").expect("written");
        assert!(!is_executable(&file) && !is_executable(&root));
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("set");
        assert!(is_executable(&file));
        let found = Nvcc::at(file).expect("it runs");
        assert_eq!((found.major, found.library_folders().len()), (13, 0));
        assert!(Nvcc::at(PathBuf::from("/bin/false")).is_none());
        std::fs::remove_dir_all(root).expect("removed");
    }
}
