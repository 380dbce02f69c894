//! Checkpoints: what a run has come to, in one file, from which any number of ranks can go on.
//!
//! A checkpoint is written beside its place and renamed when it is whole; older ones are removed after that. Its first
//! [`HEADER`] bytes are a line of JSON with the parameters of the run and a checksum of all data, which ranks compute
//! together: the sum of the hashes of pieces, each with its place, in any order. A file whose checksum is wrong, or that
//! is too short, is passed over for the one before.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::communicator::{Communicator, broadcast};
use crate::files::Output;
use crate::redistribute::zeros;
use crate::{Error, agree};

/// Bytes before the data.
pub(crate) const HEADER: usize = 4096;

/// The first line of a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    schema: u32,
    /// What decides the result: a checkpoint is of use only for the same.
    pub(crate) parameters: Value,
    /// How far the run has come.
    pub(crate) state: Value,
    bytes: u64,
    checksum: String,
}

/// Where a run keeps its checkpoints.
pub(crate) struct Store {
    folder: PathBuf,
    kind: &'static str,
    parameters: Value,
}

/// A checkpoint: its header, and the pieces that were asked for.
pub(crate) type Found = (Header, Vec<Vec<u8>>);

/// A piece of the data and where it lies.
pub(crate) type Piece<'a> = (u64, &'a [u8]);

impl Store {
    pub(crate) fn new(folder: &Path, kind: &'static str, parameters: Value) -> Self {
        Self { folder: folder.to_owned(), kind, parameters }
    }

    /// Writes a checkpoint of `bytes` bytes, of which this rank has some pieces, and removes the ones before. Pieces are
    /// hashed in units of that many bytes.
    pub(crate) fn write(
        &self,
        ranks: &dyn Communicator,
        number: u64,
        state: Value,
        bytes: u64,
        unit: usize,
        pieces: &[Piece],
    ) -> Result<(), Error> {
        let path = self.folder.join(format!("{}-{number:012}.checkpoint", self.kind));
        let output = Output::new(ranks, &path, &[b' '; HEADER], bytes)?;
        let mut sum = [pieces.iter().fold(0, |sum: u64, piece| sum.wrapping_add(checksum(*piece, unit)))];
        let mut written = pieces.iter().try_for_each(|(at, data)| output.write_bytes(*at, data));
        ranks.sum_all(&mut sum);
        if ranks.rank() == 0 && written.is_ok() {
            let header = Header {
                schema: 1,
                parameters: self.parameters.clone(),
                state,
                bytes,
                checksum: format!("{:016x}", sum[0]),
            };
            let mut line = serde_json::to_vec(&header).expect("a header is plain JSON");
            if line.len() < HEADER {
                line.resize(HEADER - 1, b' ');
                line.push(b'\n');
                written = output.write_header(&line);
            } else {
                written = Err(Error::file(&path, "the parameters are too long for a checkpoint: use shorter names"));
            }
        }
        output.finish(ranks, written)?;
        if ranks.rank() == 0 {
            self.files().into_iter().filter(|file| *file != path).for_each(|file| drop(std::fs::remove_file(file)));
        }
        Ok(())
    }

    /// The last whole checkpoint of a run with the same parameters: its header, and the pieces that this rank asks for.
    /// Together, the pieces of all ranks must be all data, each once.
    ///
    /// # Errors
    ///
    /// Where there are only checkpoints of other parameters.
    pub(crate) fn read(
        &self,
        ranks: &dyn Communicator,
        unit: usize,
        wanted: impl Fn(&Header) -> Vec<(u64, usize)>,
    ) -> Result<Option<Found>, Error> {
        let mut count = [if ranks.rank() == 0 { self.files().len() as u64 } else { 0 }];
        broadcast(ranks, 0, &mut count);
        let mut others = false;
        for at in 0..count[0] as usize {
            // All ranks look at the file that the first one names.
            let name = self.files().get(at).map(|path| path.display().to_string()).unwrap_or_default();
            let mut name = name.into_bytes();
            name.resize(4096, 0);
            broadcast(ranks, 0, &mut name);
            let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
            let opened = open(Path::new(&name));
            let same = opened.as_ref().map(|(_, header)| header.parameters == self.parameters);
            others |= same == Some(false);
            let read = opened.filter(|_| same == Some(true)).and_then(|(file, header)| {
                let pieces: Option<Vec<Vec<u8>>> =
                    wanted(&header).iter().map(|&piece| bytes_of(&file, piece)).collect();
                Some((pieces?, header))
            });
            // A rank that cannot read its pieces spoils the sum, and says so.
            let mut sums = [0, u64::from(read.is_none())];
            if let Some((pieces, header)) = &read {
                let places = wanted(header);
                let each = places.iter().zip(pieces).map(|((at, _), data)| checksum((*at, data), unit));
                sums[0] = each.fold(0, u64::wrapping_add);
            }
            ranks.sum_all(&mut sums);
            if let (Some((pieces, header)), 0) = (read, sums[1])
                && format!("{:016x}", sums[0]) == header.checksum
            {
                return Ok(Some((header, pieces)));
            }
        }
        let mut any = [u64::from(others)];
        ranks.max_all(&mut any);
        if any[0] > 0 {
            let problem = "it holds checkpoints of a run with other parameters: \
                           choose another folder, or add --fresh to begin anew";
            return agree(ranks, Err(Error::file(&self.folder, problem)));
        }
        Ok(None)
    }

