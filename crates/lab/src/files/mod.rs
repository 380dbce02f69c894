//! The user's files: arrays (`.npy`, `.csv`) and pictures (PNG, PGM, JPEG).
//!
//! Reading checks everything before it is used. A file that is written gets its name when it is complete, so that nothing
//! is left half-written.

mod array;
pub(crate) mod base64;
mod csv;
mod deep;
mod error;
mod jpeg;
pub(crate) mod npy;
mod picture;
mod png;
mod pnm;
mod raster;
mod save;
mod unfinished;
mod wav;
mod windows;

pub use array::{Array, Numbers};
pub use deep::Deep;
pub use error::FileError;
pub use picture::{Grey, Picture};

pub(crate) use array::{Number, with_numbers, with_type, with_wide_numbers};
pub(crate) use picture::looks_like_picture;
pub(crate) use png::write_moving;
pub use save::{check_room, check_writable, save};
pub use wav::Sound;
pub(crate) use windows::{Sink, Source, none};

use std::path::Path;

/// The contents of a file.
///
/// ```
/// let error = warpwise_lab::files::read("does-not-exist.npy".as_ref()).unwrap_err();
/// assert!(error.to_string().starts_with("cannot read does-not-exist.npy: "));
/// ```
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    std::fs::read(path).map_err(|problem| FileError::Read { path: path.to_owned(), problem })
}

/// Reads an array from a `.npy` or `.csv` file.
pub fn read_array(path: &Path) -> Result<Array, FileError> {
    let bad = |problem| FileError::Content { path: path.to_owned(), problem };
    match extension(path).as_str() {
        "npy" => npy::parse(&read(path)?).map_err(bad),
        "csv" => csv::parse(&read(path)?).map_err(bad),
        _ => Err(FileError::Kind { path: path.to_owned(), expected: "a .npy or .csv file" }),
    }
}

/// Reads the samples of a `.wav` file: channel after channel, from -1 to 1.
pub fn read_sound(path: &Path) -> Result<(Sound, Vec<f32>), FileError> {
    wav::parse(&read(path)?).map_err(|problem| FileError::Content { path: path.to_owned(), problem })
}

/// Writes samples to a `.wav` file.
pub fn write_sound(path: &Path, sound: Sound, samples: &[f32]) -> Result<(), FileError> {
    save(path, &wav::write(sound, samples))
}

/// Writes an array to a `.npy` or `.csv` file.
pub fn write_array(path: &Path, array: &Array) -> Result<(), FileError> {
    check_array_name(path)?;
    let bytes = if extension(path) == "npy" { npy::write(array) } else { csv::write(array).into_bytes() };
    save(path, &bytes)
}

/// Checks that an array can be written under that name, before work is wasted on a wrong one.
pub(crate) fn check_array_name(path: &Path) -> Result<(), FileError> {
    match extension(path).as_str() {
        "npy" | "csv" => check_writable(path),
        _ => Err(FileError::Kind { path: path.to_owned(), expected: "a name that ends in .npy or .csv" }),
    }
}

/// The extension of a name, in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod testing {
    use std::path::PathBuf;

    /// A folder of its own for a test.
    pub(crate) fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("warpwise-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }
}
