//! What a program copied back to the host, so that two runs of it can be compared.

use crate::place::HostPlace;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The environment variable with the path of a [`Witness`].
pub const WITNESS_VARIABLE: &str = "WARPWISE_WITNESS";

/// What the library that stands between a program and a driver is told: its fields are the JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// The driver that calls are passed on to.
    pub driver: PathBuf,
    /// The folder for what is copied back.
    pub folder: PathBuf,
}

/// A copy back to the host: a line of a process's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyBack {
    /// The thread that asked for it: the first that asked for one is 0.
    pub thread: u32,
    /// Which copy of that thread it is, from 1.
    pub number: u64,
    /// How many bytes.
    pub bytes: u64,
    /// A hash of them, the same for the same bytes.
    pub hash: u64,
    /// Where they are in the process's file of bytes, if they are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPlace>,
}

/// What a process copied back.
#[derive(Clone, Debug, Default)]
pub struct CopiesBack {
    /// In the order of threads, and of their calls.
    pub copies: Vec<CopyBack>,
    bytes: PathBuf,
}

impl CopiesBack {
    /// The two files of a process in a folder: the list, and the bytes.
    pub fn files(folder: &Path, process: u32) -> [PathBuf; 2] {
        [folder.join(format!("{process}.copies")), folder.join(format!("{process}.bytes"))]
    }

    /// Those of all processes that wrote to a folder, each process after the one that began before it.
    pub fn read(folder: &Path) -> io::Result<Vec<Self>> {
        let mut lists: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "copies") {
                let metadata = entry.metadata()?;
                lists.push((metadata.created().or_else(|_| metadata.modified())?, entry.path()));
            }
        }
        lists.sort();
        let of_process = |(_, path): (_, PathBuf)| {
            let text = std::fs::read(&path)?;
            let lines = text.split(|&byte| byte == b'\n');
            let mut copies: Vec<CopyBack> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
            copies.sort_by_key(|copy| (copy.thread, copy.number));
            Ok(Self { copies, bytes: path.with_extension("bytes") })
        };
        lists.into_iter().map(of_process).collect()
    }

    /// The bytes of one of its copies, if they were kept.
    pub fn bytes_of(&self, copy: &CopyBack) -> Option<Vec<u8>> {
        let mut file = std::fs::File::open(&self.bytes).ok()?;
        file.seek(SeekFrom::Start(copy.at?)).ok()?;
        let mut bytes = Vec::new();
        file.take(copy.bytes).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 == copy.bytes).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_in_order_with_their_bytes() {
        let folder = std::env::temp_dir().join(format!("warpwise-copies-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let copy = |thread, number, at| CopyBack { thread, number, bytes: 2, hash: 1, at, host: None };
        let [list, bytes] = CopiesBack::files(&folder, 7);
        let lines = [copy(1, 1, None), copy(0, 2, Some(1)), copy(0, 1, Some(2))];
        let mut text: String = lines.iter().map(|c| serde_json::to_string(c).expect("plain") + "\n").collect();
        text += "{\"thread\":0,\"num";
        std::fs::write(list, text).expect("written");
        std::fs::write(bytes, "abc").expect("written");
        let all = CopiesBack::read(&folder).expect("readable");
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].copies, [lines[2].clone(), lines[1].clone(), lines[0].clone()]);
        let bytes: Vec<_> = all[0].copies.iter().map(|copy| all[0].bytes_of(copy)).collect();
        assert_eq!(bytes, [None, Some(b"bc".to_vec()), None], "the file ends before the first, and the last has none");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
