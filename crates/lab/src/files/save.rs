//! Writing files completely or not at all.

use super::FileError;
use std::fs::File;
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes to a temporary file in the same folder, and renames it when it is complete.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |problem| FileError::Write { path: path.to_owned(), problem };
    if is_special(path) {
        return File::options().write(true).open(path).and_then(|mut file| file.write_all(bytes)).map_err(failed);
    }
    let unfinished = neighbour(path).map_err(failed)?;
    let write = || {
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.flush()?;
        std::fs::rename(&unfinished, path)
    };
    write().map_err(|problem| {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&unfinished);
        failed(problem)
    })
}

/// The temporary name of a file that is not complete; removed when dropped, unless it was renamed.
#[derive(Debug)]
pub(super) struct Unfinished(pub(super) PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // It is not there if it was renamed.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Whether it is a device or a pipe, which is written to and never replaced.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|facts| !facts.is_file() && !facts.is_dir())
}

/// The temporary name of a file until it is complete.
pub(super) fn neighbour(path: &Path) -> Result<PathBuf, Error> {
    let name = path.file_name();
    let name = name.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "this is not a file name"))?;
    if path.is_dir() {
        return Err(Error::new(ErrorKind::IsADirectory, "this is a folder"));
    }
    Ok(path.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id())))
}

/// Checks that a file can be written, before the work whose results go there.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    check_room(path, 0)
}

/// Checks that a file of that many bytes can be written, before the work whose results go there.
pub fn check_room(path: &Path, bytes: usize) -> Result<(), FileError> {
    let failed = |problem| FileError::Write { path: path.to_owned(), problem };
    if is_special(path) {
        return File::options().write(true).open(path).map(drop).map_err(failed);
    }
    let unfinished = neighbour(path).map_err(failed)?;
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(failed(Error::new(ErrorKind::NotFound, format!("there is no folder {}", folder.display()))));
    }
    let written = File::create(&unfinished).and_then(|mut file| file.write_all(&vec![0; bytes]));
    let removed = std::fs::remove_file(&unfinished);
    written.and(removed).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let here = folder("save");
        let path = here.join("a.txt");
        save(&path, b"one").unwrap();
        save(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert!(save(&here, b"x").unwrap_err().to_string().contains("this is a folder"));
        assert!(save(&here.join("no/b.txt"), b"x").is_err());
        assert!(check_writable(&here.join("no/b.txt")).unwrap_err().to_string().contains("there is no folder"));
        assert!(check_writable(&here).unwrap_err().to_string().contains("this is a folder"));
        assert!(check_writable(Path::new("..")).unwrap_err().to_string().contains("not a file name"));
        check_writable(&path).unwrap();
        check_room(&path, 1 << 16).unwrap();
        let names: Vec<_> = std::fs::read_dir(&here).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["a.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_to_and_stay() {
        save(Path::new("/dev/null"), b"gone").unwrap();
        assert!(is_special(Path::new("/dev/null")), "it is still a device");
        check_room(Path::new("/dev/null"), 9).unwrap();
        #[cfg(target_os = "linux")]
        assert!(save(Path::new("/dev/full"), b"x").unwrap_err().to_string().contains("No space left"));
    }
}
