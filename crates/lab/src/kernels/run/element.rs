//! Element types of scalars and buffers.

use super::number::{parse_float, parse_integer};
use serde::{Serialize, Serializer};
use warpwise_simt::Half;

/// A type that `--arg` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ElementType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    Bf16,
    F32,
    F64,
}

use ElementType as T;

impl ElementType {
    /// All of them.
    pub const ALL: [Self; 12] =
        [T::U8, T::I8, T::U16, T::I16, T::U32, T::I32, T::U64, T::I64, T::F16, T::Bf16, T::F32, T::F64];

    /// Its name: `f32`.
    pub fn name(self) -> &'static str {
        match self {
            T::U8 => "u8",
            T::I8 => "i8",
            T::U16 => "u16",
            T::I16 => "i16",
            T::U32 => "u32",
            T::I32 => "i32",
            T::U64 => "u64",
            T::I64 => "i64",
            T::F16 => "f16",
            T::Bf16 => "bf16",
            T::F32 => "f32",
            T::F64 => "f64",
        }
    }

    /// The type of that name.
    pub fn parse(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|t| t.name() == name).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|t| t.name()).collect();
            format!("`{name}` is not a type; the types are {}", known.join(" "))
        })
    }

    /// Size in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            T::U8 | T::I8 => 1,
            T::U16 | T::I16 | T::F16 | T::Bf16 => 2,
            T::U32 | T::I32 | T::F32 => 4,
            T::U64 | T::I64 | T::F64 => 8,
        }
    }

    /// True for the floating-point types.
    pub fn is_float(self) -> bool {
        matches!(self, T::F16 | T::Bf16 | T::F32 | T::F64)
    }

    /// Smallest and largest value of an integer type.
    pub(super) fn range(self) -> (i128, i128) {
        let bits = self.bytes() * 8;
        match self {
            T::U8 | T::U16 | T::U32 | T::U64 => (0, (1 << bits) - 1),
            _ => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        }
    }

    /// Reads a value and appends its little-endian bytes.
    pub(crate) fn encode_text(self, text: &str, out: &mut Vec<u8>) -> Result<(), String> {
        if self.is_float() {
            self.encode_float(parse_float(text)?, out);
            return Ok(());
        }
        let value = parse_integer(text)?;
        let (low, high) = self.range();
        if value < low || value > high {
            return Err(format!("`{text}` does not fit {}, which holds {low} to {high}", self.name()));
        }
        self.encode_integer(value, out);
        Ok(())
    }

    /// Appends an integer, wrapped to the type; a floating-point type gets the nearest value.
    pub(super) fn encode_integer(self, value: i128, out: &mut Vec<u8>) {
        if self.is_float() {
            #[allow(clippy::cast_precision_loss, reason = "the nearest value is what is meant")]
            self.encode_float(value as f64, out);
        } else {
            out.extend_from_slice(&value.to_le_bytes()[..self.bytes() as usize]);
        }
    }

    /// Appends a floating-point value, rounded to the type.
    pub(super) fn encode_float(self, value: f64, out: &mut Vec<u8>) {
        #[allow(clippy::cast_possible_truncation, reason = "rounding to the type is what is meant")]
        match self {
            T::F16 => out.extend_from_slice(&Half::F16.bits(value).to_le_bytes()),
            T::Bf16 => out.extend_from_slice(&Half::Bf16.bits(value).to_le_bytes()),
            T::F64 => out.extend_from_slice(&value.to_le_bytes()),
            _ => out.extend_from_slice(&(value as f32).to_le_bytes()),
        }
    }

    /// The values in little-endian bytes; an incomplete value at the end is ignored.
    pub(crate) fn decode(self, bytes: &[u8]) -> Vec<Value> {
        bytes.chunks_exact(self.bytes() as usize).map(|chunk| self.decode_one(chunk)).collect()
    }

    fn decode_one(self, bytes: &[u8]) -> Value {
        let mut wide = [0u8; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "the bits are that wide")]
        match self {
            T::U8 | T::U16 | T::U32 | T::U64 => Value::Integer(bits.into()),
            T::I8 => Value::Integer((bits as u8 as i8).into()),
            T::I16 => Value::Integer((bits as u16 as i16).into()),
            T::I32 => Value::Integer((bits as u32 as i32).into()),
            T::I64 => Value::Integer((bits as i64).into()),
            T::F16 => Value::Single(Half::F16.value(bits as u16)),
            T::Bf16 => Value::Single(Half::Bf16.value(bits as u16)),
            T::F32 => Value::Single(f32::from_bits(bits as u32)),
            T::F64 => Value::Double(f64::from_bits(bits)),
        }
    }
}

