//! What is kept between runs: links to the libraries, and compiled programs. And folders of runs, which are not kept.

use super::ProgramError;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Compiled programs that are kept.
const KEPT: usize = 32;
/// Entries younger than this are kept in any case: other runs may still be making or starting them.
const YOUNG: Duration = Duration::from_secs(1800);

/// The user's folder for what can be made again.
pub(super) fn folder() -> Result<PathBuf, ProgramError> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let home = home.or_else(|| set("HOME").map(|home| home.join(".cache")));
    let folder = home.map_or_else(|| std::env::temp_dir().join("warpwise-cache"), |home| home.join("warpwise"));
    make(&folder)?;
    Ok(folder)
}

/// Makes a folder and those above it.
pub(super) fn make(folder: &Path) -> Result<(), ProgramError> {
    std::fs::create_dir_all(folder).map_err(|problem| ProgramError::Folder { path: folder.to_owned(), problem })
}

/// A folder that is removed with everything in it when this is dropped.
#[derive(Debug)]
pub(super) struct RunFolder {
    pub(super) path: PathBuf,
}

impl RunFolder {
    /// A new one. Those of runs that were killed before they could remove theirs are removed as well.
    pub(super) fn new(cache: &Path) -> Result<Self, ProgramError> {
        let runs = cache.join("runs");
        make(&runs)?;
        sweep(&runs);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let path = runs.join(format!("{}-{now:x}", std::process::id()));
        make(&path)?;
        Ok(Self { path })
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // What cannot be removed now will be by a later run.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Removes the folders of processes that are gone.
fn sweep(runs: &Path) {
    for entry in runs.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.split('-').next()?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Removes all but the newest entries of a folder, and those that other runs may be busy with.
pub(super) fn thin(folder: &Path) {
    thin_before(folder, SystemTime::now() - YOUNG);
}

fn thin_before(folder: &Path, young: SystemTime) {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut all: Vec<(SystemTime, PathBuf)> =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    all.sort();
    let many = all.len().saturating_sub(KEPT);
    for (_, path) in all[..many].iter().filter(|(modified, _)| *modified < young) {
        let _ = std::fs::remove_dir_all(path);
    }
}

/// A hash of texts that stays the same from run to run (FNV-1a, two of them).
pub(super) fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    const PRIME: u64 = 0x100_0000_01b3;
    let (mut a, mut b) = (0xcbf2_9ce4_8422_2325_u64, 0x8422_2325_cbf2_9ce4_u64);
    for part in parts {
        let length = (part.len() as u64).to_le_bytes();
        for &byte in length.iter().chain(part) {
            a = (a ^ u64::from(byte)).wrapping_mul(PRIME);
            b = (b.rotate_left(5) ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }
    format!("{a:016x}{b:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;

    #[test]
    fn a_run_leaves_nothing_behind_even_if_killed() {
        let cache = folder("runs");
        let gone = cache.join("runs").join("4294967294-1");
        std::fs::create_dir_all(&gone).expect("made");
        std::fs::write(gone.join("x"), "x").expect("written");
        let run = RunFolder::new(&cache).expect("made");
        assert!(!gone.exists() && run.path.exists());
        let other = RunFolder::new(&cache).expect("made");
        assert!(run.path.exists(), "a run that goes on keeps its folder");
        let paths = [run.path.clone(), other.path.clone()];
        drop((run, other));
        assert!(paths.iter().all(|path| !path.exists()));
        std::fs::remove_dir_all(cache).expect("removed");
    }

    #[test]
    fn hashes_know_where_parts_end() {
        let of = |parts: &[&str]| hash(parts.iter().map(|part| part.as_bytes()));
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
        assert_ne!(of(&["a", "b"]), of(&["ab"]));
        assert_ne!(of(&["a", "b"]), of(&["", "ab"]));
    }

    #[test]
    fn old_entries_are_removed() {
        let root = folder("thin");
        for at in 0..KEPT + 3 {
            std::fs::create_dir(root.join(at.to_string())).expect("made");
        }
        thin(&root);
        assert_eq!(root.read_dir().expect("there").count(), KEPT + 3, "another run may be making any of them");
        thin_before(&root, SystemTime::now() + YOUNG);
        assert_eq!(root.read_dir().expect("there").count(), KEPT);
        std::fs::remove_dir_all(root).expect("removed");
    }
}
