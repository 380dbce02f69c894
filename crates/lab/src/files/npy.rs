//! NumPy's `.npy` files: versions 1.0 and 2.0 of the format, little-endian, in C or Fortran order.

use super::{Array, Number, Numbers, with_numbers};
use std::fmt::Write;
use warpwise::primitive::Type;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads the header at the beginning of a file, and says at which byte the numbers begin.
pub(crate) fn header(bytes: &[u8]) -> Result<(Header, usize), String> {
    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    let rest = bytes.strip_prefix(MAGIC).ok_or("this is not a .npy file: it does not begin with \\x93NUMPY")?;
    let cut = "the file is cut off within its header";
    let (version, rest) = rest.split_at_checked(2).ok_or(cut)?;
    let (size, rest) = match version {
        [1, 0] => rest.split_at_checked(2).ok_or(cut)?,
        [2 | 3, 0] => rest.split_at_checked(4).ok_or(cut)?,
        _ => {
            return Err(format!(
                "version {}.{} of the format is not supported: save as 1.0 or 2.0",
                version[0], version[1]
            ));
        }
    };
    let size = size.iter().rev().fold(0_usize, |size, &byte| (size << 8) | usize::from(byte));
    let (header, data) = rest.split_at_checked(size).ok_or(cut)?;
    Ok((Header::parse(&String::from_utf8_lossy(header))?, bytes.len() - data.len()))
}

/// Reads a file's contents; the error is what is wrong with them.
pub(super) fn parse(bytes: &[u8]) -> Result<Array, String> {
    let (header, start) = header(bytes)?;
    let data = &bytes[start..];
    let numbers = match header.descr.as_str() {
        "|u1" | "u1" | "<u1" => numbers::<u8>(&header, data)?,
        "<i4" => numbers::<i32>(&header, data)?,
        "<u4" => numbers::<u32>(&header, data)?,
        "<i8" => numbers::<i64>(&header, data)?,
        "<u8" => numbers::<u64>(&header, data)?,
        "<f4" => numbers::<f32>(&header, data)?,
        "<f8" => numbers::<f64>(&header, data)?,
        other => {
            return Err(format!(
                "numbers of type {other} are not supported: save as |u1, <i4, <u4, <i8, <u8, <f4 or <f8, \
                 as in numpy.save(name, array.astype('<f4'))"
            ));
        }
    };
    Ok(Array { shape: header.shape, numbers })
}

fn numbers<T: Number>(header: &Header, data: &[u8]) -> Result<Numbers, String> {
    let wanted = header.bytes(size_of::<T>(), data.len())?;
    let values = data[..wanted].chunks_exact(size_of::<T>()).map(T::from_le).collect();
    Ok(T::numbers(if header.fortran_order { in_c_order(values, &header.shape) } else { values }))
}

/// Reorders values whose first dimension is the fastest into the usual order.
pub(crate) fn in_c_order<T: Copy>(values: Vec<T>, shape: &[usize]) -> Vec<T> {
    if shape.len() < 2 {
        return values;
    }
    let mut place = vec![0; shape.len()];
    let mut out = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        let index = place.iter().zip(shape).rev().fold(0, |index, (&i, &d)| index * d + i);
        out.push(values[index]);
        for (i, &d) in place.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < d {
                break;
            }
            *i = 0;
        }
    }
    out
}

/// The header: a Python dictionary with three entries.
#[derive(Debug, PartialEq)]
pub(crate) struct Header {
    /// NumPy's name of the type.
    pub(crate) descr: String,
    /// Whether the first dimension is the fastest.
    pub(crate) fortran_order: bool,
    /// The length of every dimension.
    pub(crate) shape: Vec<usize>,
}

impl Header {
    /// The type, with the one name of bytes that is written here.
    pub(crate) fn plain(&self) -> &str {
        match self.descr.as_str() {
            "u1" | "<u1" => "|u1",
            other => other,
        }
    }

    /// The bytes of all numbers, each of that size; the error says if there are fewer in the file.
    pub(crate) fn bytes(&self, each: usize, there: usize) -> Result<usize, String> {
        let count = self.shape.iter().try_fold(1_usize, |n, &d| n.checked_mul(d));
        let wanted = count.and_then(|n| n.checked_mul(each)).ok_or("its shape is too large for this machine")?;
        if there < wanted {
            return Err(format!(
                "the file is cut off: its shape needs {wanted} bytes of numbers, but there are {there}"
            ));
        }
        Ok(wanted)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let bad = || "its header cannot be read: save the array again".to_owned();
        let entry = |key: &str| {
            let at = text.find(&format!("'{key}'")).or_else(|| text.find(&format!("\"{key}\"")))?;
            text[at + key.len() + 2..].trim_start().strip_prefix(':').map(str::trim_start)
        };
        let descr = entry("descr").ok_or_else(bad)?;
        let quote = descr.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let Some(quote) = quote else {
            return Err("arrays with named fields are not supported: save one field at a time".into());
        };
        let descr = descr[1..].split(quote).next().ok_or_else(bad)?.to_owned();
        let fortran_order = match entry("fortran_order").ok_or_else(bad)? {
            order if order.starts_with("True") => true,
            order if order.starts_with("False") => false,
            _ => return Err(bad()),
        };
        let shape = entry("shape").and_then(|s| s.strip_prefix('(')).and_then(|s| s.split(')').next());
        let shape = shape.ok_or_else(bad)?.split(',').map(str::trim).filter(|d| !d.is_empty());
        let shape = shape.map(|d| d.parse().map_err(|_| bad())).collect::<Result<_, _>>()?;
        Ok(Self { descr, fortran_order, shape })
    }
}

