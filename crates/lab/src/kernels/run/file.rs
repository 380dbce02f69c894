//! Contents of buffers from files, by their suffix: `.npy`, `.csv` and `.txt` hold numbers, anything else raw data.

use super::element::ElementType;
use super::fill::Fill;
use crate::files::{extension, npy};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longer than the header of any `.npy` file.
const LONGEST_HEADER: u64 = 1 << 20;
/// Larger than any text of numbers that is meant as an argument.
const LARGEST_TEXT: u64 = 1 << 30;

/// What a file holds for elements of a type, and how many there are.
pub(super) fn open(path: &Path, ty: ElementType) -> Result<(Fill, u64), String> {
    let metadata = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a file".into());
    }
    let file = File::open(path).map_err(|e| e.to_string())?;
    match extension(path).as_str() {
        "npy" => array(file, metadata.len(), path, ty),
        "csv" => text(file, metadata.len(), ty, ","),
        "txt" => text(file, metadata.len(), ty, ", \t;"),
        _ => raw(metadata.len(), path, ty),
    }
}

fn raw(bytes: u64, path: &Path, ty: ElementType) -> Result<(Fill, u64), String> {
    if !bytes.is_multiple_of(ty.bytes()) {
        return Err(format!("it has {bytes} bytes, which is not a whole number of {} values", ty.name()));
    }
    Ok((Fill::File { path: path.to_owned(), from: 0 }, bytes / ty.bytes()))
}

/// The numbers of a `.npy` file, of any shape, in C order.
fn array(mut file: File, bytes: u64, path: &Path, ty: ElementType) -> Result<(Fill, u64), String> {
    let mut start = Vec::new();
    file.by_ref().take(LONGEST_HEADER).read_to_end(&mut start).map_err(|e| e.to_string())?;
    let (header, from) = npy::header(&start)?;
    if !dtypes(ty).contains(&header.descr.as_str()) {
        return Err(other_type(&header.descr, path, ty));
    }
    let size = ty.bytes() as usize;
    let there = usize::try_from(bytes - from as u64).unwrap_or(usize::MAX);
    let wanted = header.bytes(size, there)?;
    let count = (wanted / size) as u64;
    if !header.fortran_order || header.shape.len() < 2 {
        return Ok((Fill::File { path: path.to_owned(), from: from as u64 }, count));
    }
    let mut all = start;
    file.read_to_end(&mut all).map_err(|e| e.to_string())?;
    let values = all.get(from..from + wanted).ok_or("the file has become shorter")?;
    let order = npy::in_c_order((0..values.len() / size).collect(), &header.shape);
    let ordered = order.iter().flat_map(|&at| &values[at * size..][..size]).copied().collect();
    Ok((Fill::Numbers(ordered), count))
}

/// NumPy's names for a type. It has none for bf16: extensions store it as two opaque bytes.
fn dtypes(ty: ElementType) -> &'static [&'static str] {
    match ty {
        ElementType::U8 => &["|u1", "u1", "<u1", "|b1"],
        ElementType::I8 => &["|i1", "i1", "<i1"],
        ElementType::U16 => &["<u2"],
        ElementType::I16 => &["<i2"],
        ElementType::U32 => &["<u4"],
        ElementType::I32 => &["<i4"],
        ElementType::U64 => &["<u8"],
        ElementType::I64 => &["<i8"],
        ElementType::F16 => &["<f2"],
        ElementType::Bf16 => &["<V2", "|V2"],
        ElementType::F32 => &["<f4"],
        ElementType::F64 => &["<f8"],
    }
}

fn other_type(descr: &str, path: &Path, ty: ElementType) -> String {
    let shown: String = descr.chars().take(20).flat_map(char::escape_debug).collect();
    let save = format!("save it as {name} with array.astype('{name}')", name = dtypes(ty)[0]);
    match ElementType::ALL.into_iter().find(|other| dtypes(*other).contains(&descr)) {
        Some(other) => {
            let (name, path) = (other.name(), path.display());
            format!("it holds {name} values ({shown}), not {}: write {name}[]:file:{path}, or {save}", ty.name())
        }
        None => format!("it holds values of type {shown}, which no kernel argument has: {save}"),
    }
}

/// The numbers of a text, row by row. Empty lines and lines that begin with `#` are skipped.
fn text(mut file: File, bytes: u64, ty: ElementType, between: &str) -> Result<(Fill, u64), String> {
    if bytes > LARGEST_TEXT {
        return Err(format!("it is too large for text ({bytes} bytes): save the numbers as .npy"));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|e| e.to_string())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let cells_only = between == ",";
    let mut numbers = Vec::new();
    for (line, row) in text.lines().enumerate() {
        let row = row.trim();
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        let cells = row.split(|c: char| between.contains(c)).map(str::trim);
        for (column, cell) in cells.filter(|cell| cells_only || !cell.is_empty()).enumerate() {
            number(cell, ty, &mut numbers)
                .map_err(|problem| format!("line {}, number {}: {problem}", line + 1, column + 1))?;
        }
    }
    let count = numbers.len() as u64 / ty.bytes();
    if count == 0 {
        return Err("there are no numbers in it".into());
    }
    Ok((Fill::Numbers(numbers), count))
}

