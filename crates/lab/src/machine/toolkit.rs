//! Where the programs of a CUDA toolkit may be: in one that is named, on the search path, in the usual folders, or in the
//! packages of a Python environment.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use warpwise_gpu::compiler::site_packages;

/// The environment variables that name a toolkit.
const TOOLKITS: [&str; 3] = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"];
/// The folders of toolkits.
const SYSTEM: [&str; 2] = ["/usr/local/cuda", "/opt/cuda"];
/// Where packages of Python have one, inside `site-packages`.
const PACKAGES: [&str; 3] = ["nvidia/cu13", "nvidia/cuda_nvcc", "nvidia/cu12"];

/// The executables of a name, the nearest first.
pub(crate) fn programs(name: &str) -> impl Iterator<Item = PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let in_bin = |root: PathBuf| root.join("bin").join(name);
    let toolkits = TOOLKITS.iter().filter_map(|name| set(name)).map(|root| in_bin(root.into()));
    let path = set("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = std::env::split_paths(&path).map(|folder| folder.join(name)).collect();
    let near: Vec<PathBuf> = toolkits.chain(on_path).chain(SYSTEM.map(|root| in_bin(root.into()))).collect();
    // Asking Python costs a process: that comes last.
    let packages = std::iter::once_with(site_packages).flatten();
    let packages = packages.flat_map(move |site| PACKAGES.map(|package| site.join(package).join("bin").join(name)));
    near.into_iter().chain(packages).filter(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;

    #[test]
    fn only_executables_count() {
        let root = folder("toolkit");
        let file = root.join("nvcc");
        std::fs::write(&file, "#!/bin/sh\n").expect("written");
        assert!(!is_executable(&file) && !is_executable(&root));
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("set");
        assert!(is_executable(&file));
        std::fs::remove_dir_all(root).expect("removed");
    }
}
