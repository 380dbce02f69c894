//! PBM, PGM and PPM pictures, as text (P1, P2, P3) and binary (P4, P5, P6), with the values exactly as they are in the
//! file.
//!
//! Picture libraries stretch the values to 8 or 16 bits and round; a simulation that reads conductivities from a
//! picture wants value / maximum to the last digit.

use super::raster::Raster;

/// Whether the bytes begin like such a picture.
pub(super) fn is_pnm(bytes: &[u8]) -> bool {
    matches!(bytes, [b'P', b'1'..=b'6', next, ..] if next.is_ascii_whitespace() || *next == b'#')
}

/// Reads a file's contents; the error is what is wrong with them.
pub(super) fn parse(bytes: &[u8]) -> Result<Raster, String> {
    let mut reader = Reader { bytes, at: 2 };
    let kind = bytes.get(1).copied().unwrap_or_default();
    let columns = reader.number("width")?;
    let rows = reader.number("height")?;
    if matches!(kind, b'1' | b'4') {
        return reader.black_and_white(rows, columns, kind == b'4');
    }
    let (binary, colour) = (kind >= b'5', matches!(kind, b'3' | b'6'));
    let max = reader.number("maximum")?;
    let max = u16::try_from(max).ok().filter(|&m| m > 0).ok_or(format!("its maximum {max} is not from 1 to 65535"))?;
    let cells = rows.checked_mul(columns).and_then(|n| n.checked_mul(if colour { 3 } else { 1 }));
    let cells = cells.ok_or("it is too large for this machine")?;
    let left = bytes.len().saturating_sub(reader.at);
    // Before memory is allocated: a value needs a byte or two, or a digit and a space.
    let least = if binary {
        cells.saturating_mul(if max > 255 { 2 } else { 1 })
    } else {
        cells.saturating_mul(2).saturating_sub(1)
    };
    if left < least {
        return Err(cut_off(rows, columns, least, left));
    }
    let samples: Vec<u16> = if binary {
        let data = reader.data();
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
    match samples.iter().find(|&&v| v > max) {
        Some(value) => Err(format!("it has the value {value}, but {max} is the maximum")),
        None => Ok(Raster { rows, columns, colour, max, samples }),
    }
}

fn cut_off(rows: usize, columns: usize, least: usize, left: usize) -> String {
    format!("the picture is cut off: {rows} x {columns} values need at least {least} bytes, but there are {left}")
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// The next number, skipping white space and comments.
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

    /// The data after the header. Exactly one white space is skipped: the next byte may be a value that looks like one.
    fn data(&self) -> &'a [u8] {
        self.bytes.get(self.at + 1..).unwrap_or_default()
    }

    /// A picture of bits, 1 being black: as digits, or eight per byte, with every row starting a new byte.
    fn black_and_white(&mut self, rows: usize, columns: usize, binary: bool) -> Result<Raster, String> {
        let across = if binary { columns.div_ceil(8) } else { columns };
        let least = rows.checked_mul(across).ok_or("it is too large for this machine")?;
        let data = self.data();
        if data.len() < least {
            return Err(cut_off(rows, columns, least, data.len()));
        }
        let samples: Vec<u16> = if binary {
            let bit = |row: &[u8], i: usize| u16::from(row[i / 8] << (i % 8) & 0x80 == 0);
            let row = |row: &'a [u8]| (0..columns).map(move |i| bit(row, i));
            data[..least].chunks_exact(across.max(1)).flat_map(row).collect()
        } else {
            let digits = data.iter().filter(|byte| !byte.is_ascii_whitespace()).take(least);
            let value = |byte: &u8| match byte {
                b'0' => Ok(1),
                b'1' => Ok(0),
                _ => Err("a value is neither 0 nor 1".to_owned()),
            };
            digits.map(value).collect::<Result<_, _>>()?
        };
        match samples.len() == rows * columns {
            true => Ok(Raster { rows, columns, colour: false, max: 1, samples }),
            false => Err("the picture is cut off".into()),
        }
    }
}

/// The contents of a binary PGM file with one byte per value.
pub(super) fn write(rows: usize, columns: usize, values: &[u8]) -> Vec<u8> {
    [format!("P5\n{columns} {rows}\n255\n").as_bytes(), values].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_binary() {
        let text = parse(b"P2\n# a comment\n3 2 # another\n10\n0 1 2\n3 4 10\n").unwrap();
        let samples = vec![0, 1, 2, 3, 4, 10];
        assert_eq!(text, Raster { rows: 2, columns: 3, colour: false, max: 10, samples });
        let binary = parse(b"P5 2 1 255\n\n ").unwrap();
        assert_eq!(binary.samples, [10, 32]);
        let wide = parse(b"P5 1 1 65535\n\x01\x02").unwrap();
        assert_eq!(wide.samples, [258]);
        assert_eq!(parse(&write(1, 3, &[1, 2, 3])).unwrap().samples, [1, 2, 3]);
    }

    #[test]
    fn colours_stand_side_by_side() {
        let text = parse(b"P3 2 1 9 1 2 3 4 5 6").unwrap();
        let binary = parse(b"P6 2 1 9\n\x01\x02\x03\x04\x05\x06").unwrap();
        assert_eq!((text.colour, text.max, &text.samples[..]), (true, 9, &[1, 2, 3, 4, 5, 6][..]));
        assert_eq!(text, binary);
    }

    #[test]
    fn bits_are_black() {
        let text = parse(b"P1\n# bits\n3 2\n101\n0 1 0\n").unwrap();
        assert_eq!((text.max, &text.samples[..]), (1, &[0, 1, 0, 1, 0, 1][..]));
        assert_eq!(parse(b"P4 3 2\n\xa0\x40").unwrap(), text);
        assert_eq!(parse(b"P4 9 1\n\x00\x80").unwrap().samples, [1, 1, 1, 1, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (bytes, problem) in [
            (&b"P6 2 2 255\n1234567890"[..], "cut off"),
            (b"P3 1 1 255 1 2", "cut off"),
            (b"P4 9 1\n\x00", "cut off"),
            (b"P1 2 2\n1 0 1", "cut off"),
            (b"P1 2 1\n1 2", "neither 0 nor 1"),
            (b"P5 2 2 255\n123", "cut off"),
            (b"P5 2 2 255", "cut off"),
            (b"P2 2 2 255 1 2 3", "cut off"),
            (b"P2 2 2 255 10 20 30", "cut off"),
            (b"P2 99999999999 99999999999 255 1", "too large"),
            (b"P2 99999999 99999999 255 1", "cut off"),
            (b"P2 1 1 0 0", "maximum 0"),
            (b"P2 1 1 5 6", "value 6, but 5"),
            (b"P2 1 x 5 6", "height cannot be read"),
            (b"P2 1 1 5 -1", "value cannot be read"),
            (b"P2", "cut off"),
        ] {
            let error = parse(bytes).unwrap_err();
            assert!(error.contains(problem), "`{problem}` in: {error}");
        }
    }
}
