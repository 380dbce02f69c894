//! Calls: their targets and operands.

use super::function::Home;

/// A call instruction's target and operands.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) callee: Callee,
    pub(crate) args: Vec<Home>,
    pub(crate) rets: Vec<Home>,
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    Function(u32),
    /// A function that the emulator provides.
    Builtin(Builtin),
    /// A pointer in a register.
    Indirect(u32),
    /// A name that is not defined.
    Unknown(Box<str>),
}

/// Functions that the driver provides on a GPU, and the emulator provides here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Vprintf,
    AssertFail,
    Malloc,
    Free,
}

impl Builtin {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "vprintf" => Self::Vprintf,
            "__assertfail" => Self::AssertFail,
            "malloc" => Self::Malloc,
            "free" => Self::Free,
            _ => return None,
        })
    }
}
