//! Writing files completely or not at all.

use super::FileError;
use super::unfinished::Unfinished;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Writes a file that gets its name when it is complete.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let write = || {
        if is_special(path) {
            return File::options().write(true).open(path)?.write_all(bytes);
        }
        let mut unfinished = Unfinished::create(path)?;
        unfinished.file().write_all(bytes)?;
        unfinished.finish()
    };
    write().map_err(|problem| FileError::Write { path: path.to_owned(), problem })
}

/// Whether it is a device or a pipe, which is written to and never replaced.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|facts| !facts.is_file() && !facts.is_dir())
}

/// Checks that a file can be written, before the work whose results go there.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    check_room(path, 0)
}

/// Checks that a file of that many bytes can be written, before the work whose results go there.
pub fn check_room(path: &Path, bytes: usize) -> Result<(), FileError> {
    let write = || {
        if is_special(path) {
            return File::options().write(true).open(path).map(drop);
        }
        Unfinished::create(path)?.file().write_all(&vec![0; bytes])
    };
    write().map_err(|problem| FileError::Write { path: path.to_owned(), problem })
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
