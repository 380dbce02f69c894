//! Files that are larger than memory, window by window: while one is computed, the next is read and the one before is
//! written.

use super::npy::{self, Header};
use super::unfinished::Unfinished;
use super::{FileError, Number, Numbers, extension, with_numbers, with_type};
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use warpwise::primitive::Type;
use warpwise::{Buffer, Device};

/// The most bytes of a header.
const HEADER: u64 = 1 << 16;

/// Numbers in a file, which are read later: of a `.npy` file, or of one with nothing else in it.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    file: File,
    start: u64,
    /// The type of the numbers.
    pub(crate) ty: Type,
    /// The length of every dimension.
    pub(crate) shape: Vec<usize>,
    count: usize,
}

impl Source {
    /// The numbers of a file, if they can be read in their order: not those of `.csv` files and not of columns.
    pub(crate) fn open(path: &Path, raw: Option<Type>) -> Result<Option<Self>, FileError> {
        if raw.is_none() && extension(path) != "npy" {
            return Ok(None);
        }
        let failed = |problem| FileError::Read { path: path.to_owned(), problem };
        let bad = |problem| FileError::Content { path: path.to_owned(), problem };
        let mut file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(Error::new(ErrorKind::IsADirectory, "this is a folder")));
        }
        let bytes = metadata.len();
        let (ty, shape, start) = if let Some(ty) = raw {
            let each = ty.bytes() as u64;
            if bytes % each != 0 {
                return Err(bad(format!("{bytes} bytes are not whole numbers of {each}: name another type")));
            }
            (ty, vec![usize::try_from(bytes / each).unwrap_or(usize::MAX)], 0)
        } else {
            let mut beginning = Vec::new();
            (&mut file).take(HEADER).read_to_end(&mut beginning).map_err(failed)?;
            let (header, start) = npy::header(&beginning).map_err(bad)?;
            let Some(ty) = Type::ALL.into_iter().find(|&ty| npy::dtype(ty) == header.plain()) else { return Ok(None) };
            let there = usize::try_from(bytes.saturating_sub(start as u64)).unwrap_or(usize::MAX);
            header.bytes(ty.bytes(), there).map_err(bad)?;
            let Header { fortran_order, shape, .. } = header;
            if fortran_order && shape.len() > 1 {
                return Ok(None);
            }
            (ty, shape, start as u64)
        };
        let count = shape.iter().product();
        Ok(Some(Self { path: path.to_owned(), file, start, ty, shape, count }))
    }

    /// Bytes of all numbers.
    pub(crate) fn bytes(&self) -> u64 {
        self.count as u64 * self.ty.bytes() as u64
    }

    /// Calls a function with one window after the other, of that many numbers each. The next one is read meanwhile.
    pub(crate) fn each<E: From<FileError>>(
        &mut self,
        window: usize,
        mut work: impl FnMut(&Numbers) -> Result<(), E>,
    ) -> Result<(), E> {
        let (path, ty, count) = (self.path.clone(), self.ty, self.count);
        let failed = |problem| FileError::Read { path: path.clone(), problem };
        self.file.seek(SeekFrom::Start(self.start)).map_err(failed)?;
        let file = &mut self.file;
        std::thread::scope(|scope| {
            // Two windows take turns: one is read while the other is computed. Fresh memory for every one would take
            // longer than to read it.
            let (read, windows) = sync_channel(0);
            let (done, free) = sync_channel(2);
            for _ in 0..2 {
                done.send(zeros(ty, count.min(window)).map_err(failed)?).expect("there is room for two");
            }
            scope.spawn(move || send(file, count, &free, &read));
            for numbers in windows {
                let numbers = numbers.map_err(failed)?;
                work(&numbers)?;
                // Once all is read nobody takes it back.
                let _ = done.send(numbers);
            }
            Ok(())
        })
    }

    /// All numbers at once.
    pub(crate) fn all(mut self) -> Result<Numbers, FileError> {
        let mut read = || {
            let mut numbers = zeros(self.ty, self.count)?;
            self.file.seek(SeekFrom::Start(self.start))?;
            fill(&mut self.file, &mut numbers)?;
            Ok(numbers)
        };
        read().map_err(|problem| FileError::Read { path: self.path.clone(), problem })
    }
}

/// No numbers of a type.
pub(crate) fn none(ty: Type) -> Numbers {
    with_type!(ty, T => T::numbers(Vec::<T>::new()))
}

