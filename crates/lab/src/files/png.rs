//! PNG pictures.

use super::picture::{TOO_LARGE, damaged};
use super::raster::{LARGEST, Raster};
use png::{BitDepth, ColorType, Compression, Decoder, DecodingError, Encoder, Filter, Limits, Transformations};
use std::io::Cursor;

/// Whether the bytes begin like a PNG picture.
pub(super) fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n")
}

/// Reads a file's contents; the error is what is wrong with them.
pub(super) fn parse(bytes: &[u8]) -> Result<Raster, String> {
    let bad = |error: DecodingError| match error {
        DecodingError::LimitsExceeded => TOO_LARGE.to_owned(),
        DecodingError::IoError(_) => damaged("its end is missing"),
        // The decoder's own words print its data structures; only the kind of the defect is worth telling.
        error if error.to_string().contains("CRC") => damaged("a checksum does not match its data"),
        _ => damaged("its data is not that of a PNG picture"),
    };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: LARGEST });
    // Palettes become colours, and fewer than 8 bits become 8.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(bad)?;
    let size = reader.output_buffer_size().filter(|&size| size <= LARGEST).ok_or(TOO_LARGE)?;
    let mut out = vec![0; size];
    let frame = reader.next_frame(&mut out).map_err(bad)?;
    let (rows, columns) = (frame.height as usize, frame.width as usize);
    let channels = match frame.color_type {
        ColorType::Grayscale => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb | ColorType::Indexed => 3,
        ColorType::Rgba => 4,
    };
    Ok(match frame.bit_depth {
        BitDepth::Sixteen => {
            let samples = out.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            Raster::of_samples(rows, columns, channels, u16::MAX, samples)
        }
        _ => Raster::of_bytes(rows, columns, channels, &out),
    })
}

/// The contents of a file: one byte of grey per pixel, or three of colour.
pub(super) fn write(width: u32, height: u32, colour: bool, pixels: &[u8]) -> Result<Vec<u8>, String> {
    encode((width, height), colour, BitDepth::Eight, Compression::Fast, pixels)
}

/// The same in fewer bytes, which takes longer.
pub(super) fn write_small(width: u32, height: u32, colour: bool, pixels: &[u8]) -> Result<Vec<u8>, String> {
    encode((width, height), colour, BitDepth::Eight, Compression::High, pixels)
}

/// The same with two bytes per value, the higher one first.
pub(super) fn write_deep(columns: usize, rows: usize, colour: bool, pixels: &[u8]) -> Result<Vec<u8>, String> {
    encode((side(columns)?, side(rows)?), colour, BitDepth::Sixteen, Compression::Fast, pixels)
}

/// A picture that moves: frames of one byte of grey per pixel or three of colour, each shown for so many milliseconds.
/// Programs that know nothing of it show the first frame.
pub(crate) fn write_moving(
    (columns, rows): (usize, usize),
    colour: bool,
    milliseconds: u16,
    frames: &[&[u8]],
) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut encoder = configured(&mut out, (side(columns)?, side(rows)?), colour, BitDepth::Eight, Compression::Fast);
    let count = u32::try_from(frames.len()).map_err(|_| "there are too many frames".to_owned())?;
    let outcome = encoder
        .set_animated(count, 0)
        .and_then(|()| encoder.set_frame_delay(milliseconds, 1000))
        .and_then(|()| encoder.write_header())
        .and_then(|mut writer| {
            for frame in frames {
                writer.write_image_data(frame)?;
            }
            writer.finish()
        });
    outcome.map_err(|error| error.to_string())?;
    Ok(out)
}

fn side(n: usize) -> Result<u32, String> {
    u32::try_from(n).ok().filter(|&n| n > 0).ok_or_else(|| "the picture is empty or too large for PNG".to_owned())
}