/// Appends a number. Programs write whole numbers as `3.0` or `3.000e+00` too.
fn number(cell: &str, ty: ElementType, out: &mut Vec<u8>) -> Result<(), String> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if cell.is_empty() {
        return Err("there is nothing between two commas".into());
    }
    match cell.parse::<f64>() {
        Ok(value) if !ty.is_float() && cell.contains('.') && value.fract() == 0.0 && value.abs() <= EXACT => {
            ty.encode_text(&format!("{value:.0}"), out)
        }
        _ => ty.encode_text(cell, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;
    use ElementType as T;

    /// The numbers of a file, as text.
    fn read(path: &Path, ty: ElementType) -> Result<Vec<String>, String> {
        let (fill, count) = open(path, ty)?;
        let mut memory = vec![0xcd; (count * ty.bytes()) as usize];
        let write = |offset: u64, bytes: &[u8]| {
            memory[offset as usize..][..bytes.len()].copy_from_slice(bytes);
            Ok::<_, std::io::Error>(())
        };
        fill.write(ty, count, 0, write).unwrap();
        Ok(ty.decode(&memory).iter().map(ToString::to_string).collect())
    }

    fn npy(descr: &str, order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn arrays_are_read_past_their_header() {
        let here = folder("argument-arrays");
        let path = here.join("x.npy");
        let floats: Vec<u8> = [1.5_f32, -2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        std::fs::write(&path, npy("<f4", "False", "(2, 3)", &floats)).unwrap();
        assert_eq!(read(&path, T::F32).unwrap(), ["1.5", "-2", "3", "4", "5", "6"]);
        std::fs::write(&path, npy("<f4", "True", "(2, 3)", &floats)).unwrap();
        assert_eq!(read(&path, T::F32).unwrap(), ["1.5", "3", "5", "-2", "4", "6"]);
        let wrong = read(&path, T::I32).unwrap_err();
        assert!(wrong.contains("holds f32 values (<f4), not i32: write f32[]:file:"), "{wrong}");
        std::fs::write(&path, npy(">f4", "False", "(2,)", &floats)).unwrap();
        let wrong = read(&path, T::F32).unwrap_err();
        assert!(wrong.contains("type >f4") && wrong.contains("astype('<f4')"), "{wrong}");
        std::fs::write(&path, npy("<f4", "False", "(7,)", &floats)).unwrap();
        assert!(read(&path, T::F32).unwrap_err().contains("needs 28 bytes of numbers, but there are 24"));
        std::fs::write(&path, b"1,2,3").unwrap();
        assert!(read(&path, T::F32).unwrap_err().contains("not a .npy file"));
        for (descr, ty) in [("|b1", T::U8), ("|i1", T::I8)] {
            std::fs::write(&path, npy(descr, "False", "(2,)", &[1, 0])).unwrap();
            assert_eq!(read(&path, ty).unwrap(), ["1", "0"]);
        }
        std::fs::write(&path, npy("<f2", "False", "()", &[0, 0x3c])).unwrap();
        assert_eq!(read(&path, T::F16).unwrap(), ["1"]);
    }

    #[test]
    fn texts_are_read_number_by_number() {
        let here = folder("argument-texts");
        let (csv, txt) = (here.join("x.csv"), here.join("x.TXT"));
        std::fs::write(&csv, "# a comment\n1, 2,3\n\n-4,0x10,2^4\r\n").unwrap();
        assert_eq!(read(&csv, T::I32).unwrap(), ["1", "2", "3", "-4", "16", "16"]);
        std::fs::write(&txt, "1.000000e+00 2.5\n3;4,\t5\n").unwrap();
        assert_eq!(read(&txt, T::F32).unwrap(), ["1", "2.5", "3", "4", "5"]);
        assert!(read(&txt, T::I32).unwrap_err().contains("line 1, number 2: `2.5` is not a whole number"));
        std::fs::write(&txt, "1.000000e+00 255.0\n").unwrap();
        assert_eq!(read(&txt, T::U8).unwrap(), ["1", "255"]);
        assert!(read(&txt, T::I8).unwrap_err().contains("does not fit i8"));
        std::fs::write(&csv, "1,,2\n").unwrap();
        assert!(read(&csv, T::I32).unwrap_err().contains("line 1, number 2: there is nothing"));
        std::fs::write(&csv, "\n# nothing\n").unwrap();
        assert!(read(&csv, T::I32).unwrap_err().contains("no numbers"));
        std::fs::write(&csv, "18446744073709551615\n").unwrap();
        assert_eq!(read(&csv, T::U64).unwrap(), ["18446744073709551615"]);
    }

    #[test]
    fn anything_else_is_raw() {
        let here = folder("argument-raw");
        let path = here.join("x.bin");
        std::fs::write(&path, [1, 0, 2, 0]).unwrap();
        assert_eq!(read(&path, T::U16).unwrap(), ["1", "2"]);
        assert!(read(&path, T::F64).unwrap_err().contains("4 bytes, which is not a whole number of f64 values"));
        assert!(open(&here, T::U8).unwrap_err().contains("not a file"));
        assert!(open(&here.join("none.npy"), T::U8).is_err());
    }
}
