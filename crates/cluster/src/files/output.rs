//! Files into which every rank writes its own part.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use warpwise::Element;

use super::{ElementType, npy};
use crate::communicator::Communicator;
use crate::{Error, agree};

/// A file that all ranks write to. It lies beside its place under another name, and is renamed when all ranks have
/// written their parts: what has the name is whole.
///
/// ```
/// use warpwise_cluster::{Communicator, Threads, files::Output};
///
/// let path = std::env::temp_dir().join(format!("warpwise-output-{}.npy", std::process::id()));
/// Threads::run(2, |ranks| {
///     let output = Output::npy::<u8>(ranks, &path, &[4]).unwrap();
///     let written = output.write(2 * ranks.rank(), &[7_u8; 2]);
///     output.finish(ranks, written).unwrap();
/// });
/// assert!(std::fs::read(&path).unwrap().ends_with(&[7; 4]));
/// # std::fs::remove_file(path).unwrap();
/// ```
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    beside: PathBuf,
    file: Option<File>,
    begin: u64,
}

/// The name under which a file is written.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.part"))
}

/// What to say when something cannot be written.
fn failed(path: &Path, error: &std::io::Error) -> Error {
    let advice = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ": free some, or write to another disk",
        ErrorKind::NotFound => ": make its folder first",
        _ => "",
    };
    Error::file(path, format!("cannot be written: {error}{advice}"))
}

impl Output {
    /// A new `.npy` file with numbers of that shape; files of another ending hold the numbers alone.
    ///
    /// # Errors
    ///
    /// Where it cannot be written; all ranks get the same.
    ///
    /// ```
    /// use warpwise_cluster::{Threads, files::Output};
    ///
    /// let errors = Threads::run(2, |ranks| Output::npy::<f32>(ranks, "no/such/folder.npy".as_ref(), &[3]).is_err());
    /// assert_eq!(errors, [true, true]);
    /// ```
    pub fn npy<T: Element>(ranks: &dyn Communicator, path: &Path, shape: &[usize]) -> Result<Self, Error> {
        let plain = path.extension().is_none_or(|ending| ending != "npy");
        let header = if plain { Vec::new() } else { npy::write(ElementType::of::<T>().descr(), shape) };
        let bytes = shape.iter().product::<usize>() * size_of::<T>();
        Self::new(ranks, path, &header, bytes as u64)
    }

    /// A new file with a header, and room for that many bytes behind it.
    pub(crate) fn new(ranks: &dyn Communicator, path: &Path, header: &[u8], bytes: u64) -> Result<Self, Error> {
        let beside = beside(path);
        let mut output = Self { path: path.to_owned(), beside, file: None, begin: header.len() as u64 };
        let made = if ranks.rank() == 0 { output.make(header, bytes) } else { Ok(()) };
        if let Err(error) = agree(ranks, made) {
            output.remove(ranks);
            return Err(error);
        }
        let opened = OpenOptions::new().write(true).open(&output.beside).map_err(|error| failed(path, &error));
        match agree(ranks, opened) {
            Ok(file) => output.file = Some(file),
            Err(error) => {
                output.remove(ranks);
                return Err(error);
            }
        }
        Ok(output)
    }

    fn make(&self, header: &[u8], bytes: u64) -> Result<(), Error> {
        let make = || {
            let file = File::create(&self.beside)?;
            file.set_len(header.len() as u64 + bytes)?;
            file.write_all_at(header, 0)
        };
        make().map_err(|error| failed(&self.path, &error))
    }

    /// Writes elements to their place, counted from the first of all ranks.
    ///
    /// # Errors
    ///
    /// Where they cannot be written; [`finish`](Self::finish) tells the other ranks.
    ///
    /// ```
    /// # use warpwise_cluster::{Threads, files::Output};
    /// let path = std::env::temp_dir().join(format!("warpwise-write-{}", std::process::id()));
    /// Threads::run(1, |ranks| {
    ///     let output = Output::npy::<u16>(ranks, &path, &[2]).unwrap();
    ///     let written = output.write(1, &[5_u16]);
    ///     output.finish(ranks, written).unwrap();
    /// });
    /// assert_eq!(std::fs::read(&path).unwrap(), [0, 0, 5, 0]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn write<T: Element>(&self, at: usize, elements: &[T]) -> Result<(), Error> {
        self.write_bytes((at * size_of::<T>()) as u64, bytemuck::cast_slice(elements))
    }

    /// Writes a block of a matrix with that many columns: rows and columns from these on.
    ///
    /// # Errors
    ///
    /// As for [`write`](Self::write).
    ///
    /// ```
    /// # use warpwise_cluster::{Threads, files::Output};
    /// let path = std::env::temp_dir().join(format!("warpwise-block-{}", std::process::id()));
    /// Threads::run(1, |ranks| {
    ///     let output = Output::npy::<u8>(ranks, &path, &[2, 3]).unwrap();
    ///     let written = output.write_block(3, (0, 1), 2, &[1_u8, 2, 3, 4]);
    ///     output.finish(ranks, written).unwrap();
    /// });
    /// assert_eq!(std::fs::read(&path).unwrap(), [0, 1, 2, 0, 3, 4]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn write_block<T: Element>(
        &self,
        columns: usize,
        at: (usize, usize),
        width: usize,
        block: &[T],
    ) -> Result<(), Error> {
        if width == columns {
            return self.write(at.0 * columns, block);
        }
        let rows = block.chunks(width.max(1)).enumerate();
        rows.into_iter().try_for_each(|(i, row)| self.write((at.0 + i) * columns + at.1, row))
    }

    pub(crate) fn write_bytes(&self, at: u64, bytes: &[u8]) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        file.write_all_at(bytes, self.begin + at).map_err(|error| failed(&self.path, &error))
    }

    /// Overwrites the header, which is as long as before.
    pub(crate) fn write_header(&self, header: &[u8]) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        file.write_all_at(header, 0).map_err(|error| failed(&self.path, &error))
    }

    /// Gives the file its name, if all ranks have written their parts; else it is removed.
    ///
    /// # Errors
    ///
    /// What the first rank that failed says.
    ///
    /// ```
    /// # use warpwise_cluster::{Communicator, Error, Threads, files::Output};
    /// let path = std::env::temp_dir().join(format!("warpwise-finish-{}", std::process::id()));
    /// Threads::run(2, |ranks| {
    ///     let output = Output::npy::<u8>(ranks, &path, &[2]).unwrap();
    ///     let written = if ranks.rank() == 1 { Err(Error::Ranks("no".to_owned())) } else { Ok(()) };
    ///     assert!(output.finish(ranks, written).is_err());
    /// });
    /// assert!(!path.exists());
    /// ```
    pub fn finish(mut self, ranks: &dyn Communicator, written: Result<(), Error>) -> Result<(), Error> {
        let file = self.file.take();
        let synced = written.and_then(|()| match file {
            Some(file) => file.sync_all().map_err(|error| failed(&self.path, &error)),
            None => Ok(()),
        });
        let renamed = agree(ranks, synced).and_then(|()| {
            let rename = || std::fs::rename(&self.beside, &self.path).map_err(|error| failed(&self.path, &error));
            agree(ranks, if ranks.rank() == 0 { rename() } else { Ok(()) })
        });
        if renamed.is_err() {
            self.remove(ranks);
        }
        renamed
    }

    fn remove(&self, ranks: &dyn Communicator) {
        if ranks.rank() == 0 {
            // If it is not there, nothing is left to remove.
            let _ = std::fs::remove_file(&self.beside);
        }
    }
}
