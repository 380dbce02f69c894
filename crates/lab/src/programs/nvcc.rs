//! Finding nvcc.

use super::ProgramError;
use crate::machine::toolkit;
use std::path::{Path, PathBuf};
use std::process::Command;

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

impl Nvcc {
    /// The first one that works.
    pub(super) fn find() -> Result<Self, ProgramError> {
        toolkit::programs("nvcc").find_map(Self::at).ok_or(ProgramError::NoNvcc)
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

/// The first number of the release in what `nvcc --version` prints.
fn release(text: &str) -> Option<u32> {
    let (_, after) = text.split_once("release ")?;
    after.split(['.', ',']).next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;
    use std::os::unix::fs::PermissionsExt;

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
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("set");
        let found = Nvcc::at(file).expect("it runs");
        assert_eq!((found.major, found.library_folders().len()), (13, 0));
        assert!(Nvcc::at(PathBuf::from("/bin/false")).is_none());
        std::fs::remove_dir_all(root).expect("removed");
    }
}
