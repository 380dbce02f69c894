//! Pictures with the depth that they have in the file: up to 16 bits per value.

use super::picture::{Picture, decode};
use super::save::save;
use super::{FileError, extension, png, read};
use std::path::Path;

/// A picture of any depth: one plane of grey, or red, green and blue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deep {
    /// How high it is.
    pub rows: usize,
    /// How wide it is.
    pub columns: usize,
    /// The value of white, or of full colour.
    pub max: u16,
    /// One plane or three, row after row.
    pub planes: Vec<Vec<u16>>,
}

impl Deep {
    /// Reads a picture; transparency is ignored.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let raster = decode(&read(path)?).map_err(|problem| FileError::Content { path: path.to_owned(), problem })?;
        let channels = if raster.colour { 3 } else { 1 };
        let plane = |c: usize| raster.samples.iter().skip(c).step_by(channels).copied().collect();
        let planes = (0..channels).map(plane).collect();
        Ok(Self { rows: raster.rows, columns: raster.columns, max: raster.max, planes })
    }

    /// Whether values need more than 8 bits.
    pub fn is_deep(&self) -> bool {
        self.max > 255
    }

    /// The picture with 8 bits per value.
    pub fn shallow(&self) -> Picture {
        let max = u32::from(self.max);
        let byte = |&v: &u16| u8::try_from((u32::from(v) * 255 + max / 2) / max).unwrap_or(u8::MAX);
        let planes = self.planes.iter().map(|plane| plane.iter().map(byte).collect()).collect();
        Picture { rows: self.rows, columns: self.columns, planes }
    }

    /// Writes the picture: with 16 bits per value if it needs them, except as a JPEG, which has 8.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let ending = extension(path);
        if !self.is_deep() || matches!(ending.as_str(), "jpg" | "jpeg") {
            return self.shallow().write(path);
        }
        let colour = self.planes.len() > 1;
        Picture::check_name(path, colour)?;
        let cells = self.rows * self.columns;
        let scaled = |v: u16| (u64::from(v) * 65535 / u64::from(self.max)) as u16;
        let sample = |v: u16| if ending == "png" { scaled(v) } else { v }.to_be_bytes();
        let values = (0..cells).flat_map(|i| self.planes.iter().map(move |plane| plane[i]));
        let data: Vec<u8> = values.flat_map(sample).collect();
        let bad = |problem: String| FileError::Content { path: path.to_owned(), problem };
        let bytes = match ending.as_str() {
            "png" => png::write_deep(self.columns, self.rows, colour, &data).map_err(bad)?,
            _ => {
                let kind = if colour { "P6" } else { "P5" };
                let head = format!("{kind}\n{} {}\n{}\n", self.columns, self.rows, self.max);
                [head.as_bytes(), &data].concat()
            }
        };
        save(path, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;

    #[test]
    fn sixteen_bits_stay_sixteen() {
        let here = folder("deep");
        for (name, planes, max) in [("a.png", 1, 65535), ("b.png", 3, 65535), ("c.pgm", 1, 4095), ("d.ppm", 3, 1000)] {
            let plane = |p: u16| (0..12).map(|i| (i * 83 + p) % max).collect();
            let picture = Deep { rows: 3, columns: 4, max, planes: (0..planes).map(plane).collect() };
            picture.write(&here.join(name)).unwrap();
            let back = Deep::read(&here.join(name)).unwrap();
            assert_eq!((&back, back.is_deep()), (&picture, true), "{name}");
        }
        let shallow = Deep { rows: 1, columns: 2, max: 255, planes: vec![vec![3, 250]] };
        shallow.write(&here.join("f.pgm")).unwrap();
        assert_eq!(std::fs::read(here.join("f.pgm")).unwrap(), b"P5\n2 1\n255\n\x03\xfa", "a byte is enough");
        let grey = Deep { rows: 1, columns: 2, max: 65535, planes: vec![vec![0, 65535]] };
        grey.write(&here.join("e.jpg")).unwrap();
        assert!(!Deep::read(&here.join("e.jpg")).unwrap().is_deep());
        assert_eq!(grey.shallow().planes, [[0, 255]]);
    }
}
