//! Operands of instructions.

use super::{LabelId, RegisterId};

/// An operand as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Register(RegisterId),
    /// A negated predicate register, `!%p1`.
    Not(RegisterId),
    /// A register, or a part of one, negated: `-%r1`, as `vmad` takes it.
    Minus(Box<Operand>),
    /// Bytes or half-words of a register, `%r1.b0` or `%r1.h10`, as the video instructions take them.
    Part(RegisterId, Box<str>),
    /// A special register without the percent sign: `tid.x`, `laneid`, `clock64`, `envreg3`.
    Special(Box<str>),
    /// An integer constant, as its 64-bit pattern (negative numbers in two's complement).
    Integer(u64),
    /// A `0f3F800000` constant: single-precision bits.
    F32(u32),
    /// A `0d3FF0000000000000` or decimal floating-point constant: double-precision bits.
    F64(u64),
    /// An address in square brackets.
    Address(Address),
    /// `{a, b, c, d}`. Inside square brackets (texture coordinates, tensor maps) it is a part of the list there.
    Vector(Vec<Operand>),
    /// A parenthesised list: the return values and arguments of a call.
    List(Vec<Operand>),
    /// Two destinations, `%r1|%p1`.
    Pair(Box<Operand>, Box<Operand>),
    /// `_`: a destination that is discarded.
    Sink,
    /// A label.
    Label(LabelId),
    /// The address of a variable or function, `name+offset`.
    Symbol(Symbol, i64),
    /// Several operands in one pair of square brackets: `[tensor, {x, y}]`.
    Bracket(Vec<Operand>),
}

impl Operand {
    /// The registers that an instruction writes if this is its destination.
    pub fn destinations(&self) -> Vec<RegisterId> {
        match self {
            Self::Register(id) => vec![*id],
            Self::Vector(list) | Self::List(list) => list.iter().flat_map(Self::destinations).collect(),
            Self::Pair(a, b) => [a.destinations(), b.destinations()].concat(),
            _ => Vec::new(),
        }
    }
}

/// `[base+offset]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// What the offset is added to.
    pub base: AddressBase,
    /// In bytes.
    pub offset: i64,
}

/// The base of an address.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressBase {
    /// A register.
    Register(RegisterId),
    /// A variable.
    Symbol(Symbol),
    /// Nothing: `[1024]`; the offset is the address.
    Absolute,
}

/// A resolved name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// Index into the body's variables.
    Local(u32),
    /// Index into the function's parameters.
    Parameter(u32),
    /// Index into the function's return parameters.
    Return(u32),
    /// Index into the body's prototypes.
    Prototype(u32),
    /// Index into the body's branch-target tables.
    BranchTargets(u32),
    /// A module-level function or variable (perhaps declared later in the file, perhaps nowhere). The name of a
    /// `.calltargets` list, which is not kept, reads the same.
    Module(Box<str>),
}
