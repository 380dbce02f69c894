//! What a program's environment gets, so that it finds our libraries and hands over PTX.

use super::libraries::Libraries;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use warpwise_trace::{VARIABLE, WITNESS_VARIABLE};

/// The folder for PyCUDA's cache, in ours.
pub(super) const PYCUDA: &str = "pycuda";

/// Changes to an environment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Environment {
    set: Vec<(&'static str, OsString)>,
    removed: Vec<&'static str>,
}

impl Environment {
    /// The changes for a program on the emulator. `before` is the environment as it is.
    pub(super) fn emulated(
        libraries: &Libraries,
        settings: &Path,
        cache: &Path,
        before: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let before = |name: &str| before(name).filter(|value| !value.is_empty());
        let mut set = vec![
            (VARIABLE, settings.as_os_str().to_owned()),
            ("LD_LIBRARY_PATH", joined(libraries.folder.as_os_str().to_owned(), ":", before("LD_LIBRARY_PATH"))),
            // The cubins of those who ask nvcc for them then carry their PTX.
            ("NVCC_APPEND_FLAGS", joined("-lineinfo".into(), " ", before("NVCC_APPEND_FLAGS"))),
            // PyCUDA's cache does not see that variable.
            ("PYCUDA_CACHE_DIR", cache.join(PYCUDA).into_os_string()),
        ];
        if before("NUMBA_CUDA_DRIVER").is_none() {
            set.push(("NUMBA_CUDA_DRIVER", libraries.folder.join("libcuda.so.1").into_os_string()));
        }
        // Line information is what makes Triton's cubins carry their PTX.
        Self { set, removed: vec!["TRITON_DISABLE_LINE_INFO"] }
    }

    /// The changes for a program on a GPU: a program that we compiled finds the compiler's runtime.
    pub(super) fn real(folders: &[std::path::PathBuf], before: impl Fn(&str) -> Option<OsString>) -> Self {
        let Some(folders) =
            folders.iter().map(|folder| folder.as_os_str().to_owned()).reduce(|all, next| joined(all, ":", Some(next)))
        else {
            return Self::default();
        };
        let path = joined(folders, ":", before("LD_LIBRARY_PATH").filter(|value| !value.is_empty()));
        Self { set: vec![("LD_LIBRARY_PATH", path)], removed: Vec::new() }
    }

    /// The same, with the witness found before any driver. `file` says what it is to do.
    pub(super) fn witnessed(
        mut self,
        libraries: &Libraries,
        file: &Path,
        before: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let before = |name: &str| before(name).filter(|value| !value.is_empty());
        let folder = libraries.witness();
        let known = self.set.iter().position(|(name, _)| *name == "LD_LIBRARY_PATH");
        let rest = known.map(|at| self.set.remove(at).1).or_else(|| before("LD_LIBRARY_PATH"));
        self.set.push(("LD_LIBRARY_PATH", joined(folder.as_os_str().to_owned(), ":", rest)));
        self.set.retain(|(name, _)| *name != "NUMBA_CUDA_DRIVER");
        if before("NUMBA_CUDA_DRIVER").is_none() {
            self.set.push(("NUMBA_CUDA_DRIVER", folder.join("libcuda.so.1").into_os_string()));
        }
        self.set.push((WITNESS_VARIABLE, file.as_os_str().to_owned()));
        self
    }

    /// Changes the environment of a command.
    pub(super) fn apply(&self, command: &mut Command) {
        self.set.iter().for_each(|(name, value)| {
            command.env(name, value);
        });
        self.removed.iter().for_each(|name| {
            command.env_remove(name);
        });
    }

    /// For readers: one line for each change.
    pub(super) fn words(&self) -> Vec<String> {
        let set = self.set.iter().map(|(name, value)| format!("{name}={}", value.to_string_lossy()));
        set.chain(self.removed.iter().map(|name| format!("{name} is not set"))).collect()
    }
}

fn joined(mut first: OsString, between: &str, rest: Option<OsString>) -> OsString {
    if let Some(rest) = rest {
        first.push(between);
        first.push(rest);
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_stays_behind_ours() {
        let libraries = Libraries { folder: "/c/libraries/1".into() };
        let before = |name: &str| match name {
            "LD_LIBRARY_PATH" => Some("/opt/lib".into()),
            "NVCC_APPEND_FLAGS" => Some("-G".into()),
            "NUMBA_CUDA_DRIVER" => Some("/mine/libcuda.so".into()),
            _ => None,
        };
        let words = Environment::emulated(&libraries, Path::new("/r/s.json"), Path::new("/c"), before).words();
        assert_eq!(
            words,
            [
                "WARPWISE_EXEC=/r/s.json",
                "LD_LIBRARY_PATH=/c/libraries/1:/opt/lib",
                "NVCC_APPEND_FLAGS=-lineinfo -G",
                "PYCUDA_CACHE_DIR=/c/pycuda",
                "TRITON_DISABLE_LINE_INFO is not set",
            ]
        );
        let words = Environment::emulated(&libraries, Path::new("/r/s.json"), Path::new("/c"), |_| None).words();
        assert_eq!(words[1], "LD_LIBRARY_PATH=/c/libraries/1");
        assert_eq!(words[4], "NUMBA_CUDA_DRIVER=/c/libraries/1/libcuda.so.1");
    }

    #[test]
    fn a_witness_is_found_first() {
        let libraries = Libraries { folder: "/c/libraries/1".into() };
        let emulated = Environment::emulated(&libraries, Path::new("/r/s.json"), Path::new("/c"), |_| None);
        let words = emulated.witnessed(&libraries, Path::new("/r/w.json"), |_| None).words();
        assert!(words.contains(&"LD_LIBRARY_PATH=/c/libraries/1/witness:/c/libraries/1".to_owned()), "{words:?}");
        assert!(words.contains(&"NUMBA_CUDA_DRIVER=/c/libraries/1/witness/libcuda.so.1".to_owned()), "{words:?}");
        let own = |name: &str| Some(if name == "LD_LIBRARY_PATH" { "/x".into() } else { "/mine.so".into() });
        let words = Environment::real(&[], own).witnessed(&libraries, Path::new("/r/w.json"), own).words();
        assert_eq!(words, ["LD_LIBRARY_PATH=/c/libraries/1/witness:/x", "WARPWISE_WITNESS=/r/w.json"]);
    }

    #[test]
    fn on_a_gpu_only_the_runtime_is_added() {
        assert_eq!(Environment::real(&[], |_| None), Environment::default());
        let words = Environment::real(&["/cuda/lib".into()], |_| Some("/x".into())).words();
        assert_eq!(words, ["LD_LIBRARY_PATH=/cuda/lib:/x"]);
    }
}