/// That many zeros of a type, in large pages if they are many: fresh small ones would take longer than to read a file.
fn zeros(ty: Type, count: usize) -> Result<Numbers, Error> {
    let memory = |error| Error::new(ErrorKind::OutOfMemory, error);
    with_type!(ty, T => {
        let zeros = Buffer::<T>::zeros(&Device::cpu(), count).and_then(Buffer::into_vec);
        zeros.map(T::numbers).map_err(memory)
    })
}

/// Reads window after window, until all are read or nobody wants them any more.
fn send(file: &mut File, mut left: usize, free: &Receiver<Numbers>, to: &SyncSender<Result<Numbers, Error>>) {
    while left > 0 {
        let Ok(mut numbers) = free.recv() else { return };
        with_numbers!(&mut numbers, xs => xs.truncate(left));
        left -= numbers.len();
        let read = fill(file, &mut numbers);
        let failed = read.is_err();
        if to.send(read.map(|()| numbers)).is_err() || failed {
            return;
        }
    }
}

/// Reads as many numbers as these are.
fn fill(from: &mut impl Read, numbers: &mut Numbers) -> Result<(), Error> {
    fn values<T: Number>(from: &mut impl Read, values: &mut [T]) -> Result<(), Error> {
        from.read_exact(bytemuck::cast_slice_mut(values))?;
        if cfg!(target_endian = "big") {
            values.iter_mut().for_each(|value| *value = T::from_le(bytemuck::bytes_of(value)));
        }
        Ok(())
    }
    with_numbers!(numbers, xs => values(from, xs))
}

/// A `.npy` file that is written window by window, and gets its name when it is complete.
#[derive(Debug)]
pub(crate) struct Sink {
    path: PathBuf,
    unfinished: Unfinished,
    ty: Type,
    /// Numbers so far.
    count: usize,
    /// Whether how many they are is known only at the end.
    grows: bool,
}

impl Sink {
    /// The beginning of a file of numbers of a type.
    pub(crate) fn create(path: &Path, ty: Type, shape: &[usize]) -> Result<Self, FileError> {
        let failed = |problem| FileError::Write { path: path.to_owned(), problem };
        if extension(path) != "npy" {
            let expected = "a name that ends in .npy for what is larger than memory";
            return Err(FileError::Kind { path: path.to_owned(), expected });
        }
        let mut unfinished = Unfinished::create(path).map_err(failed)?;
        unfinished.file().write_all(&npy::beginning(npy::dtype(ty), shape)).map_err(failed)?;
        Ok(Self { path: path.to_owned(), unfinished, ty, count: 0, grows: false })
    }

    /// The beginning of a file of numbers of a type, as many as there will be.
    pub(crate) fn growing(path: &Path, ty: Type) -> Result<Self, FileError> {
        // One dimension takes the same room whatever its length.
        Ok(Self { grows: true, ..Self::create(path, ty, &[0])? })
    }

    /// Does some work and writes the windows that it hands over, each while the next is computed; with no sink they are
    /// dropped. The file has its name when the work is done.
    pub(crate) fn beside<R, E: From<FileError>>(
        sink: Option<Self>,
        work: impl FnOnce(&dyn Fn(Numbers) -> Result<(), FileError>) -> Result<R, E>,
    ) -> Result<R, E> {
        let Some(sink) = sink else { return work(&|_| Ok(())) };
        let path = sink.path.clone();
        std::thread::scope(|scope| {
            let (send, windows) = sync_channel(0);
            let writer = scope.spawn(move || sink.write(&windows));
            let done = work(&|numbers| {
                let failed = |_| FileError::Write { path: path.clone(), problem: ErrorKind::BrokenPipe.into() };
                send.send(numbers).map_err(failed)
            });
            drop(send);
            // A disk that is full stops the work, and is the reason to name.
            let sink = writer.join().expect("writing does not panic")?;
            let done = done?;
            sink.finish()?;
            Ok(done)
        })
    }

    /// Takes windows off a queue and writes them, until there are no more.
    fn write(mut self, windows: &Receiver<Numbers>) -> Result<Self, FileError> {
        for numbers in windows {
            self.count += numbers.len();
            let written = npy::write_numbers(self.unfinished.file(), &numbers);
            written.map_err(|problem| FileError::Write { path: self.path.clone(), problem })?;
        }
        Ok(self)
    }

