//! Types of instructions, and which registers and constants go with them.

use crate::ast::{Operand, ScalarType};

/// What kind of values a type has. Types that no register is declared with, such as pairs of integers, have kinds of
/// their own: only registers of plain bits hold them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Predicate,
    Bits,
    Integer,
    Half,
    Halves,
    /// Pairs of integers, which registers of pairs of halves hold too.
    Pair,
    Single,
    Double,
    Other,
}

/// The type of an instruction or operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    name: &'static str,
    class: Class,
    bits: u16,
}

/// Every type that can follow an opcode.
const TYPES: &[(&str, Class, u16)] = &[
    ("b1", Class::Other, 1),
    ("b1024", Class::Bits, 1024),
    ("b128", Class::Bits, 128),
    ("b16", Class::Bits, 16),
    ("b32", Class::Bits, 32),
    ("b4", Class::Other, 4),
    ("b64", Class::Bits, 64),
    ("b8", Class::Bits, 8),
    ("bf16", Class::Other, 16),
    ("bf16x2", Class::Other, 32),
    ("e2m1", Class::Other, 4),
    ("e2m1x2", Class::Other, 8),
    ("e2m1x4", Class::Other, 16),
    ("e2m3", Class::Other, 8),
    ("e2m3x2", Class::Other, 16),
    ("e2m3x4", Class::Other, 32),
    ("e3m2", Class::Other, 8),
    ("e3m2x2", Class::Other, 16),
    ("e3m2x4", Class::Other, 32),
    ("e4m3", Class::Other, 8),
    ("e4m3x2", Class::Other, 16),
    ("e4m3x4", Class::Other, 32),
    ("e5m2", Class::Other, 8),
    ("e5m2x2", Class::Other, 16),
    ("e5m2x4", Class::Other, 32),
    ("f16", Class::Half, 16),
    ("f16x2", Class::Halves, 32),
    ("f32", Class::Single, 32),
    ("f32x2", Class::Other, 64),
    ("f64", Class::Double, 64),
    ("pred", Class::Predicate, 1),
    ("s16", Class::Integer, 16),
    ("s16x2", Class::Pair, 32),
    ("s2", Class::Other, 2),
    ("s32", Class::Integer, 32),
    ("s4", Class::Other, 4),
    ("s64", Class::Integer, 64),
    ("s8", Class::Integer, 8),
    ("tf32", Class::Other, 32),
    ("u16", Class::Integer, 16),
    ("u16x2", Class::Pair, 32),
    ("u2", Class::Other, 2),
    ("u32", Class::Integer, 32),
    ("u4", Class::Other, 4),
    ("u64", Class::Integer, 64),
    ("u8", Class::Integer, 8),
    ("ue4m3", Class::Other, 8),
    ("ue8m0", Class::Other, 8),
    ("ue8m0x2", Class::Other, 16),
];

