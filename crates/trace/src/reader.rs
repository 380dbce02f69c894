//! Reading traces.

use crate::record::Record;
use std::io;
use std::path::{Path, PathBuf};

/// The records of all processes that wrote to a folder, each process after the one that began before it. A last line
/// that was cut off is left out, and so is everything that is not a record.
pub fn read(folder: &Path) -> io::Result<Vec<Record>> {
    let mut traces: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "trace") {
            let metadata = entry.metadata()?;
            traces.push((metadata.created().or_else(|_| metadata.modified())?, path));
        }
    }
    traces.sort();
    let mut records = Vec::new();
    for (_, path) in traces {
        let text = std::fs::read(&path)?;
        records.extend(text.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()));
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_is_left_out() {
        let folder = std::env::temp_dir().join(format!("warpwise-reader-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let text = "{\"record\":\"note\",\"text\":\"a\"}\n{\"record\":\"end\"}\n{\"record\":\"no";
        std::fs::write(folder.join("1.trace"), text).expect("written");
        std::fs::write(folder.join("other.txt"), "{\"record\":\"end\"}\n").expect("written");
        let records = read(&folder).expect("readable");
        assert_eq!(records, [Record::Note { text: "a".to_owned() }, Record::End]);
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