/// A value of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// An integer of any type.
    Integer(i128),
    /// A floating-point number of up to 32 bits: shown with the digits that tell it from its neighbours.
    Single(f32),
    /// A 64-bit floating-point number.
    Double(f64),
}

impl Value {
    /// As a floating-point number, to compare it with another.
    pub(crate) fn to_f64(self) -> f64 {
        match self {
            #[allow(clippy::cast_precision_loss, reason = "for a comparison")]
            Self::Integer(v) => v as f64,
            Self::Single(v) => f64::from(v),
            Self::Double(v) => v,
        }
    }

    /// JSON cannot express these, so they are strings.
    fn non_finite(self) -> Option<&'static str> {
        let wide = match self {
            Self::Integer(_) => return None,
            Self::Single(v) => f64::from(v),
            Self::Double(v) => v,
        };
        match wide {
            _ if wide.is_nan() => Some("NaN"),
            f64::INFINITY => Some("inf"),
            f64::NEG_INFINITY => Some("-inf"),
            _ => None,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plain = |size: f64| size == 0.0 || (1e-4..1e7).contains(&size.abs());
        match (self.non_finite(), *self) {
            (Some(name), _) => f.write_str(name),
            (None, Self::Integer(v)) => write!(f, "{v}"),
            (None, Self::Single(v)) if plain(v.into()) => write!(f, "{v}"),
            (None, Self::Single(v)) => write!(f, "{v:e}"),
            (None, Self::Double(v)) if plain(v) => write!(f, "{v}"),
            (None, Self::Double(v)) => write!(f, "{v:e}"),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.non_finite(), *self) {
            (Some(name), _) => serializer.serialize_str(name),
            (None, Self::Integer(v)) => match (u64::try_from(v), i64::try_from(v)) {
                (Ok(v), _) => serializer.serialize_u64(v),
                (_, Ok(v)) => serializer.serialize_i64(v),
                _ => serializer.serialize_i128(v),
            },
            (None, Self::Single(v)) => serializer.serialize_f32(v),
            (None, Self::Double(v)) => serializer.serialize_f64(v),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(ty: ElementType, text: &str) -> String {
        let mut bytes = Vec::new();
        ty.encode_text(text, &mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, ty.bytes());
        serde_json::to_string(&ty.decode(&bytes)[0]).unwrap()
    }

    #[test]
    fn values_come_back() {
        for (ty, text, expected) in [
            (T::U8, "255", "255"),
            (T::I8, "-128", "-128"),
            (T::I16, "-1", "-1"),
            (T::I32, "-3", "-3"),
            (T::U32, "0xffffffff", "4294967295"),
            (T::U64, "18446744073709551615", "18446744073709551615"),
            (T::I64, "-2^63", "-9223372036854775808"),
            (T::F16, "0.5", "0.5"),
            (T::Bf16, "-2", "-2.0"),
            (T::F32, "0.1", "0.1"),
            (T::F32, "nan", "\"NaN\""),
            (T::F32, "1e40", "\"inf\""),
            (T::F64, "0.1", "0.1"),
            (T::F64, "-inf", "\"-inf\""),
        ] {
            assert_eq!(round_trip(ty, text), expected, "{} {text}", ty.name());
        }
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        for (ty, text) in [(T::U8, "256"), (T::U32, "-1"), (T::I32, "2^31"), (T::I32, "0.5"), (T::F32, "x")] {
            assert!(ty.encode_text(text, &mut Vec::new()).is_err(), "{} {text}", ty.name());
        }
    }
}
