//! `.csv` files of numbers: commas between columns, one row per line.

use super::{Array, Numbers, with_numbers};
use crate::files::Number;
use std::fmt::Write;

/// Reads a file's contents; the error names line and column.
///
/// The numbers are `i64` if all of them are whole and fit, and `f64` otherwise. Empty lines are skipped.
pub(super) fn parse(bytes: &[u8]) -> Result<Array, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        format!("line {line} is not text: a .csv file is UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut whole, mut floats) = (Some(Vec::new()), Vec::new());
    let (mut rows, mut columns) = (0, 0);
    for (line, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        let mut width = 0;
        for cell in row.split(',').map(str::trim) {
            width += 1;
            floats.push(number(cell).ok_or_else(|| not_a_number(line + 1, width, cell))?);
            match (&mut whole, cell.parse::<i64>()) {
                (Some(all), Ok(value)) => all.push(value),
                _ => whole = None,
            }
        }
        if rows > 0 && width != columns {
            return Err(format!(
                "line {} has {width} columns, but the lines before have {columns}: make them equal",
                line + 1
            ));
        }
        (rows, columns) = (rows + 1, width);
    }
    if rows == 0 {
        return Err("the file is empty".into());
    }
    Ok(Array { shape: vec![rows, columns], numbers: whole.map_or(Numbers::F64(floats), Numbers::I64) })
}

fn number(cell: &str) -> Option<f64> {
    cell.parse::<f64>().ok()
}

fn not_a_number(line: usize, column: usize, cell: &str) -> String {
    let shown: String = cell.chars().take(30).flat_map(char::escape_debug).collect();
    let what = if cell.is_empty() { "nothing".to_owned() } else { format!("`{shown}`") };
    format!("line {line}, column {column}: {what} is not a number; write it like 42, -0.5 or 1e-6")
}

/// The text of a file that holds an array: rows of the last dimension.
pub(super) fn write(array: &Array) -> String {
    let columns = match array.shape.as_slice() {
        // A single dimension is a column: one number per line.
        [] | [_] => 1,
        shape => shape[shape.len() - 1].max(1),
    };
    let mut out = String::new();
    with_numbers!(&array.numbers, xs => for row in xs.chunks(columns) {
        for (j, x) in row.iter().enumerate() {
            let _ = write!(out, "{}{}", if j == 0 { "" } else { "," }, x.value());
        }
        out.push('\n');
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns() {
        let array = parse(b"1, 2,3\n\n-4,5,6\r\n").unwrap();
        assert_eq!(array, Array { shape: vec![2, 3], numbers: Numbers::I64(vec![1, 2, 3, -4, 5, 6]) });
        assert_eq!(write(&array), "1,2,3\n-4,5,6\n");
        let array = parse(b"1\n2.5\n").unwrap();
        assert_eq!(array, Array { shape: vec![2, 1], numbers: Numbers::F64(vec![1.0, 2.5]) });
        assert_eq!(write(&array), "1\n2.5\n");
        assert_eq!(parse(b"99999999999999999999").unwrap().numbers, Numbers::F64(vec![1e20]));
    }

    #[test]
    fn values_come_back() {
        let numbers = Numbers::F64(vec![0.1, 1e300, -1e-300, f64::INFINITY, 12_345_678.9]);
        let array = Array { shape: vec![5, 1], numbers };
        assert_eq!(parse(write(&array).as_bytes()).unwrap(), array);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, problem) in [
            (&b""[..], "empty"),
            (b"\n \n", "empty"),
            (b"1,2\n3,four\n", "line 2, column 2: `four` is not a number"),
            (b"1,,2\n", "line 1, column 2: nothing is not a number"),
            (b"1,2\n3\n", "line 2 has 1 columns"),
            (b"1\n\xff\n", "line 2 is not text"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(problem), "`{problem}` in: {error}");
        }
    }
}
