//! What a buffer holds at the start.

use super::element::ElementType;
use super::file;
use super::number::{parse_float, parse_integer};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use warpwise::random;

/// The contents of a buffer before the launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Zeros.
    Zeros,
    /// Ones.
    Ones,
    /// 0, 1, 2, ...; integers wrap.
    Iota,
    /// Uninitialized.
    Uninit,
    /// Integers of a range, both ends included; the same every time.
    RandomInteger(i128, i128),
    /// Numbers from the first up to, but not including, the second; the same every time.
    RandomFloat(f64, f64),
    /// These bytes, then zeros.
    List(Vec<u8>),
    /// A file's bytes, from an offset on.
    File {
        /// The file.
        path: PathBuf,
        /// Where its numbers begin.
        from: u64,
    },
    /// These bytes: the numbers of a file that was read.
    Numbers(Vec<u8>),
}

impl Fill {
    /// Reads a fill. The second part is the number of elements it implies, if any.
    pub(super) fn parse(text: &str, ty: ElementType) -> Result<(Self, Option<u64>), String> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        match (name.trim(), rest) {
            ("zeros", None) => Ok((Self::Zeros, None)),
            ("ones", None) => Ok((Self::Ones, None)),
            ("iota", None) => Ok((Self::Iota, None)),
            ("uninit", None) => Ok((Self::Uninit, None)),
            ("random", rest) => {
                let bounds = rest.and_then(|r| r.split_once(':')).ok_or("random data is written random:LO:HI")?;
                Self::random(bounds, ty).map(|fill| (fill, None))
            }
            ("list", Some(rest)) => {
                let mut bytes = Vec::new();
                for value in rest.split(',').filter(|_| !rest.trim().is_empty()) {
                    ty.encode_text(value, &mut bytes)?;
                }
                let count = bytes.len() as u64 / ty.bytes();
                Ok((Self::List(bytes), Some(count)))
            }
            ("file", Some(path)) => {
                let (fill, count) = file::open(path.as_ref(), ty).map_err(|problem| format!("{path}: {problem}"))?;
                Ok((fill, Some(count)))
            }
            _ => Err(format!("`{text}` is not a fill")),
        }
    }

    fn random((low, high): (&str, &str), ty: ElementType) -> Result<Self, String> {
        if ty.is_float() {
            let (low, high) = (parse_float(low)?, parse_float(high)?);
            if !(low.is_finite() && high.is_finite() && (high - low).is_finite()) {
                return Err("the bounds of random data must be finite".into());
            }
            return if low <= high { Ok(Self::RandomFloat(low, high)) } else { Err(format!("{low} is above {high}")) };
        }
        let (low, high) = (parse_integer(low)?, parse_integer(high)?);
        let (smallest, largest) = ty.range();
        if low < smallest || high > largest {
            return Err(format!("{low} to {high} does not fit {}, which holds {smallest} to {largest}", ty.name()));
        }
        if low <= high { Ok(Self::RandomInteger(low, high)) } else { Err(format!("{low} is above {high}")) }
    }

    /// Whether a stated length must equal the implied one.
    pub(super) fn must_match(&self) -> bool {
        matches!(self, Self::File { .. } | Self::Numbers(_))
    }

    /// Writes the contents piece by piece: `write` gets the offset in bytes and the bytes. `stream` distinguishes
    /// buffers with random data.
    pub(super) fn write<E: From<std::io::Error>>(
        &self,
        ty: ElementType,
        len: u64,
        stream: u64,
        mut write: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        const PIECE: u64 = 1 << 16;
        match self {
            Self::Uninit => return Ok(()),
            Self::File { path, from } => {
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(*from))?;
                let mut offset = 0;
                let mut left = len * ty.bytes();
                while left > 0 {
                    let mut piece = vec![0; left.min(PIECE * 16) as usize];
                    file.read_exact(&mut piece)?;
                    write(offset, &piece)?;
                    offset += piece.len() as u64;
                    left -= piece.len() as u64;
                }
                return Ok(());
            }
            Self::Numbers(bytes) if bytes.is_empty() => return Ok(()),
            Self::Numbers(bytes) => return write(0, bytes),
            Self::Zeros | Self::Ones | Self::Iota | Self::RandomInteger(..) | Self::RandomFloat(..) | Self::List(_) => {
            }
        }
        let mut piece = Vec::new();
        let mut start = 0;
        while start < len {
            piece.clear();
            let end = len.min(start + PIECE);
            for i in start..end {
                self.element(ty, i, stream, &mut piece);
            }
            write(start * ty.bytes(), &piece)?;
            start = end;
        }
        Ok(())
    }

    /// Appends element `i` of a computed fill.
    fn element(&self, ty: ElementType, i: u64, stream: u64, out: &mut Vec<u8>) {
        match *self {
            Self::Zeros => ty.encode_integer(0, out),
            Self::List(ref bytes) => match bytes.chunks_exact(ty.bytes() as usize).nth(i as usize) {
                Some(value) => out.extend_from_slice(value),
                None => ty.encode_integer(0, out),
            },
            Self::Iota => ty.encode_integer(i.into(), out),
            Self::RandomInteger(low, high) => {
                let count = (high - low + 1).unsigned_abs();
                // The high part of a 64 x 64 bit product spreads the bits evenly over the range.
                let offset = (u128::from(random_bits(stream, i)) * count) >> 64;
                ty.encode_integer(low + i128::try_from(offset).unwrap_or(0), out);
            }
            Self::RandomFloat(low, high) => {
                #[allow(clippy::cast_precision_loss, reason = "53 bits fit")]
                let unit = (random_bits(stream, i) >> 11) as f64 / (1u64 << 53) as f64;
                let before = out.len();
                ty.encode_float(low + (high - low) * unit, out);
                // Rounding to a narrow type may reach the upper bound, which is not part of the range.
                let mut bound = Vec::new();
                ty.encode_float(high, &mut bound);
                if out[before..] == bound[..] && low < high {
                    out.truncate(before);
                    ty.encode_float(low, out);
                }
            }
            _ => ty.encode_integer(1, out),
        }
    }
}

