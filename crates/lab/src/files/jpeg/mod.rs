//! JPEG pictures.

mod encode;

pub(super) use encode::write;

use super::picture::{TOO_LARGE, damaged};
use super::raster::{LARGEST, Raster};
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Whether the bytes begin like a JPEG picture.
pub(super) fn is_jpeg(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xd8, 0xff])
}

/// Reads a file's contents; the error is what is wrong with them.
pub(super) fn parse(bytes: &[u8]) -> Result<Raster, String> {
    if !ends(bytes) {
        return Err("the picture is cut off: its end is missing".into());
    }
    let bad = |error: DecodeErrors| match error {
        DecodeErrors::Unsupported(_) => {
            "this kind of JPEG picture is not supported: save it as a baseline JPEG or as PNG".to_owned()
        }
        DecodeErrors::LargeDimensions(_) => TOO_LARGE.to_owned(),
        _ => damaged("its data is not that of a JPEG picture"),
    };
    let options = DecoderOptions::default().set_strict_mode(false).set_max_width(usize::MAX).set_max_height(usize::MAX);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(bad)?;
    // Grey stays grey; everything else becomes red, green and blue.
    let grey = matches!(decoder.input_colorspace(), Some(ColorSpace::Luma));
    let (channels, space) = if grey { (1, ColorSpace::Luma) } else { (3, ColorSpace::RGB) };
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    let (columns, rows) = decoder.dimensions().unwrap_or_default();
    if rows.saturating_mul(columns).saturating_mul(channels) > LARGEST {
        return Err(TOO_LARGE.to_owned());
    }
    let pixels = decoder.decode().map_err(bad)?;
    Ok(Raster::of_bytes(rows, columns, channels, &pixels))
}

/// Whether the end marker follows the last scan. The decoder silently paints missing parts grey.
fn ends(bytes: &[u8]) -> bool {
    let find = |marker: u8| bytes.windows(2).rposition(|pair| pair == [0xff, marker]);
    matches!((find(0xda), find(0xd9)), (Some(scan), Some(end)) if scan < end)
}
