//! Pictures: grey levels as they are in the file, and 8-bit planes to compute on.

use super::raster::Raster;
use super::save::{self, save};
use super::{FileError, extension, jpeg, png, pnm, read};
use std::path::Path;

/// Encodes a picture of a width and height, grey or in colour, from its pixels.
type Writer = fn(u32, u32, bool, &[u8]) -> Result<Vec<u8>, String>;

/// The error for a picture that would take too much memory.
pub(super) const TOO_LARGE: &str = "the picture is too large: it would take more than 512 MiB";

/// Extensions of picture files.
const PICTURES: [&str; 7] = ["png", "pgm", "jpg", "jpeg", "ppm", "pnm", "pbm"];

/// Signatures of unsupported picture formats: bytes, their offset, and the name of the format.
const STRANGERS: [(&[u8], usize, &str); 12] = [
    (b"GIF8", 0, "Gif"),
    (b"WEBP", 8, "WebP"),
    (b"MM\x00*", 0, "Tiff"),
    (b"II*\x00", 0, "Tiff"),
    (b"DDS ", 0, "Dds"),
    (b"BM", 0, "Bmp"),
    (b"\x00\x00\x01\x00", 0, "Ico"),
    (b"#?RADIANCE", 0, "Hdr"),
    (b"ftypavif", 4, "Avif"),
    (b"\x76\x2f\x31\x01", 0, "OpenExr"),
    (b"qoif", 0, "Qoi"),
    (b"farbfeld", 0, "Farbfeld"),
];

/// A grey picture with its values as they are in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grey {
    /// How high it is.
    pub rows: usize,
    /// How wide it is.
    pub columns: usize,
    /// The value of white.
    pub max: u16,
    /// The values, row after row.
    pub values: Vec<u16>,
}

/// A picture with 8 bits per value: one plane of grey, or red, green and blue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// How high it is.
    pub rows: usize,
    /// How wide it is.
    pub columns: usize,
    /// One plane or three, row after row.
    pub planes: Vec<Vec<u8>>,
}

/// Whether a file is a picture, by its name or its first bytes.
pub(crate) fn looks_like_picture(path: &Path, bytes: &[u8]) -> bool {
    PICTURES.contains(&extension(path).as_str())
        || png::is_png(bytes)
        || jpeg::is_jpeg(bytes)
        || stranger(bytes).is_some()
}

impl Grey {
    /// Reads a picture; colours become grey (by their luminance), and transparency is ignored.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(&read(path)?).map_err(|problem| FileError::Content { path: path.to_owned(), problem })
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let picture = decode(bytes)?;
        let deep = picture.max == u16::MAX && picture.colour;
        let mut grey = picture.into_grey();
        if deep {
            // Only pictures that are grey in the file keep their depth.
            grey = Raster::of_bytes(grey.rows, grey.columns, 1, &grey.to_bytes());
        }
        let Raster { rows, columns, max, samples: values, .. } = grey;
        Ok(Self { rows, columns, max, values })
    }

    /// The values as 0 to 255.
    pub fn to_bytes(&self) -> Vec<u8> {
        let max = u32::from(self.max);
        let byte = |&v: &u16| u8::try_from((u32::from(v) * 255 + max / 2) / max).unwrap_or(u8::MAX);
        self.values.iter().map(byte).collect()
    }
}

impl Picture {
    /// Reads a picture; transparency is ignored, and 16-bit values lose their lower half.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(&read(path)?).map_err(|problem| FileError::Content { path: path.to_owned(), problem })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let picture = decode(bytes)?;
        let (bytes, channels) = (picture.to_bytes(), if picture.colour { 3 } else { 1 });
        let plane = |c: usize| bytes.iter().skip(c).step_by(channels).copied().collect();
        Ok(Self { rows: picture.rows, columns: picture.columns, planes: (0..channels).map(plane).collect() })
    }

    /// Checks that a picture can be written under that name, before work is wasted on a wrong one.
    pub fn check_name(path: &Path, colour: bool) -> Result<(), FileError> {
        let known = match extension(path).as_str() {
            "png" | "jpg" | "jpeg" => true,
            "pgm" => !colour,
            "ppm" => colour,
            _ => false,
        };
        let expected = match colour {
            true => "a name that ends in .png, .jpg or .ppm for a picture in colour",
            false => "a name that ends in .png, .jpg or .pgm for a grey picture",
        };
        if !known {
            return Err(FileError::Kind { path: path.to_owned(), expected });
        }
        save::check_writable(path)
    }

    /// Writes the picture; the extension of the name selects the format.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        Self::check_name(path, self.planes.len() > 1)?;
        let bad = |problem: String| FileError::Content { path: path.to_owned(), problem };
        let bytes = match extension(path).as_str() {
            "pgm" => pnm::write(self.rows, self.columns, &self.planes[0]),
            "ppm" => [format!("P6\n{} {}\n255\n", self.columns, self.rows).as_bytes(), &self.interleaved()].concat(),
            "png" => self.encode(png::write).map_err(bad)?,
            _ => self.encode(jpeg::write).map_err(bad)?,
        };
        save(path, &bytes)
    }

    /// The picture as the bytes of a PNG file, as few as can be.
    pub(crate) fn to_png(&self) -> Result<Vec<u8>, String> {
        self.encode(png::write_small)
    }

    fn encode(&self, write: Writer) -> Result<Vec<u8>, String> {
        let side = |n: usize| u32::try_from(n).map_err(|_| "the picture is too large for this format".to_owned());
        let (width, height, pixels) = (side(self.columns)?, side(self.rows)?, self.interleaved());
        if pixels.is_empty() {
            return Err("the picture has no pixels".into());
        }
        write(width, height, self.planes.len() > 1, &pixels)
    }

    /// The planes side by side: red, green, blue, red, ...
    fn interleaved(&self) -> Vec<u8> {
        (0..self.rows * self.columns).flat_map(|i| self.planes.iter().map(move |plane| plane[i])).collect()
    }
}