/// Element `i` of a stream of random bits, the same on every machine.
fn random_bits(stream: u64, i: u64) -> u64 {
    random::at(stream.wrapping_add(1), i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType as T;

    fn contents(text: &str, ty: ElementType, len: u64) -> Vec<String> {
        let (fill, _) = Fill::parse(text, ty).unwrap();
        // Fresh memory has arbitrary contents.
        let mut memory = vec![0xcd; (len * ty.bytes()) as usize];
        fill.write::<std::io::Error>(ty, len, 0, |offset, bytes| {
            memory[offset as usize..][..bytes.len()].copy_from_slice(bytes);
            Ok(())
        })
        .unwrap();
        ty.decode(&memory).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn fills_are_what_they_say() {
        assert_eq!(contents("zeros", T::F32, 3), ["0", "0", "0"]);
        assert_eq!(contents("ones", T::F16, 2), ["1", "1"]);
        assert_eq!(contents("iota", T::U8, 258)[254..], ["254", "255", "0", "1"]);
        assert_eq!(contents("iota", T::F64, 3), ["0", "1", "2"]);
        assert_eq!(contents("list:1,2.5", T::F32, 3), ["1", "2.5", "0"]);
        assert_eq!(contents("uninit", T::U8, 2), ["205", "205"]);
    }

    #[test]
    fn random_data_is_in_range_and_the_same_every_time() {
        let integers = contents("random:-2:2", T::I32, 100_000);
        let mut seen = [0usize; 5];
        for value in &integers {
            seen[(value.parse::<i32>().unwrap() + 2) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (19_000..21_000).contains(&n)), "{seen:?}");
        assert_eq!(integers, contents("random:-2:2", T::I32, 100_000));
        for ty in [T::F32, T::F64, T::Bf16] {
            let values: Vec<f64> = contents("random:1:2", ty, 10_000).iter().map(|v| v.parse().unwrap()).collect();
            assert!(values.iter().all(|&v| (1.0..2.0).contains(&v)));
            let mean = values.iter().sum::<f64>() / 10_000.0;
            assert!((1.48..1.52).contains(&mean), "{mean}");
        }
        assert_eq!(contents("random:7:7", T::U64, 2), ["7", "7"]);
        assert_eq!(contents("random:0:18446744073709551615", T::U64, 2).len(), 2);
    }
}
