//! Video instructions, as data.

/// The first operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VideoKind {
    Add,
    Sub,
    AbsDiff,
    Min,
    Max,
    Shl,
    Shr,
    Mad,
    Set(Comparison),
    Average,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// What is done with the third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Second {
    None,
    Add,
    Min,
    Max,
    /// The result replaces a part of it: first bit and width.
    Merge(u32, u32),
}

/// A video instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Video {
    pub(crate) kind: VideoKind,
    /// Elements of a register: 1, 2 or 4.
    pub(crate) elements: u32,
    /// Whether destination, first and second operand are signed.
    pub(crate) signed: [bool; 3],
    pub(crate) sat: bool,
    pub(crate) wrap: bool,
    pub(crate) scale: u32,
    pub(crate) plus_one: bool,
    /// `vmad`: the product, the addend is negated.
    pub(crate) negate: [bool; 2],
    pub(crate) second: Second,
    /// Part of the first and second operand: first bit and width (scalar forms).
    pub(crate) parts: [(u32, u32); 2],
    /// Element of `b:a` for each element of the first and second operand (packed forms).
    pub(crate) select: [[u8; 4]; 2],
    /// Elements that are written (packed forms).
    pub(crate) mask: u8,
}