    /// Removes all checkpoints, and what a run that was killed left of one.
    pub(crate) fn clear(&self, ranks: &dyn Communicator) {
        if ranks.rank() == 0 {
            self.files().into_iter().for_each(|file| drop(std::fs::remove_file(file)));
            self.remove_unfinished();
        }
        crate::communicator::barrier(ranks);
    }

    fn remove_unfinished(&self) {
        let (begin, end) = (format!(".{}-", self.kind), ".checkpoint.part");
        for path in entries(&self.folder) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(&begin) && name.ends_with(end) {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// The checkpoints that are there, the newest first.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = entries(&self.folder);
        files.retain(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with(&format!("{}-", self.kind)) && name.ends_with(".checkpoint")
        });
        files.sort();
        files.reverse();
        files
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).map(|all| all.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
}

/// A checkpoint that is as long as it says.
fn open(path: &Path) -> Option<(File, Header)> {
    let file = File::open(path).ok()?;
    let mut line = vec![0; HEADER];
    file.read_exact_at(&mut line, 0).ok()?;
    let header: Header = serde_json::from_slice(&line).ok()?;
    (file.metadata().ok()?.len() == HEADER as u64 + header.bytes).then_some((file, header))
}

fn bytes_of(file: &File, (at, length): (u64, usize)) -> Option<Vec<u8>> {
    let mut data = zeros::<u8>(length);
    file.read_exact_at(&mut data, HEADER as u64 + at).ok()?;
    Some(data)
}

/// The sum of the hashes of the units of a piece.
fn checksum((at, data): Piece, unit: usize) -> u64 {
    let units = data.chunks(unit.max(1)).enumerate();
    units.fold(0, |sum, (i, data)| sum.wrapping_add(hash(at + (i * unit) as u64, data)))
}

/// A hash of bytes and their place.
fn hash(at: u64, data: &[u8]) -> u64 {
    let (words, rest) = data.as_chunks::<8>();
    let mut hash = warpwise::random::mix(at ^ data.len() as u64);
    for word in words {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    for byte in rest {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    warpwise::random::mix(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parts, Threads};
    use serde_json::json;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("warpwise-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    const ROWS: usize = 13;

    fn write(folder: &Path, ranks: usize, number: u64) {
        Threads::run(ranks, |comm| {
            let store = Store::new(folder, "test", json!({"rows": ROWS}));
            let mine = Parts::new(ROWS, ranks).of(comm.rank());
            let data: Vec<u8> = mine.clone().flat_map(|row| vec![row as u8 + number as u8; 20]).collect();
            let state = json!({"number": number});
            store.write(comm, number, state, 20 * ROWS as u64, 20, &[(20 * mine.start as u64, &data)]).unwrap();
        });
    }

    fn read(folder: &Path, ranks: usize) -> Option<(u64, Vec<u8>)> {
        let parts = Threads::run(ranks, |comm| {
            let store = Store::new(folder, "test", json!({"rows": ROWS}));
            let mine = Parts::new(ROWS, ranks).of(comm.rank());
            let piece = |_: &Header| vec![(20 * mine.start as u64, 20 * mine.len())];
            store
                .read(comm, 20, piece)
                .unwrap()
                .map(|(header, pieces)| (header.state["number"].as_u64(), pieces.concat()))
        });
        let number = parts[0].as_ref()?.0.unwrap();
        Some((number, parts.into_iter().flat_map(|part| part.unwrap().1).collect()))
    }

    #[test]
    fn any_number_of_ranks_goes_on() {
        let folder = folder("any");
        assert_eq!(read(&folder, 2), None);
        for (writers, number) in [(1, 3), (4, 5), (7, 9)] {
            write(&folder, writers, number);
            for readers in [1, 2, 3, 8] {
                let expected: Vec<u8> = (0..ROWS).flat_map(|row| vec![row as u8 + number as u8; 20]).collect();
                assert_eq!(read(&folder, readers), Some((number, expected)));
            }
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "older ones are removed");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_broken_one_is_passed_over() {
        let folder = folder("broken");
        write(&folder, 2, 1);
        let first = std::fs::read(folder.join("test-000000000001.checkpoint")).unwrap();
        write(&folder, 2, 2);
        let newest = folder.join("test-000000000002.checkpoint");
        std::fs::write(folder.join("test-000000000001.checkpoint"), &first).unwrap();
        let mut bytes = std::fs::read(&newest).unwrap();
        bytes[HEADER + 100] ^= 1;
        std::fs::write(&newest, &bytes).unwrap();
        assert_eq!(read(&folder, 3).unwrap().0, 1, "a wrong byte");
        std::fs::write(&newest, &bytes[..HEADER + 50]).unwrap();
        assert_eq!(read(&folder, 3).unwrap().0, 1, "cut off");
        std::fs::write(&newest, b"nothing").unwrap();
        assert_eq!(read(&folder, 1).unwrap().0, 1, "no header");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn other_parameters_are_refused_and_cleared_on_request() {
        let folder = folder("other");
        write(&folder, 1, 1);
        std::fs::write(folder.join(".test-000000000002.checkpoint.part"), b"half").unwrap();
        let errors = Threads::run(2, |comm| {
            let store = Store::new(&folder, "test", json!({"rows": 14}));
            let error = store.read(comm, 20, |_| Vec::new()).unwrap_err().to_string();
            store.clear(comm);
            error
        });
        assert!(errors[1].contains("--fresh"), "{}", errors[1]);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
