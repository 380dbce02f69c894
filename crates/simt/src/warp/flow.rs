//! What comes after an instruction.

/// What the interpreter does after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go to the next instruction.
    Next,
    /// The handler has set the program counter.
    Jump,
    /// These lanes cannot continue now: they wait, have ended or have faulted.
    Leave,
}
