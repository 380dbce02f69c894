//! The header of NumPy's `.npy` files.

use std::fmt::Write;

const MAGIC: &[u8] = b"\x93NUMPY";

/// What a header says: NumPy's name of the type, and the length of every dimension.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    pub(super) descr: String,
    pub(super) shape: Vec<usize>,
    /// Where the numbers begin.
    pub(super) begin: u64,
}

/// Reads the header at the beginning of a file; the error is what is wrong with it.
pub(super) fn read(bytes: &[u8]) -> Result<Header, String> {
    let cut = "the file is cut off within its header";
    let rest = bytes.strip_prefix(MAGIC).ok_or("this is not a .npy file: it does not begin with \\x93NUMPY")?;
    let (version, rest) = rest.split_at_checked(2).ok_or(cut)?;
    let (size, rest) = match version {
        [1, 0] => rest.split_at_checked(2).ok_or(cut)?,
        [2 | 3, 0] => rest.split_at_checked(4).ok_or(cut)?,
        _ => return Err("this version of the .npy format is not supported: save as 1.0 or 2.0".into()),
    };
    let size = size.iter().rev().fold(0_usize, |size, &byte| (size << 8) | usize::from(byte));
    let begin = bytes.len() - rest.len() + size;
    let text = String::from_utf8_lossy(rest.get(..size).ok_or(cut)?).into_owned();
    let bad = || "its header cannot be read: save the array again".to_owned();
    let entry = |key: &str| {
        let at = text.find(&format!("'{key}'"))?;
        text[at + key.len() + 2..].trim_start().strip_prefix(':').map(str::trim_start)
    };
    let descr = entry("descr").and_then(|d| d.strip_prefix('\'')).and_then(|d| d.split('\'').next()).ok_or_else(bad)?;
    let shape = entry("shape").and_then(|s| s.strip_prefix('(')).and_then(|s| s.split(')').next()).ok_or_else(bad)?;
    let shape = shape.split(',').map(str::trim).filter(|d| !d.is_empty());
    let shape: Vec<usize> = shape.map(|d| d.parse().map_err(|_| bad())).collect::<Result<_, _>>()?;
    let fortran = entry("fortran_order").ok_or_else(bad)?.starts_with("True");
    if fortran && shape.iter().filter(|&&d| d > 1).count() > 1 {
        return Err("the array is in Fortran order, of which no rank has a part in one piece: \
                    save it with numpy.ascontiguousarray"
            .into());
    }
    Ok(Header { descr: descr.to_owned(), shape, begin: begin as u64 })
}

/// The header of a file with numbers of that type and shape.
pub(super) fn write(descr: &str, shape: &[usize]) -> Vec<u8> {
    let mut dimensions = String::new();
    for d in shape {
        let _ = write!(dimensions, "{d}, ");
    }
    let dimensions = if shape.len() == 1 { dimensions.trim_end() } else { dimensions.trim_end_matches(", ") };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dimensions}), }}");
    // The numbers begin at a multiple of 64 bytes, and a line end comes before them.
    let before = MAGIC.len() + 4;
    let padding = (before + header.len() + 1).next_multiple_of(64) - before - header.len() - 1;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let size = (header.len() as u16).to_le_bytes();
    [MAGIC, &[1, 0], &size, header.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_as_they_were() {
        for shape in [vec![], vec![7], vec![3, 4], vec![0, 9]] {
            let bytes = write("<f8", &shape);
            assert_eq!(bytes.len() % 64, 0);
            assert_eq!(read(&bytes).unwrap(), Header { descr: "<f8".into(), shape, begin: bytes.len() as u64 });
        }
        assert!(read(b"PNG").unwrap_err().contains("not a .npy file"));
        assert!(read(&write("<f8", &[7])[..30]).unwrap_err().contains("cut off"));
        let fortran = write("<f8", &[3, 4]);
        let fortran = String::from_utf8_lossy(&fortran[10..]).replace("False", "True ");
        let bytes = [MAGIC, &[1, 0], &(fortran.len() as u16).to_le_bytes(), fortran.as_bytes()].concat();
        assert!(read(&bytes).unwrap_err().contains("ascontiguousarray"));
    }
}
