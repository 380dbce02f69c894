//! Instructions.

use super::{Opcode, Operand, RegisterId, Span};

/// One instruction, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// `@%p1` or `@!%p1`.
    pub guard: Option<Guard>,
    /// The first word: `ld`.
    pub opcode: Opcode,
    /// The dotted words after it, in order and without the dot: `global`, `v4`, `f32`. Words joined by a double
    /// colon stay one: `shared::cta`, `L2::128B`.
    pub modifiers: Vec<Box<str>>,
    /// Operands, destination first.
    pub operands: Vec<Operand>,
    /// From the nearest `.loc` before it in its function.
    pub line: Option<SourceLine>,
    /// If that line was inlined: where the function it is in was called, and so on outwards.
    pub inlined_at: Box<[SourceLine]>,
    /// The whole instruction, guard to semicolon.
    pub span: Span,
}

/// The predicate that guards an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub register: RegisterId,
    /// `@!`: execute if it is false.
    pub negated: bool,
}

/// A place in the source that PTX was compiled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLine {
    /// The `.file` number.
    pub file: u32,
    /// One-based line.
    pub line: u32,
    /// One-based column; 0 if unknown.
    pub column: u32,
}
