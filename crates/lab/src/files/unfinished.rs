//! A file that has no name until it is complete: a run that is killed leaves nothing behind.

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// A file that gets its name at the end, and takes the place of another one that has it. Dropped before, it is gone.
#[derive(Debug)]
pub(super) struct Unfinished {
    file: File,
    path: PathBuf,
    /// The name until then, in the same folder.
    neighbour: PathBuf,
    /// Whether that name is there, for a system that has no files without one.
    named: bool,
}

impl Unfinished {
    /// An empty file, later of that name.
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let name = path.file_name();
        let name = name.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "this is not a file name"))?;
        if path.is_dir() {
            return Err(Error::new(ErrorKind::IsADirectory, "this is a folder"));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no folder {}", folder.display())));
        }
        let neighbour = path.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
        let nameless = nameless::open(folder);
        let named = nameless.is_none();
        let file = nameless.map_or_else(|| File::create(&neighbour), Ok)?;
        Ok(Self { file, path: path.to_owned(), neighbour, named })
    }

    /// What is written.
    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the file its name.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        if !self.named {
            // A name that is taken cannot be given, but one that is given can be changed to it.
            let _ = std::fs::remove_file(&self.neighbour);
            nameless::name(&self.file, &self.neighbour)?;
            self.named = true;
        }
        std::fs::rename(&self.neighbour, &self.path)?;
        self.named = false;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.named {
            let _ = std::fs::remove_file(&self.neighbour);
        }
    }
}

/// Files without a name, which the system removes with the process that has them open.
#[cfg(target_os = "linux")]
mod nameless {
    use std::ffi::CString;
    use std::fs::File;
    use std::io::Error;
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::{Path, PathBuf};

    /// A file in a folder, if its file system has such files and they can be named later.
    pub(super) fn open(folder: &Path) -> Option<File> {
        let file = File::options().write(true).custom_flags(libc::O_TMPFILE).open(folder).ok()?;
        link(&file).exists().then_some(file)
    }

    /// Gives a file a name that is not taken.
    pub(super) fn name(file: &File, path: &Path) -> Result<(), Error> {
        let (from, to) = (CString::new(link(file).as_os_str().as_bytes())?, CString::new(path.as_os_str().as_bytes())?);
        let here = libc::AT_FDCWD;
        // SAFETY: both are texts with an end.
        match unsafe { libc::linkat(here, from.as_ptr(), here, to.as_ptr(), libc::AT_SYMLINK_FOLLOW) } {
            0 => Ok(()),
            _ => Err(Error::last_os_error()),
        }
    }

    fn link(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }
}

/// Files without a name: none here.
#[cfg(not(target_os = "linux"))]
mod nameless {
    use std::fs::File;
    use std::io::{Error, ErrorKind};
    use std::path::Path;

    pub(super) fn open(_: &Path) -> Option<File> {
        None
    }

    pub(super) fn name(_: &File, _: &Path) -> Result<(), Error> {
        Err(ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;
    use std::io::Write;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_has_its_name_when_it_is_complete() {
        let here = folder("unfinished");
        let path = here.join("a.txt");
        for text in ["one", "two"] {
            let mut unfinished = Unfinished::create(&path).unwrap();
            unfinished.file().write_all(text.as_bytes()).unwrap();
            unfinished.finish().unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), text.as_bytes());
        }
        let mut unfinished = Unfinished::create(&path).unwrap();
        unfinished.file().write_all(b"three").unwrap();
        drop(unfinished);
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(names(&here), ["a.txt"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_nobody_finishes_never_has_a_name() {
        let here = folder("nameless");
        if nameless::open(&here).is_none() {
            eprintln!("not tested: this file system has no files without a name");
            return;
        }
        let mut unfinished = Unfinished::create(&here.join("a.txt")).unwrap();
        unfinished.file().write_all(b"half").unwrap();
        assert!(names(&here).is_empty());
        // As if the process were killed: nothing runs any more.
        std::mem::forget(unfinished);
        assert!(names(&here).is_empty());
    }

    #[test]
    fn a_system_without_nameless_files_has_them_beside() {
        let here = folder("beside");
        let (path, neighbour) = (here.join("a.txt"), here.join(".a.txt.part"));
        let make = || {
            let file = File::create(&neighbour).unwrap();
            Unfinished { file, path: path.clone(), neighbour: neighbour.clone(), named: true }
        };
        drop(make());
        assert!(names(&here).is_empty());
        make().finish().unwrap();
        assert_eq!(names(&here), ["a.txt"]);
    }
}