impl Type {
    /// The type of that name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let at = TYPES.binary_search_by_key(&name, |entry| entry.0).ok()?;
        let (name, class, bits) = TYPES[at];
        Some(Self { name, class, bits })
    }

    /// The spellings of all types.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        TYPES.iter().map(|entry| entry.0)
    }

    /// The spelling without the dot.
    pub(super) fn name(self) -> &'static str {
        self.name
    }

    /// The integer (or plain) type of twice the size.
    pub(super) fn doubled(self) -> Self {
        let name = match self.name {
            "b16" => "b32",
            "b32" => "b64",
            "b64" => "b128",
            "u16" => "u32",
            "u32" => "u64",
            "s16" => "s32",
            "s32" => "s64",
            name => name,
        };
        Self::parse(name).unwrap_or(self)
    }

    /// The type of plain bits with this size divided by `parts`.
    pub(super) fn part(self, parts: usize) -> Option<Self> {
        match self.bits as usize / parts {
            8 => Self::parse("b8"),
            16 => Self::parse("b16"),
            32 => Self::parse("b32"),
            64 => Self::parse("b64"),
            _ => None,
        }
    }

    /// Whether there are vectors of that many elements of this type: they have 128 bits at most, or 256 in words and
    /// longs.
    pub(super) fn is_vector(self, count: usize) -> bool {
        self.bits as usize * count <= 128 || matches!((count, self.bits), (8, 32) | (4, 64))
    }

    /// Whether an address, or a part of one, can be of this type.
    pub(super) fn is_address(self) -> bool {
        matches!(self.class, Class::Integer | Class::Bits) && matches!(self.bits, 16 | 32 | 64)
    }

    /// The widest type of this kind.
    pub(super) fn widest(self) -> Self {
        let name = match self.class {
            Class::Integer if self.name.starts_with('s') => "s64",
            Class::Integer => "u64",
            _ => self.name,
        };
        Self::parse(name).unwrap_or(self)
    }

    /// Whether this is `.u32` or another integer with or without a sign.
    pub(super) fn is_integer(self) -> bool {
        self.class == Class::Integer
    }

    /// Whether this is a predicate.
    pub(super) fn is_predicate(self) -> bool {
        self.class == Class::Predicate
    }

    /// Whether a register can be an operand of this type. Sizes are equal and kinds agree, where plain bits agree with
    /// everything; with `wider`, a register may have more bits than needed, if it is no floating-point register.
    pub(super) fn holds(self, register: ScalarType, wider: bool) -> bool {
        let own = class_of(register);
        let bits = if register == ScalarType::Pred { 1 } else { register.bytes() as u16 * 8 };
        if self.class == Class::Predicate || own == Class::Predicate {
            return own == self.class;
        }
        let sizes = bits == self.bits || wider && bits > self.bits;
        let kinds = match (self.class, own) {
            (Class::Bits, _) | (_, Class::Bits) => true,
            (Class::Pair, own) => own == Class::Halves,
            (Class::Other, _) => false,
            // Pairs of halves pass for integers.
            (Class::Integer, Class::Halves) => true,
            (class, own) => class == own && (class == Class::Integer || bits == self.bits),
        };
        sizes && kinds
    }

    /// Whether a constant can be an operand of this type.
    pub(super) fn takes(self, constant: &Operand) -> bool {
        match (self.class, constant) {
            (Class::Predicate | Class::Integer | Class::Bits, Operand::Integer(_)) => true,
            (Class::Bits, Operand::F32(_)) => self.bits == 32,
            (Class::Bits, Operand::F64(_)) => self.bits == 64,
            (Class::Single | Class::Double, Operand::F32(_) | Operand::F64(_)) => true,
            _ => false,
        }
    }

    /// Whether a constant can be an element of a vector beside a register of this type.
    pub(super) fn joins(self, constant: &Operand) -> bool {
        match self.class {
            Class::Bits | Class::Halves => true,
            Class::Integer => matches!(constant, Operand::Integer(_)),
            Class::Single | Class::Double => !matches!(constant, Operand::Integer(_)),
            _ => false,
        }
    }
}

fn class_of(register: ScalarType) -> Class {
    match register {
        ScalarType::Pred => Class::Predicate,
        ScalarType::B8 | ScalarType::B16 | ScalarType::B32 | ScalarType::B64 | ScalarType::B128 => Class::Bits,
        ScalarType::F16 => Class::Half,
        ScalarType::F16x2 => Class::Halves,
        ScalarType::F32 => Class::Single,
        ScalarType::F64 => Class::Double,
        ScalarType::Bf16 | ScalarType::Bf16x2 | ScalarType::Tf32 => Class::Other,
        _ => Class::Integer,
    }
}

#[cfg(test)]
mod tests {
    use super::{TYPES, Type};
    use crate::ast::{Operand, ScalarType};

    fn ty(name: &str) -> Type {
        Type::parse(name).unwrap()
    }

    #[test]
    fn every_type_is_found() {
        assert!(TYPES.is_sorted_by_key(|entry| entry.0));
        assert!(TYPES.iter().all(|entry| ty(entry.0).name() == entry.0));
    }

    #[test]
    fn registers_agree_by_size_and_kind() {
        assert!(ty("f32").holds(ScalarType::B32, false));
        assert!(!ty("f32").holds(ScalarType::U32, false));
        assert!(ty("u32").holds(ScalarType::S32, false));
        assert!(!ty("u32").holds(ScalarType::U64, false));
        assert!(ty("u32").holds(ScalarType::U64, true));
        assert!(!ty("f32").holds(ScalarType::F64, true));
        assert!(ty("f32").holds(ScalarType::B64, true));
        assert!(ty("b32").holds(ScalarType::F64, true));
        assert!(!ty("u16x2").holds(ScalarType::U32, false));
        assert!(!ty("pred").holds(ScalarType::B8, true));
    }

    #[test]
    fn constants_agree_by_kind() {
        assert!(ty("u32").takes(&Operand::Integer(1)));
        assert!(!ty("f32").takes(&Operand::Integer(1)));
        assert!(ty("b32").takes(&Operand::F32(0)));
        assert!(!ty("b32").takes(&Operand::F64(0)));
        assert!(!ty("f16").takes(&Operand::F64(0)));
    }
}
