//! Typed values as bits: how they are written in a file and how a result is compared with them.

use std::fmt;

/// An element type of a buffer, a scalar argument or an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Unsigned(u32),
    Signed(u32),
    Float(Format),
}

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

/// What one element of an output must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Bits(u64),
    /// Any NaN.
    Nan,
    /// Anything.
    Any,
}

/// How far a result may be from the stated value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tolerance {
    Exact,
    /// Steps between neighbouring values of the format.
    Ulp(u64),
    Absolute(f64),
    Relative(f64),
}

impl Type {
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        let float = |exponent_bits, fraction_bits| Self::Float(Format { exponent_bits, fraction_bits });
        Ok(match name {
            "u8" => Self::Unsigned(1),
            "u16" => Self::Unsigned(2),
            "u32" => Self::Unsigned(4),
            "u64" => Self::Unsigned(8),
            "i8" => Self::Signed(1),
            "i16" => Self::Signed(2),
            "i32" => Self::Signed(4),
            "i64" => Self::Signed(8),
            "f16" => float(5, 10),
            "bf16" => float(8, 7),
            "f32" => float(8, 23),
            "f64" => float(11, 52),
            _ => return Err(format!("unknown type `{name}`")),
        })
    }

    /// Bytes of one element.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Unsigned(size) | Self::Signed(size) => size as usize,
            Self::Float(format) => format.size(),
        }
    }

    /// The bits of a value that the file gives: `12`, `-3`, `0xff` (bits, for floats too), `1.5`, `-inf`.
    pub(crate) fn bits(self, text: &str) -> Result<u64, String> {
        let bad = || format!("`{text}` is not a value of this type");
        let mask = if self.size() == 8 { u64::MAX } else { (1 << (8 * self.size())) - 1 };
        let bits = match (text.strip_prefix("0x"), self) {
            (Some(digits), _) => u64::from_str_radix(digits, 16).map_err(|_| bad())?,
            (None, Self::Unsigned(_)) => text.parse().map_err(|_| bad())?,
            (None, Self::Signed(_)) => text.parse::<i64>().map_err(|_| bad())? as u64 & mask,
            (None, Self::Float(Format { fraction_bits: 23, .. })) => {
                u64::from(text.parse::<f32>().map_err(|_| bad())?.to_bits())
            }
            (None, Self::Float(Format { fraction_bits: 52, .. })) => text.parse::<f64>().map_err(|_| bad())?.to_bits(),
            (None, Self::Float(_)) => return Err(format!("`{text}`: 16-bit floats are written as bits")),
        };
        if bits & mask == bits { Ok(bits) } else { Err(bad()) }
    }

    /// The values of a comma-separated list; `7*4` is four sevens.
    pub(crate) fn list(self, text: &str) -> Result<Vec<Value>, String> {
        let mut values = Vec::new();
        for item in text.split(',').map(str::trim) {
            let (item, count) = match item.split_once('*') {
                Some((item, count)) => (item, count.parse().map_err(|_| format!("`{count}` is not a count"))?),
                None => (item, 1),
            };
            let value = match item {
                "nan" => Value::Nan,
                "_" => Value::Any,
                _ => Value::Bits(self.bits(item)?),
            };
            values.extend(std::iter::repeat_n(value, count));
        }
        Ok(values)
    }

    /// Whether `got` matches the expectation.
    pub(crate) fn accepts(self, stated: Value, got: u64, tolerance: Tolerance) -> bool {
        match (stated, self) {
            (Value::Any, _) => true,
            (Value::Nan, Self::Float(format)) => format.is_nan(got),
            (Value::Nan, _) => false,
            (Value::Bits(bits), _) if bits == got => true,
            (Value::Bits(bits), Self::Float(format)) => format.close(bits, got, tolerance),
            (Value::Bits(_), _) => false,
        }
    }

    /// Bits in hexadecimal, as wide as the type.
    pub(crate) fn show(self, value: Value) -> impl fmt::Display {
        match value {
            Value::Bits(bits) => format!("{bits:#0width$x}", width = 2 + 2 * self.size()),
            Value::Nan => "nan".to_owned(),
            Value::Any => "_".to_owned(),
        }
    }
}

impl Format {
    fn size(self) -> usize {
        (1 + self.exponent_bits + self.fraction_bits) as usize / 8
    }

    fn magnitude(self, bits: u64) -> u64 {
        bits & !(1 << (self.exponent_bits + self.fraction_bits))
    }

    fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// Bits as a number on a line on which neighbouring values are one apart.
    fn rank(self, bits: u64) -> i64 {
        let magnitude = self.magnitude(bits) as i64;
        if magnitude as u64 == bits { magnitude } else { -magnitude }
    }

    fn value(self, bits: u64) -> f64 {
        let magnitude = self.magnitude(bits);
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        let exponent = (magnitude >> self.fraction_bits) as i32;
        let fraction = (magnitude & ((1 << self.fraction_bits) - 1)) as f64 / 2f64.powi(self.fraction_bits as i32);
        let size = match exponent {
            0 => fraction * 2f64.powi(1 - bias),
            _ if exponent == (1 << self.exponent_bits) - 1 => f64::INFINITY,
            _ => (1.0 + fraction) * 2f64.powi(exponent - bias),
        };
        if magnitude == bits { size } else { -size }
    }

    fn close(self, stated: u64, got: u64, tolerance: Tolerance) -> bool {
        if self.is_nan(stated) || self.is_nan(got) {
            return false;
        }
        let (a, b) = (self.value(stated), self.value(got));
        match tolerance {
            Tolerance::Exact => false,
            Tolerance::Ulp(steps) => self.rank(stated).abs_diff(self.rank(got)) <= steps,
            Tolerance::Absolute(bound) => (a - b).abs() <= bound,
            Tolerance::Relative(bound) => a.is_finite() && (a - b).abs() <= bound * a.abs(),
        }
    }
}
