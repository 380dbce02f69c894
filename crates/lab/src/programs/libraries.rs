//! The driver and the runtime, in a folder under the names that programs look for.

use super::{ProgramError, cache};
use std::path::{Path, PathBuf};

/// A variable with a folder that has the libraries.
const VARIABLE: &str = "WARPWISE_LIBRARIES";

/// A library: what cargo calls it, its package, and the names that programs know it by.
struct Library {
    file: &'static str,
    package: &'static str,
    names: &'static [&'static str],
}

const LIBRARIES: [Library; 4] = [
    Library {
        file: "libwarpwise_driver.so",
        package: "warpwise-driver",
        names: &["libcuda.so.1", "libcuda.so", "link-12/libcuda.so", "link-13/libcuda.so"],
    },
    Library {
        file: "libwarpwise_cudart12.so",
        package: "warpwise-cudart12",
        names: &["libcudart.so.12", "link-12/libcudart.so"],
    },
    Library {
        file: "libwarpwise_cudart13.so",
        package: "warpwise-cudart13",
        names: &["libcudart.so.13", "link-13/libcudart.so"],
    },
    Library {
        file: "libwarpwise_witness.so",
        package: "warpwise-witness",
        names: &["witness/libcuda.so.1", "witness/libcuda.so"],
    },
];

/// The folder with the names.
#[derive(Debug)]
pub(super) struct Libraries {
    pub(super) folder: PathBuf,
}

impl Libraries {
    /// Finds the libraries and lays the links.
    pub(super) fn lay(cache: &Path) -> Result<Self, ProgramError> {
        Self::lay_from(&places(), cache)
    }

    fn lay_from(places: &[PathBuf], cache: &Path) -> Result<Self, ProgramError> {
        let find = |library: &Library| {
            let found = places.iter().map(|place| place.join(library.file)).find(|path| path.is_file());
            found.ok_or_else(|| {
                let looked: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
                let looked = looked.join(", ");
                ProgramError::Library { name: library.file, package: library.package, looked }
            })
        };
        let targets: Vec<PathBuf> = LIBRARIES.iter().map(find).collect::<Result<_, _>>()?;
        let key = cache::hash(targets.iter().map(|target| target.as_os_str().as_encoded_bytes()));
        let folder = cache.join("libraries").join(&key[..16]);
        for (library, target) in LIBRARIES.iter().zip(&targets) {
            for name in library.names {
                let link = folder.join(name);
                cache::make(link.parent().unwrap_or(&folder))?;
                lay_link(target, &link).map_err(|problem| ProgramError::Folder { path: link.clone(), problem })?;
            }
        }
        Ok(Self { folder })
    }

    /// The folder with the `libcudart.so` and the `libcuda.so` that a compiler of that version links with.
    pub(super) fn to_link(&self, major: u32) -> PathBuf {
        self.folder.join(if major < 13 { "link-12" } else { "link-13" })
    }

    /// The folder with the `libcuda.so.1` that keeps what is copied back, and passes calls on to another.
    pub(super) fn witness(&self) -> PathBuf {
        self.folder.join("witness")
    }
}

/// A link to the target, whatever was there before. Other runs may be doing the same.
fn lay_link(target: &Path, link: &Path) -> std::io::Result<()> {
    if std::fs::read_link(link).is_ok_and(|there| there == target) {
        return Ok(());
    }
    let aside = link.with_extension(format!("{}.new", std::process::id()));
    let _ = std::fs::remove_file(&aside);
    std::os::unix::fs::symlink(target, &aside)?;
    std::fs::rename(&aside, link)
}

/// Where the libraries may be: beside the executable, where cargo puts those that it depends on, or where a package
/// installs them.
fn places() -> Vec<PathBuf> {
    let named = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let executable = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let beside = executable.parent().map(Path::to_owned).unwrap_or_default();
    let others = [beside.join("deps"), beside.join("../lib/warpwise")];
    named.into_iter().chain([beside.clone()]).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;

    #[test]
    fn links_have_the_names_that_programs_know() {
        let root = folder("libraries");
        let (old, new) = (root.join("old"), root.join("new"));
        for place in [&old, &new] {
            std::fs::create_dir_all(place).expect("made");
            LIBRARIES.iter().for_each(|library| std::fs::write(place.join(library.file), "").expect("written"));
        }
        let laid = Libraries::lay_from(&[root.clone(), old.clone()], &root).expect("all are there");
        let target = |name: &str| std::fs::read_link(laid.folder.join(name)).expect("a link");
        assert_eq!(target("libcuda.so.1"), old.join("libwarpwise_driver.so"));
        assert_eq!(target("libcudart.so.13"), old.join("libwarpwise_cudart13.so"));
        assert_eq!(laid.to_link(12), laid.folder.join("link-12"));
        assert!(laid.to_link(13).join("libcudart.so").exists());
        assert_eq!(target("link-12/libcuda.so"), old.join("libwarpwise_driver.so"), "for programs with -lcuda");
        let again = Libraries::lay_from(&[old], &root).expect("all are there");
        assert_eq!(again.folder, laid.folder);
        let other = Libraries::lay_from(&[new], &root).expect("all are there");
        assert_ne!(other.folder, laid.folder, "two builds do not share a folder");
        std::fs::remove_dir_all(root).expect("removed");
    }

    #[test]
    fn a_library_that_is_missing_is_named_with_its_package() {
        let root = folder("no-libraries");
        let told = Libraries::lay_from(std::slice::from_ref(&root), &root).expect_err("there are none").to_string();
        assert!(told.contains("libwarpwise_driver.so") && told.contains("cargo build -p warpwise-driver"), "{told}");
        std::fs::remove_dir_all(root).expect("removed");
    }
}
