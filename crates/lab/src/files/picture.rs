//! Pictures: grey levels as they are in the file, and 8-bit planes to compute on.

use super::save::{self, save};
use super::{FileError, extension, pgm, read};
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageError, ImageFormat, ImageReader};
use std::io::Cursor;
use std::path::Path;

/// Quality of JPEG files, of 100: differences from the computed values are hard to see.
const JPEG_QUALITY: u8 = 95;

/// Endings that say that a file is a picture.
const PICTURES: [&str; 7] = ["png", "pgm", "jpg", "jpeg", "ppm", "pnm", "pbm"];

/// A grey picture with its values as they are in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grey {
    /// How high it is.
    pub rows: usize,
    /// How wide it is.
    pub columns: usize,
    /// What stands for white.
    pub max: u16,
    /// The values, row after row.
    pub values: Vec<u16>,
}

/// A picture with 8 bits a value: one plane of grey, or red, green and blue.
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
    PICTURES.contains(&extension(path).as_str()) || image::guess_format(bytes).is_ok_and(|f| f != ImageFormat::Pnm)
}

impl Grey {
    /// Reads a picture; colours become grey (by their luminance), transparency is left out.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(&read(path)?).map_err(|problem| FileError::Content { path: path.to_owned(), problem })
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        if pgm::is_pgm(bytes) {
            return pgm::parse(bytes);
        }
        let picture = decode(bytes)?;
        let (rows, columns) = (picture.height() as usize, picture.width() as usize);
        let deep = matches!(picture, DynamicImage::ImageLuma16(_) | DynamicImage::ImageLumaA16(_));
        Ok(if deep {
            Self { rows, columns, max: u16::MAX, values: picture.into_luma16().into_raw() }
        } else {
            let values = picture.into_luma8().into_raw().into_iter().map(u16::from).collect();
            Self { rows, columns, max: 255, values }
        })
    }

    /// The values as 0 to 255.
    pub fn to_bytes(&self) -> Vec<u8> {
        let max = u32::from(self.max);
        let byte = |&v: &u16| u8::try_from((u32::from(v) * 255 + max / 2) / max).unwrap_or(u8::MAX);
        self.values.iter().map(byte).collect()
    }
}

impl Picture {
    /// Reads a picture; transparency is left out, and 16-bit values lose their lower half.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Self::parse(&read(path)?).map_err(|problem| FileError::Content { path: path.to_owned(), problem })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        if pgm::is_pgm(bytes) {
            let grey = pgm::parse(bytes)?;
            return Ok(Self { rows: grey.rows, columns: grey.columns, planes: vec![grey.to_bytes()] });
        }
        let picture = decode(bytes)?;
        let (rows, columns) = (picture.height() as usize, picture.width() as usize);
        let planes = if picture.color().has_color() {
            let pixels = picture.into_rgb8().into_raw();
            (0..3).map(|c| pixels.iter().skip(c).step_by(3).copied().collect()).collect()
        } else {
            vec![picture.into_luma8().into_raw()]
        };
        Ok(Self { rows, columns, planes })
    }

    /// Whether a picture can be written under that name: ask before the work, so that a wrong name does not cost it.
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

    /// Writes the picture; the ending of the name says how.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        Self::check_name(path, self.planes.len() > 1)?;
        let bad = |problem: String| FileError::Content { path: path.to_owned(), problem };
        let bytes = match extension(path).as_str() {
            "pgm" => pgm::write(self.rows, self.columns, &self.planes[0]),
            "ppm" => [format!("P6\n{} {}\n255\n", self.columns, self.rows).as_bytes(), &self.interleaved()].concat(),
            ending => self.encode(ending == "png").map_err(bad)?,
        };
        save(path, &bytes)
    }

    /// The picture as the bytes of a PNG file.
    pub(crate) fn to_png(&self) -> Result<Vec<u8>, String> {
        self.encode(true)
    }

    fn encode(&self, png: bool) -> Result<Vec<u8>, String> {
        let side = |n: usize| u32::try_from(n).map_err(|_| "the picture is too large for this format".to_owned());
        let (width, height, pixels) = (side(self.columns)?, side(self.rows)?, self.interleaved());
        let picture = match self.planes.len() {
            1 => image::GrayImage::from_raw(width, height, pixels).map(DynamicImage::ImageLuma8),
            _ => image::RgbImage::from_raw(width, height, pixels).map(DynamicImage::ImageRgb8),
        };
        let picture = picture.ok_or("the picture has no pixels")?;
        let mut out = Cursor::new(Vec::new());
        let outcome = match png {
            true => picture.write_to(&mut out, ImageFormat::Png),
            false => picture.write_with_encoder(JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY)),
        };
        outcome.map_err(|error| one_line(&error))?;
        Ok(out.into_inner())
    }

    /// The planes side by side: red, green, blue, red, ...
    fn interleaved(&self) -> Vec<u8> {
        (0..self.rows * self.columns).flat_map(|i| self.planes.iter().map(move |plane| plane[i])).collect()
    }
}

fn decode(bytes: &[u8]) -> Result<DynamicImage, String> {
    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    let format = image::guess_format(bytes).map_err(|_| "this is no picture known here: give PNG, PGM or JPEG")?;
    if format == ImageFormat::Jpeg && !jpeg_ends(bytes) {
        return Err("the picture is cut off: its end is missing".into());
    }
    ImageReader::with_format(Cursor::new(bytes), format).decode().map_err(|error| match error {
        ImageError::Limits(_) => "the picture is too large: it would take more than 512 MiB".to_owned(),
        ImageError::Unsupported(_) => format!("this kind of picture is not supported: {}", one_line(&error)),
        other => format!("the picture is damaged or cut off: {}", one_line(&other)),
    })
}

/// Whether the end marker of a JPEG follows its last scan. The decoder paints what is missing grey and says nothing.
fn jpeg_ends(bytes: &[u8]) -> bool {
    let find = |marker: u8| bytes.windows(2).rposition(|pair| pair == [0xff, marker]);
    matches!((find(0xda), find(0xd9)), (Some(scan), Some(end)) if scan < end)
}

fn one_line(error: &ImageError) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
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
                // Wherever it is cut: an error or a picture, never a panic.
                let _ = Grey::parse(&whole[..cut]);
            }
        }
        assert!(Grey::parse(b"").unwrap_err().contains("empty"));
        assert!(Grey::parse(b"hello").unwrap_err().contains("PNG, PGM or JPEG"));
    }

    #[test]
    fn values_are_kept_as_they_are() {
        let grey = Grey::parse(b"P2 2 1 10 5 10").unwrap();
        assert_eq!((grey.max, grey.values.as_slice()), (10, &[5, 10][..]));
        assert_eq!(grey.to_bytes(), [128, 255]);
    }
}