/// The samples of a picture; its first bytes tell the format.
pub(super) fn decode(bytes: &[u8]) -> Result<Raster, String> {
    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    if pnm::is_pnm(bytes) {
        return pnm::parse(bytes);
    }
    if png::is_png(bytes) {
        return png::parse(bytes);
    }
    if jpeg::is_jpeg(bytes) {
        return jpeg::parse(bytes);
    }
    Err(match stranger(bytes) {
        Some(name) => format!("this kind of picture is not supported: The image format {name} is not supported"),
        None => "this is not a known picture format: give PNG, PGM or JPEG".to_owned(),
    })
}

/// The name of an unsupported picture format.
fn stranger(bytes: &[u8]) -> Option<&'static str> {
    let begins = |(magic, at, _): &&(&[u8], usize, &str)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic));
    STRANGERS.iter().find(begins).map(|(_, _, name)| *name)
}

/// The error for a picture that cannot be read to its end.
pub(super) fn damaged(how: &str) -> String {
    format!("the picture is damaged or cut off: {how}; save it again, or give another one")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;

    fn ramp(planes: usize) -> Picture {
        let plane = |p: usize| (0..48_usize).map(|i| u8::try_from(i * 5 + p).unwrap()).collect();
        Picture { rows: 6, columns: 8, planes: (0..planes).map(plane).collect() }
    }

    #[test]
    fn pictures_come_back() {
        let here = folder("picture");
        for (name, planes) in [("a.png", 1), ("b.png", 3), ("c.pgm", 1), ("d.ppm", 3)] {
            ramp(planes).write(&here.join(name)).unwrap();
            assert_eq!(Picture::read(&here.join(name)).unwrap(), ramp(planes), "{name}");
        }
        ramp(1).write(&here.join("e.jpg")).unwrap();
        let jpeg = Grey::read(&here.join("e.jpg")).unwrap();
        assert!(jpeg.to_bytes().iter().zip(&ramp(1).planes[0]).all(|(a, b)| a.abs_diff(*b) < 8));
        assert!(ramp(3).write(&here.join("f.pgm")).unwrap_err().to_string().contains(".ppm for a picture in colour"));
        assert!(ramp(1).write(&here.join("f.bmp")).unwrap_err().to_string().contains(".png"));
    }

    #[test]
    fn a_cut_off_picture_is_refused() {
        let here = folder("cut");
        for name in ["a.png", "b.jpg", "c.pgm"] {
            ramp(1).write(&here.join(name)).unwrap();
            let whole = std::fs::read(here.join(name)).unwrap();
            let error = Grey::parse(&whole[..whole.len() * 2 / 3]).unwrap_err();
            assert!(error.contains("cut off"), "{name}: {error}");
            for cut in 0..whole.len() {
                // Cut anywhere: an error or a picture, never a panic.
                let _ = Grey::parse(&whole[..cut]);
            }
        }
        assert!(Grey::parse(b"").unwrap_err().contains("empty"));
        assert!(Grey::parse(b"hello").unwrap_err().contains("PNG, PGM or JPEG"));
        assert!(Grey::parse(b"GIF89a").unwrap_err().contains("not supported"));
    }

    #[test]
    fn values_are_kept_as_they_are() {
        let grey = Grey::parse(b"P2 2 1 10 5 10").unwrap();
        assert_eq!((grey.max, grey.values.as_slice()), (10, &[5, 10][..]));
        assert_eq!(grey.to_bytes(), [128, 255]);
    }
}
