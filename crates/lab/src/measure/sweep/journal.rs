//! The file of results: a line of JSON for each configuration, only ever appended to.

use super::Outcome;
use crate::files::FileError;
use crate::measure::bench::{BenchError, Configuration, Refusal, Row, trial::Trials};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What results are valid for: the same kernels on the same device with the same driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Key {
    pub(crate) kernels: String,
    pub(crate) device: String,
    pub(crate) driver: String,
}

impl Key {
    pub(super) fn new(trials: &Trials) -> Self {
        let text: String =
            warpwise::kernels(trials.problem().primitive.name).map(warpwise::KernelModule::whole).collect();
        let facts = trials.facts();
        Self {
            kernels: hash(&text),
            device: match trials.estimated_gpu() {
                Some(gpu) => format!("{} as {gpu}", facts.name),
                None => facts.gpu.clone().unwrap_or_else(|| facts.name.clone()),
            },
            // The emulator's driver is this program.
            driver: facts.cuda.clone().unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
        }
    }
}

/// A 64-bit hash of a text (FNV-1a): the same on every machine.
fn hash(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    key: Key,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    row: Option<Box<Row>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refusal: Option<Box<Refusal>>,
}

/// Results of this and earlier sweeps.
pub(super) struct Journal {
    key: Key,
    known: Vec<Outcome>,
    file: Option<(PathBuf, File)>,
}

impl Journal {
    /// Opens the file, if there is one, and reads the lines that are valid for the key. Other lines are left unchanged.
    pub(super) fn open(path: Option<&Path>, key: &Key) -> Result<Self, BenchError> {
        let mut journal = Self { key: key.clone(), known: Vec::new(), file: None };
        let Some(path) = path else { return Ok(journal) };
        let failed = |problem| FileError::Write { path: path.to_owned(), problem };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        let mut ends_whole = true;
        for line in BufReader::new(&file).split(b'\n') {
            let line = line.map_err(failed)?;
            let parsed = serde_json::from_slice::<Line>(&line);
            ends_whole = line.is_empty() || parsed.is_ok();
            match parsed {
                Ok(Line { key: of, row: Some(row), .. }) if of == *key => journal.known.push(Outcome::Ran(row)),
                Ok(Line { key: of, refusal: Some(refusal), .. }) if of == *key => {
                    journal.known.push(Outcome::Refused(refusal));
                }
                // For other kernels or devices, or cut off.
                _ => {}
            }
        }
        if !ends_whole || file.seek(SeekFrom::End(0)).map_err(failed)? > 0 && !ends_with_newline(path) {
            file.write_all(b"\n").map_err(failed)?;
        }
        journal.file = Some((path.to_owned(), file));
        Ok(journal)
    }

    /// What is known about a configuration.
    pub(super) fn find(&self, configuration: &Configuration) -> Option<Outcome> {
        let of = |outcome: &&Outcome| match outcome {
            Outcome::Ran(row) => row.configuration == *configuration,
            Outcome::Refused(refusal) => refusal.configuration == *configuration,
        };
        self.known.iter().rev().find(of).cloned()
    }

    /// Appends a measurement immediately.
    pub(super) fn append(&mut self, outcome: &Outcome) -> Result<(), BenchError> {
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        let (row, refusal) = match outcome {
            Outcome::Ran(row) => (Some(row.clone()), None),
            Outcome::Refused(refusal) => (None, Some(refusal.clone())),
        };
        let line = Line { key: self.key.clone(), row, refusal };
        let text = serde_json::to_string(&line).expect("a line has only numbers and strings") + "\n";
        file.write_all(text.as_bytes()).map_err(|problem| FileError::Write { path: path.clone(), problem })?;
        Ok(())
    }
}

fn ends_with_newline(path: &Path) -> bool {
    let last = || {
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::End(-1)).ok()?;
        let mut byte = [0];
        std::io::Read::read_exact(&mut file, &mut byte).ok()?;
        Some(byte[0])
    };
    last() == Some(b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_does_not_change() {
        assert_eq!(hash(""), "cbf29ce484222325");
        assert_eq!(hash("a"), "af63dc4c8601ec8c");
    }
}
