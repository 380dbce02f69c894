//! The results inside a page: as JSON, or packed where the page would be too large to pass around.
//!
//! Packed means compressed (zlib) and written in base64, which browsers and Python's standard library undo in a line.

use super::tour::MOST_BYTES;
use crate::files::base64;
use flate2::Compression;
use flate2::read::{ZlibDecoder, ZlibEncoder};
use std::borrow::Cow;
use std::io::Read;

/// Maximum bytes of a page that holds its results as plain JSON.
const ROOM: usize = 1_499_000;

const ID: &str = "id=\"warpwise-results\">";
const END: &str = "</script>";

/// The element that holds results, for a page that has so many bytes without it.
pub(super) fn element(json: &str, page: usize) -> String {
    // Nothing in it ends or begins markup.
    let escaped = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    if page + escaped.len() <= ROOM {
        return format!("<script type=\"application/json\" {ID}{escaped}{END}\n");
    }
    let mut packed = Vec::new();
    if ZlibEncoder::new(json.as_bytes(), Compression::best()).read_to_end(&mut packed).is_err() {
        unreachable!("reading from memory does not fail");
    }
    format!("<script type=\"application/zlib;base64\" {ID}{}{END}\n", base64::encode(&packed))
}

/// The results in a page, as JSON; or what is wrong.
pub(super) fn read(page: &str) -> Result<Cow<'_, str>, String> {
    let rest = page.split_once(ID).ok_or("the page has no results in it")?.1;
    let text = rest.split_once(END).ok_or("the page is cut off")?.0;
    if text.trim_start().starts_with('{') {
        return Ok(text.into());
    }
    let damaged = || "the results in the page are damaged".to_owned();
    let packed = base64::decode(text).ok_or_else(damaged)?;
    let mut json = String::new();
    ZlibDecoder::new(packed.as_slice()).take(MOST_BYTES).read_to_string(&mut json).map_err(|_| damaged())?;
    Ok(json.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let json = r#"{"words":"</script> & <p>","numbers":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}"#;
        for (page, kind) in [(0, "application/json"), (ROOM, "application/zlib;base64")] {
            let element = element(json, page);
            assert!(element.contains(kind) && element.matches("</script>").count() == 1, "{element}");
            let read = read(&element).unwrap();
            let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
            assert_eq!(value(&read), value(json));
        }
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let whole = element("{\"a\":1}", ROOM);
        let (before, packed) = whole.split_once(ID).unwrap();
        for at in 0..packed.len() - END.len() - 1 {
            let cut = format!("{before}{ID}{}{END}", &packed[..at]);
            assert!(read(&cut).is_err(), "{cut}");
        }
        assert_eq!(read("<p>").unwrap_err(), "the page has no results in it");
        assert_eq!(read(&whole[..whole.len() - END.len()]).unwrap_err(), "the page is cut off");
    }
}
