//! The types of values inside an expression, and which type two of them meet in.

use crate::primitive::Type;

/// The type of a value inside an expression: that of an element, or `bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Bool,
    U8,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Kind {
    pub(crate) const ALL: [Self; 8] =
        [Self::Bool, Self::U8, Self::I32, Self::U32, Self::I64, Self::U64, Self::F32, Self::F64];

    pub(crate) fn name(self) -> &'static str {
        if self == Self::Bool { "bool" } else { self.stored().name() }
    }

    /// The type that a value of this kind has in memory: a `bool` is a byte, 0 or 1.
    pub(crate) fn stored(self) -> Type {
        match self {
            Self::Bool | Self::U8 => Type::U8,
            Self::I32 => Type::I32,
            Self::U32 => Type::U32,
            Self::I64 => Type::I64,
            Self::U64 => Type::U64,
            Self::F32 => Type::F32,
            Self::F64 => Type::F64,
        }
    }

    pub(crate) fn of(element: Type) -> Self {
        match element {
            Type::U8 => Self::U8,
            Type::I32 => Self::I32,
            Type::U32 => Self::U32,
            Type::I64 => Self::I64,
            Type::U64 => Self::U64,
            Type::F32 => Self::F32,
            Type::F64 => Self::F64,
        }
    }

    pub(crate) fn bytes(self) -> usize {
        self.stored().bytes()
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::I32 | Self::I64 | Self::F32 | Self::F64)
    }

    /// The range of an integer type.
    pub(crate) fn range(self) -> Option<(i128, i128)> {
        Some(match self {
            Self::U8 => (0, 0xff),
            Self::I32 => (i32::MIN.into(), i32::MAX.into()),
            Self::U32 => (0, u32::MAX.into()),
            Self::I64 => (i64::MIN.into(), i64::MAX.into()),
            Self::U64 => (0, u64::MAX.into()),
            _ => return None,
        })
    }

    /// The type that both meet in, as NumPy has it: the smallest one with all values of both, or `f64` if there is
    /// none.
    pub(crate) fn meet(self, other: Self) -> Self {
        let (small, large) = if self <= other { (self, other) } else { (other, self) };
        match (small, large) {
            (a, b) if a == b => a,
            (Self::Bool | Self::U8, b) => b,
            (Self::I32, Self::U32) => Self::I64,
            (Self::I32 | Self::U32, Self::I64) => Self::I64,
            (Self::U32, Self::U64) => Self::U64,
            _ => Self::F64,
        }
    }

    /// The bits of a number of this type; integers outside its range wrap.
    pub(crate) fn bits_of_int(self, value: i128) -> u64 {
        match self {
            Self::Bool => u64::from(value != 0),
            Self::U8 => u64::from(value as u8),
            Self::I32 | Self::U32 => u64::from(value as u32),
            Self::I64 | Self::U64 => value as u64,
            Self::F32 => u64::from((value as f32).to_bits()),
            Self::F64 => (value as f64).to_bits(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_meet_as_in_numpy() {
        use Kind::{Bool, F32, F64, I32, I64, U8, U32, U64};
        // numpy.promote_types of bool, uint8, int32, uint32, int64, uint64, float32 and float64 with each other.
        let table = [
            [Bool, U8, I32, U32, I64, U64, F32, F64],
            [U8, U8, I32, U32, I64, U64, F32, F64],
            [I32, I32, I32, I64, I64, F64, F64, F64],
            [U32, U32, I64, U32, I64, U64, F64, F64],
            [I64, I64, I64, I64, I64, F64, F64, F64],
            [U64, U64, F64, U64, F64, U64, F64, F64],
            [F32, F32, F64, F64, F64, F64, F32, F64],
            [F64, F64, F64, F64, F64, F64, F64, F64],
        ];
        for (a, row) in Kind::ALL.into_iter().zip(table) {
            for (b, expected) in Kind::ALL.into_iter().zip(row) {
                assert_eq!(a.meet(b), expected, "{} and {}", a.name(), b.name());
            }
        }
    }
}
