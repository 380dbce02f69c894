//! Where NVRTC and the CUDA headers may be, in search order.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder or file that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Why it was tried: `WARPWISE_NVRTC`, `virtual environment`, `system`, ...
    pub reason: &'static str,
    /// The folder, file or name.
    pub path: PathBuf,
    /// The outcome.
    pub outcome: Outcome,
}

/// What was found at a [`Place`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing.
    Nothing,
    /// A library that loads.
    Found,
    /// Something unusable, and why.
    Unusable(String),
}

/// A place to try.
pub(super) struct Candidate {
    pub(super) reason: &'static str,
    pub(super) at: Spot,
}

/// How to search a place.
pub(super) enum Spot {
    /// A library file, or a folder that may hold one.
    Path(PathBuf),
    /// A Python `site-packages` folder.
    SitePackages(PathBuf),
    /// Wherever the system's loader looks.
    Loader,
}

/// Folders with the NVRTC library, inside `site-packages`.
const LIBRARY_PACKAGES: [&str; 6] = [
    "nvidia/cu13/lib",
    "nvidia/cuda_nvrtc/lib",
    "nvidia/cu12/lib",
    "nvidia/cu13/bin/x86_64",
    "nvidia/cuda_nvrtc/bin",
    "nvidia/cu13/bin",
];

/// Folders with CUDA headers, inside `site-packages`.
const HEADER_PACKAGES: [&str; 8] = [
    "nvidia/cu13/include",
    "nvidia/cu13/include/cccl",
    "nvidia/cuda_runtime/include",
    "nvidia/cuda_cccl/include",
    "nvidia/cuda_nvcc/include",
    "nvidia/cuda_crt/include",
    "nvidia/curand/include",
    "nvidia/cu12/include",
];

/// Every place in order. Asking Python costs a process, so that part is evaluated lazily.
pub(super) fn candidates() -> impl Iterator<Item = Candidate> {
    let named = env::var_os("WARPWISE_NVRTC").filter(|v| !v.is_empty());
    let named = named.map(|v| Candidate { reason: "WARPWISE_NVRTC", at: Spot::Path(v.into()) });
    let environments = environments().into_iter().flat_map(|(reason, root)| {
        site_packages_of(&root).into_iter().map(move |p| Candidate { reason, at: Spot::SitePackages(p) })
    });
    let asked = std::iter::once_with(|| python().map(|p| p.site_packages).unwrap_or_default()).flatten();
    let asked = asked.map(|p| Candidate { reason: "python3", at: Spot::SitePackages(p) });
    let project = project_environments("nvrtc").into_iter().flat_map(|root| {
        site_packages_of(&root).into_iter().map(|p| Candidate { reason: "target/nvrtc", at: Spot::SitePackages(p) })
    });
    let toolkits = toolkits().into_iter().map(|root| Candidate { reason: "CUDA toolkit", at: Spot::Path(root) });
    let loader = std::iter::once(Candidate { reason: "system loader", at: Spot::Loader });
    named.into_iter().chain(environments).chain(asked).chain(project).chain(toolkits).chain(loader)
}

#[cfg(windows)]
const LOADER_NAMES: [&str; 3] = ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"];
#[cfg(not(windows))]
const LOADER_NAMES: [&str; 4] = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"];

/// The library files that a place holds, the newest first.
pub(super) fn libraries_at(spot: &Spot) -> Vec<PathBuf> {
    match spot {
        Spot::Path(path) if path.is_dir() => {
            let mut found = libraries_in(path);
            for sub in ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "bin", "bin/x64"] {
                found.extend(libraries_in(&path.join(sub)));
            }
            found.extend(LIBRARY_PACKAGES.iter().flat_map(|sub| libraries_in(&path.join(sub))));
            for site in site_packages_of(path) {
                found.extend(LIBRARY_PACKAGES.iter().flat_map(|sub| libraries_in(&site.join(sub))));
            }
            found
        }
        Spot::Path(path) if path.is_file() => vec![path.clone()],
        Spot::Path(_) => Vec::new(),
        Spot::SitePackages(site) => LIBRARY_PACKAGES.iter().flat_map(|sub| libraries_in(&site.join(sub))).collect(),
        Spot::Loader => LOADER_NAMES.iter().map(PathBuf::from).collect(),
    }
}

fn libraries_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|e| e.file_name().into_string().ok())
        .filter(|n| n.starts_with("libnvrtc.so") || (n.starts_with("nvrtc64_") && n.ends_with("_0.dll")))
        .collect();
    names.sort();
    names.reverse();
    names.into_iter().map(|n| folder.join(n)).collect()
}

/// The `libnvrtc-builtins` beside the library, which loads it by name when it compiles.
pub(super) fn builtins_beside(library: &Path) -> Option<PathBuf> {
    let entries = library.parent()?.read_dir().ok()?;
    entries.flatten().map(|e| e.path()).find(|p| {
        p.file_name().and_then(|n| n.to_str()).is_some_and(|n| {
            n.starts_with("libnvrtc-builtins.so") || (n.starts_with("nvrtc-builtins64_") && n.ends_with(".dll"))
        })
    })
}

