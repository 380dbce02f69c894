//! PGM pictures, as text (P2) and binary (P5), with the values exactly as they are in the file.
//!
//! Picture libraries stretch the values to 8 or 16 bits and round; a simulation that reads conductivities from a
//! picture wants value / maximum to the last digit.

use super::Grey;

/// Whether the bytes begin as a PGM picture does.
pub(super) fn is_pgm(bytes: &[u8]) -> bool {
    matches!(bytes, [b'P', b'2' | b'5', next, ..] if next.is_ascii_whitespace() || *next == b'#')
}

/// Reads a file's contents; the error is what is wrong with them.
pub(super) fn parse(bytes: &[u8]) -> Result<Grey, String> {
    let mut reader = Reader { bytes, at: 2 };
    let binary = bytes.get(1) == Some(&b'5');
    let columns = reader.number("width")?;
    let rows = reader.number("height")?;
    let max = reader.number("maximum")?;
    let max = u16::try_from(max).ok().filter(|&m| m > 0).ok_or(format!("its maximum {max} is not from 1 to 65535"))?;
    let cells = rows.checked_mul(columns).ok_or("it is too large for this machine")?;
    let left = bytes.len().saturating_sub(reader.at);
    // Before memory is taken: a value needs a byte or two, or a digit and a space.
    let least = if binary {
        cells.saturating_mul(if max > 255 { 2 } else { 1 })
    } else {
        cells.saturating_mul(2).saturating_sub(1)
    };
    if left < least {
        return Err(format!(
            "the picture is cut off: {rows} x {columns} values need {least} bytes at least, {left} are there"
        ));
    }
    let values: Vec<u16> = if binary {
        // One white space and no more: the next byte may be a value that looks like one.
        let data = bytes.get(reader.at + 1..).unwrap_or_default();
        if data.len() < least {
            return Err("the picture is cut off".into());
        }
        match max {
            0..=255 => data[..cells].iter().copied().map(u16::from).collect(),
            _ => data[..2 * cells].chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect(),
        }
    } else {
        let value = |_| reader.number("value").map(|v| u16::try_from(v).unwrap_or(u16::MAX));
        (0..cells).map(value).collect::<Result<_, _>>()?
    };
    match values.iter().find(|&&v| v > max) {
        Some(value) => Err(format!("it has the value {value} where {max} is the maximum")),
        None => Ok(Grey { rows, columns, max, values }),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next number, over white space and comments.
    fn number(&mut self, what: &str) -> Result<usize, String> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'#' => self.at += self.bytes[self.at..].iter().position(|&b| b == b'\n').unwrap_or(self.bytes.len()),
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if rest.is_empty() {
            return Err(format!("the picture is cut off where a {what} should be"));
        }
        let text = std::str::from_utf8(&rest[..digits]).unwrap_or_default();
        let number = text.parse().map_err(|_| format!("a {what} cannot be read at byte {}", self.at))?;
        self.at += digits;
        Ok(number)
    }
}

/// The contents of a binary PGM file with one byte a value.
pub(super) fn write(rows: usize, columns: usize, values: &[u8]) -> Vec<u8> {
    [format!("P5\n{columns} {rows}\n255\n").as_bytes(), values].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_binary() {
        let text = parse(b"P2\n# a comment\n3 2 # another\n10\n0 1 2\n3 4 10\n").unwrap();
        assert_eq!(text, Grey { rows: 2, columns: 3, max: 10, values: vec![0, 1, 2, 3, 4, 10] });
        let binary = parse(b"P5 2 1 255\n\n ").unwrap();
        assert_eq!(binary.values, [10, 32]);
        let wide = parse(b"P5 1 1 65535\n\x01\x02").unwrap();
        assert_eq!(wide.values, [258]);
        assert_eq!(parse(&write(1, 3, &[1, 2, 3])).unwrap().values, [1, 2, 3]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (bytes, problem) in [
            (&b"P5 2 2 255\n123"[..], "cut off"),
            (b"P5 2 2 255", "cut off"),
            (b"P2 2 2 255 1 2 3", "cut off"),
            (b"P2 2 2 255 10 20 30", "cut off"),
            (b"P2 99999999999 99999999999 255 1", "too large"),
            (b"P2 99999999 99999999 255 1", "cut off"),
            (b"P2 1 1 0 0", "maximum 0"),
            (b"P2 1 1 5 6", "value 6 where 5"),
            (b"P2 1 x 5 6", "height cannot be read"),
            (b"P2 1 1 5 -1", "value cannot be read"),
            (b"P2", "cut off"),
        ] {
            let error = parse(bytes).unwrap_err();
            assert!(error.contains(problem), "`{problem}` in: {error}");
        }
    }
}
