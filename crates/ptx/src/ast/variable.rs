//! Variables of every state space, and their initial bytes.

use super::{ScalarType, Span};

/// A state space that variables live in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the ISA's own")]
pub enum Space {
    Global,
    Const,
    Shared,
    Local,
    Param,
    /// Texture, sampler and surface references: kept by name, opaque.
    Opaque,
}

/// Who else can see a module-level name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the ISA's own")]
pub enum Linkage {
    #[default]
    Private,
    Visible,
    Extern,
    Weak,
    Common,
}

/// A variable: module-level, or declared in a function's body.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name as written.
    pub name: Box<str>,
    /// Where it lives.
    pub space: Space,
    /// Element type.
    pub ty: ScalarType,
    /// Elements of the vector type: 1, 2 or 4.
    pub vector: u32,
    /// Alignment in bytes: as written, or the natural one.
    pub align: u32,
    /// Size in bytes; 0 if the array has no stated length (dynamic shared memory, external arrays).
    pub size: u64,
    /// Initial contents; everything not mentioned is zero.
    pub init: Vec<Initializer>,
    /// Visibility.
    pub linkage: Linkage,
    /// The declaration.
    pub span: Span,
}

/// A piece of a variable's initial contents.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// Plain bytes.
    Bytes {
        /// Byte offset in the variable.
        offset: u64,
        /// Little-endian contents.
        bytes: Vec<u8>,
    },
    /// The address of a variable or function, or a part of it.
    Symbol {
        /// Byte offset in the variable.
        offset: u64,
        /// Bytes to store (8 or 4, or 1 when `mask` picks a byte).
        width: u32,
        /// The name whose address is meant.
        name: Box<str>,
        /// Added to the address.
        addend: i64,
        /// `generic(name)`: the generic address instead of the one in the variable's own space.
        generic: bool,
        /// A byte mask such as `0xff00(name)`: which byte of the address is stored.
        mask: Option<u64>,
    },
}