/// NumPy's name of a type.
pub(super) fn dtype(ty: Type) -> &'static str {
    match ty {
        Type::U8 => u8::DTYPE,
        Type::I32 => i32::DTYPE,
        Type::U32 => u32::DTYPE,
        Type::I64 => i64::DTYPE,
        Type::U64 => u64::DTYPE,
        Type::F32 => f32::DTYPE,
        Type::F64 => f64::DTYPE,
    }
}

/// The bytes before the numbers of a file of that type and shape.
pub(super) fn beginning(descr: &str, dimensions: &[usize]) -> Vec<u8> {
    let mut shape = String::new();
    for d in dimensions {
        let _ = write!(shape, "{d}, ");
    }
    // `(3,)` and `(3, 4)`: a single dimension keeps its comma, or Python would see no tuple.
    let shape = if dimensions.len() == 1 { shape.trim_end() } else { shape.trim_end_matches(", ") };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The numbers begin at a multiple of 64 bytes, and a line end comes before them.
    let before = MAGIC.len() + 4;
    let padding = (before + header.len() + 1).next_multiple_of(64) - before - header.len() - 1;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let size = u16::try_from(header.len()).expect("a shape of so many dimensions is never made here");
    [MAGIC, &[1, 0], &size.to_le_bytes(), header.as_bytes()].concat()
}

/// Writes numbers as they are in a file.
pub(super) fn write_numbers(to: &mut impl std::io::Write, numbers: &Numbers) -> std::io::Result<()> {
    if cfg!(target_endian = "little") {
        return with_numbers!(numbers, xs => to.write_all(bytemuck::cast_slice(xs)));
    }
    let mut bytes = Vec::new();
    with_numbers!(numbers, xs => xs.iter().for_each(|x| x.push_le(&mut bytes)));
    to.write_all(&bytes)
}

/// The contents of a file that holds an array.
pub(super) fn write(array: &Array) -> Vec<u8> {
    let ty = Type::parse(array.numbers.type_name()).expect("numbers have a type");
    let mut out = beginning(dtype(ty), &array.shape);
    write_numbers(&mut out, &array.numbers).expect("memory takes all");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        [MAGIC, &[1, 0], &u16::try_from(header.len()).unwrap().to_le_bytes(), header.as_bytes(), data].concat()
    }

    #[test]
    fn arrays_come_back() {
        let arrays = [
            Array { shape: vec![2, 3], numbers: Numbers::I32(vec![1, -2, 3, 4, 5, 6]) },
            Array { shape: vec![3], numbers: Numbers::F64(vec![0.1, f64::NAN.signum(), -0.0]) },
            Array { shape: vec![], numbers: Numbers::U64(vec![u64::MAX]) },
            Array { shape: vec![0, 4], numbers: Numbers::F32(vec![]) },
            Array { shape: vec![2], numbers: Numbers::U8(vec![0, 255]) },
        ];
        for array in arrays {
            let bytes = write(&array);
            let data = bytes.len() - with_numbers!(&array.numbers, xs => size_of_val(xs.as_slice()));
            assert_eq!(data % 64, 0);
            let again = parse(&bytes).unwrap();
            assert_eq!(format!("{array:?}"), format!("{again:?}"));
        }
    }

    #[test]
    fn fortran_order_is_turned_around() {
        let data: Vec<u8> = [1_i32, 4, 2, 5, 3, 6].iter().flat_map(|v| v.to_le_bytes()).collect();
        let array = parse(&file("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }", &data)).unwrap();
        assert_eq!(array.numbers, Numbers::I32(vec![1, 2, 3, 4, 5, 6]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let good = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }";
        let cases: [(Vec<u8>, &str); 9] = [
            (vec![], "empty"),
            (b"hello".to_vec(), "not a .npy file"),
            (b"\x93NUMPY\x01".to_vec(), "cut off"),
            (b"\x93NUMPY\x09\x00\x00\x00".to_vec(), "version 9.0"),
            (file(good, &[1, 2, 3]), "needs 8 bytes of numbers, but there are 3"),
            (file(&good.replace("<i4", ">i4"), &[0; 8]), "type >i4"),
            (file(&good.replace("<i4", "<c16"), &[0; 8]), "type <c16"),
            (file(&good.replace("(2,)", "(99999999999, 99999999999)"), &[0; 8]), "too large"),
            (file(&good.replace("(2,)", "two"), &[0; 8]), "header"),
        ];
        for (bytes, problem) in cases {
            let error = parse(&bytes).unwrap_err();
            assert!(error.contains(problem), "`{problem}` in: {error}");
        }
        for cut in 0..file(good, &[0; 8]).len() {
            assert!(parse(&file(good, &[0; 8])[..cut]).is_err(), "{cut} bytes");
        }
    }
}
