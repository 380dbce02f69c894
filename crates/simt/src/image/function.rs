//! Functions: the shape of their frames.

use super::special::Special;

/// The code of a function and the shape of its frame.
#[derive(Debug)]
pub(crate) struct FunctionCode {
    pub(crate) name: Box<str>,
    /// First instruction; `None` for a declaration.
    pub(crate) start: Option<u32>,
    /// Its last instruction, an unconditional return.
    pub(crate) end: u32,
    /// Bytes of registers, constants and special registers.
    pub(crate) frame_bytes: u32,
    /// Bytes of local memory: depots, call parameters, its own parameters.
    pub(crate) local_bytes: u32,
    /// Bytes of the parameter block of a kernel; 0 for other functions.
    pub(crate) param_bytes: u32,
    /// Slot of each register of the body.
    pub(crate) registers: Vec<u32>,
    pub(crate) params: Vec<Home>,
    pub(crate) returns: Vec<Home>,
    /// `.local` variables of its body: number, offset and size.
    pub(crate) locals: Vec<(u32, u32, u32)>,
    /// Special registers: which, their width and slot.
    pub(crate) specials: Vec<(Special, u32, u32)>,
    /// Constants and their slots.
    pub(crate) constants: Vec<(u32, u32, Constant)>,
}

/// A value that is the same in all lanes and known at the launch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    /// A number.
    Bits(u64),
    /// The address of a module-level variable or function.
    Symbol(Box<str>, i64),
    /// The address of a shared variable declared in a function's body.
    BodyShared(Box<str>, i64),
}

/// Where a parameter is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In local memory, from the start of the frame's part.
    Local { offset: u32, size: u32 },
    /// In a register.
    Slot { slot: u32, size: u32 },
    /// In a predicate register.
    Predicate { slot: u32 },
}

impl Home {
    pub(crate) fn size(self) -> u32 {
        match self {
            Self::Local { size, .. } | Self::Slot { size, .. } => size,
            Self::Predicate { .. } => 1,
        }
    }
}