    /// Gives the file its name. One that is dropped before leaves nothing.
    fn finish(mut self) -> Result<(), FileError> {
        let finish = || {
            if self.grows {
                let file = self.unfinished.file();
                file.rewind()?;
                file.write_all(&npy::beginning(npy::dtype(self.ty), &[self.count]))?;
            }
            self.unfinished.finish()
        };
        finish().map_err(|problem| FileError::Write { path: self.path, problem })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;
    use crate::files::{Array, read_array, write_array};

    #[test]
    fn windows_are_those_of_the_file() {
        let here = folder("windows");
        let array = Array { shape: vec![5, 2], numbers: Numbers::I32((0..10).collect()) };
        write_array(&here.join("a.npy"), &array).unwrap();
        let mut source = Source::open(&here.join("a.npy"), None).unwrap().unwrap();
        assert_eq!((source.ty, &*source.shape, source.bytes()), (Type::I32, &[5, 2][..], 40));
        let mut seen = Vec::new();
        let all = source.each(4, |numbers| {
            seen.push(numbers.clone());
            Ok::<(), FileError>(())
        });
        all.unwrap();
        assert_eq!(seen, [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8, 9]].map(Numbers::I32));
        // Who stops early is not held up.
        let error = source.each(1, |_| Err(FileError::Content { path: "x".into(), problem: "stop".into() }));
        assert!(error.unwrap_err().to_string().contains("stop"));
        assert!(Source::open(&here.join("a.csv"), None).unwrap().is_none());
    }

    #[test]
    fn a_raw_file_has_nothing_but_numbers() {
        let here = folder("raw");
        let path = here.join("a.bin");
        std::fs::write(&path, [1_u8, 0, 0, 0, 2, 0, 0, 0]).unwrap();
        let source = Source::open(&path, Some(Type::U32)).unwrap().unwrap();
        assert_eq!((source.shape.clone(), source.all().unwrap()), (vec![2], Numbers::U32(vec![1, 2])));
        std::fs::write(&path, [1_u8; 7]).unwrap();
        assert!(Source::open(&path, Some(Type::F64)).unwrap_err().to_string().contains("7 bytes"));
        std::fs::write(&path, []).unwrap();
        assert_eq!(Source::open(&path, Some(Type::F64)).unwrap().unwrap().all().unwrap(), Numbers::F64(vec![]));
    }

    #[test]
    fn what_is_written_is_there_when_it_is_complete() {
        let here = folder("sink");
        let path = here.join("out.npy");
        let sink = Sink::create(&path, Type::F32, &[4]).unwrap();
        let (send, windows) = sync_channel(2);
        send.send(Numbers::F32(vec![1.5, 2.5])).unwrap();
        send.send(Numbers::F32(vec![3.5, 4.5])).unwrap();
        assert!(!path.exists());
        drop(send);
        let sink = sink.write(&windows).unwrap();
        assert!(!path.exists());
        sink.finish().unwrap();
        assert_eq!(read_array(&path).unwrap().numbers, Numbers::F32(vec![1.5, 2.5, 3.5, 4.5]));
        // Work that fails, or a sink that is given up, leaves nothing.
        let failed = Sink::beside(Some(Sink::create(&here.join("half.npy"), Type::F32, &[4]).unwrap()), |write| {
            write(Numbers::F32(vec![1.5, 2.5]))?;
            Err::<(), _>(FileError::Content { path: "x".into(), problem: "stop".into() })
        });
        assert!(failed.unwrap_err().to_string().contains("stop"));
        drop(Sink::create(&here.join("no.npy"), Type::F32, &[4]).unwrap());
        let names: Vec<_> = std::fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["out.npy"]);
    }

    #[test]
    fn a_file_that_grows_says_at_the_end_how_long_it_is() {
        // What is written first takes as many bytes as what replaces it.
        let room = |count| npy::beginning(npy::dtype(Type::U8), &[count]).len();
        assert_eq!(room(0), room(usize::MAX));
        let path = folder("growing").join("out.npy");
        for windows in [vec![], vec![vec![1, 2], vec![], vec![3]]] {
            let sink = Sink::growing(&path, Type::I64).unwrap();
            let all = || windows.iter().map(|window| Numbers::I64(window.clone()));
            Sink::beside(Some(sink), |write| all().try_for_each(write)).unwrap();
            let array = read_array(&path).unwrap();
            assert_eq!(array.shape, [windows.concat().len()]);
            assert_eq!(array.numbers, Numbers::I64(windows.concat()));
        }
    }
}