fn configured(
    out: &mut Vec<u8>,
    (width, height): (u32, u32),
    colour: bool,
    depth: BitDepth,
    compression: Compression,
) -> Encoder<'_, &mut Vec<u8>> {
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(if colour { ColorType::Rgb } else { ColorType::Grayscale });
    encoder.set_depth(depth);
    encoder.set_compression(compression);
    encoder.set_filter(Filter::Adaptive);
    encoder
}

fn encode(
    size: (u32, u32),
    colour: bool,
    depth: BitDepth,
    compression: Compression,
    pixels: &[u8],
) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let encoder = configured(&mut out, size, colour, depth, compression);
    let outcome = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    outcome.map_err(|error| error.to_string())?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(color: ColorType, depth: BitDepth, palette: &[u8], data: &[u8]) -> Raster {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(&mut out, 2, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if !palette.is_empty() {
            encoder.set_palette(palette.to_vec());
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        parse(&out).unwrap()
    }

    #[test]
    fn every_kind_is_read() {
        let deep = encoded(ColorType::Grayscale, BitDepth::Sixteen, &[], &[0, 1, 255, 255]);
        assert_eq!((deep.max, deep.samples), (u16::MAX, vec![1, 65535]));
        let bits = encoded(ColorType::Grayscale, BitDepth::One, &[], &[0b0100_0000]);
        assert_eq!((bits.max, bits.samples), (255, vec![0, 255]));
        let palette = encoded(ColorType::Indexed, BitDepth::Eight, &[1, 2, 3, 4, 5, 6], &[1, 0]);
        assert_eq!((palette.colour, palette.samples), (true, vec![4, 5, 6, 1, 2, 3]));
        let clear = encoded(ColorType::Rgba, BitDepth::Eight, &[], &[1, 2, 3, 0, 4, 5, 6, 9]);
        assert_eq!((clear.colour, clear.samples), (true, vec![1, 2, 3, 4, 5, 6]));
        let veiled = encoded(ColorType::GrayscaleAlpha, BitDepth::Eight, &[], &[7, 0, 8, 9]);
        assert_eq!((veiled.colour, veiled.samples), (false, vec![7, 8]));
    }

    #[test]
    fn a_damaged_file_is_told_in_words() {
        let whole = write(8, 8, false, &[7; 64]).unwrap();
        for at in 8..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            if let Err(error) = parse(&bytes) {
                assert!(!error.contains('{') && !error.contains("ChunkType") && error.len() < 160, "{error}");
            }
        }
        let mut bytes = whole.clone();
        // The checksum of the header follows its 13 bytes.
        bytes[30] ^= 1;
        assert!(parse(&bytes).unwrap_err().contains("a checksum does not match"));
        assert!(parse(&whole[..whole.len() - 20]).unwrap_err().contains("damaged or cut off"));
    }

    #[test]
    fn frames_follow_each_other() {
        let bytes = write_moving((2, 1), false, 80, &[&[1, 2], &[3, 4], &[5, 6]]).unwrap();
        let mut reader = Decoder::new(Cursor::new(&bytes[..])).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
        let mut seen = Vec::new();
        let mut frame = [0; 2];
        while reader.next_frame(&mut frame).is_ok() {
            seen.push(frame);
        }
        assert_eq!(seen, [[1, 2], [3, 4], [5, 6]]);
        assert_eq!(parse(&bytes).unwrap().samples, [1, 2], "a still picture for those who do not animate");
    }

    #[test]
    fn what_is_too_large_is_not_tried() {
        let mut header = write(1, 1, false, &[0]).unwrap();
        // Width and height follow the length and the name of the first chunk; its checksum follows its 13 bytes.
        header[16..24].copy_from_slice(&[0, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff]);
        let mut crc = u32::MAX;
        for &byte in &header[12..29] {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            }
        }
        header[29..33].copy_from_slice(&(!crc).to_be_bytes());
        assert_eq!(parse(&header).unwrap_err(), TOO_LARGE);
    }
}