/// Folders with CUDA headers: those that came with the library first.
pub(super) fn header_folders(library: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Some(lib) = library.parent() {
        for root in lib.ancestors().skip(1).take(4) {
            folders.extend(["include", "include/cccl"].map(|sub| root.join(sub)));
            folders.extend(HEADER_PACKAGES.iter().map(|sub| root.join(sub)));
        }
    }
    for root in toolkits() {
        folders.extend(["include", "targets/x86_64-linux/include", "include/cccl"].map(|sub| root.join(sub)));
    }
    let holds_headers = |p: &PathBuf| {
        ["cuda_fp16.h", "cuda/std", "crt", "curand_kernel.h", "cooperative_groups.h"].iter().any(|n| p.join(n).exists())
    };
    let mut kept: Vec<PathBuf> = Vec::new();
    for folder in folders.into_iter().filter(holds_headers) {
        if !kept.contains(&folder) {
            kept.push(folder);
        }
    }
    kept
}

fn environments() -> Vec<(&'static str, PathBuf)> {
    [("VIRTUAL_ENV", "VIRTUAL_ENV"), ("CONDA_PREFIX", "CONDA_PREFIX")]
        .into_iter()
        .filter_map(|(reason, variable)| {
            env::var_os(variable).filter(|v| !v.is_empty()).map(|v| (reason, PathBuf::from(v)))
        })
        .collect()
}

/// `lib/python3.X/site-packages` and its Windows counterpart.
fn site_packages_of(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for lib in ["lib", "lib64"] {
        let Ok(entries) = root.join(lib).read_dir() else { continue };
        let pythons = entries.flatten().filter(|e| e.file_name().to_string_lossy().starts_with("python3"));
        found.extend(pythons.map(|e| e.path().join("site-packages")).filter(|p| p.is_dir()));
    }
    let windows = root.join("Lib/site-packages");
    if found.is_empty() && windows.is_dir() {
        found.push(windows);
    }
    // `lib64` is often a link to `lib`.
    found.dedup_by_key(|p| p.canonicalize().ok());
    found
}

/// The developers' own environment of that name, `target/nvrtc`: beside the running executable, or in the project that
/// contains the current folder.
fn project_environments(name: &str) -> Vec<PathBuf> {
    let executable = env::current_exe().unwrap_or_default();
    let beside = executable.ancestors().filter(|a| a.file_name().is_some_and(|n| n == "target")).map(|a| a.join(name));
    let current = env::current_dir().unwrap_or_default();
    let in_target = |project: &Path| project.join("target").join(name);
    let projects = current.ancestors().filter(|a| a.join("Cargo.toml").is_file()).map(in_target);
    let mut found: Vec<PathBuf> = beside.chain(projects).filter(|p| p.is_dir()).collect();
    found.dedup();
    found
}

fn toolkits() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"]
        .iter()
        .filter_map(|v| env::var_os(v).filter(|v| !v.is_empty()).map(PathBuf::from))
        .collect();
    roots.push("/usr/local/cuda".into());
    let mut versions: Vec<PathBuf> = Path::new("/usr/local")
        .read_dir()
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    versions.retain(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("cuda-")));
    versions.sort();
    roots.extend(versions.into_iter().rev());
    roots.push("/opt/cuda".into());
    roots
}

/// A Python interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Python {
    /// Its executable, as it names itself.
    pub executable: PathBuf,
    /// Its version, `3.12.1`.
    pub version: String,
    /// Its package folders.
    pub site_packages: Vec<PathBuf>,
}

/// The `python3` on the search path, queried about itself.
pub fn python() -> Option<Python> {
    let script = "import sys,site,platform\nprint(sys.executable)\nprint(platform.python_version())\n\
                  [print(p) for p in site.getsitepackages()+[site.getusersitepackages()]]";
    let name = if cfg!(windows) { "python" } else { "python3" };
    let output = Command::new(name).args(["-c", script]).output().ok().filter(|o| o.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    let executable = PathBuf::from(lines.next()?);
    let version = lines.next()?.to_owned();
    let site_packages = lines.map(PathBuf::from).filter(|p| p.is_dir()).collect();
    Some(Python { executable, version, site_packages })
}

/// The package folders in which nvcc may be: of the active virtual environments, of the developers' own (`target/nvcc-13`),
/// and of `python3`.
pub fn site_packages() -> Vec<PathBuf> {
    let active = environments().into_iter().map(|(_, root)| root).chain(project_environments("nvcc-13"));
    let mut found: Vec<PathBuf> = active.flat_map(|root| site_packages_of(&root)).collect();
    found.extend(python().map(|python| python.site_packages).unwrap_or_default());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_searched_for_libraries() {
        let root = env::temp_dir().join(format!("warpwise-search-{}", std::process::id()));
        let lib = root.join("lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib");
        std::fs::create_dir_all(&lib).unwrap();
        for name in ["libnvrtc.so.12", "libnvrtc-builtins.so.12.0", "libnvrtc.alt.so.12"] {
            std::fs::write(lib.join(name), "").unwrap();
        }
        let found = libraries_at(&Spot::Path(root.clone()));
        assert_eq!(found, [lib.join("libnvrtc.so.12")]);
        assert_eq!(builtins_beside(&found[0]), Some(lib.join("libnvrtc-builtins.so.12.0")));
        std::fs::remove_dir_all(root).unwrap();
    }
}
