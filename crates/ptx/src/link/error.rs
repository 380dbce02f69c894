//! Why texts cannot be linked.

use crate::SyntaxError;

/// Why texts cannot be linked. Inputs are counted from 0 here, and from 1 in the sentences.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// There is nothing to link.
    #[error("there is nothing to link")]
    Nothing,
    /// A text is no PTX.
    #[error("input {}: {error}", .input + 1)]
    Syntax {
        /// Which text.
        input: usize,
        /// What is wrong with it.
        error: SyntaxError,
    },
    /// Names that nothing defines.
    #[error("{}", list(.symbols))]
    Undefined {
        /// The names, in the order of the texts; never empty.
        symbols: Vec<Undefined>,
    },
    /// A name that two texts define.
    #[error("'{name}' is defined in input {} and again in input {}", .first + 1, .second + 1)]
    Duplicate {
        /// The name.
        name: String,
        /// The text that defines it first.
        first: usize,
        /// The text that defines it again.
        second: usize,
    },
    /// A name that is a function in one text and a variable in another.
    #[error("'{name}' is a function in one of the inputs {} and {} and a variable in the other", .first + 1, .second + 1)]
    Kind {
        /// The name.
        name: String,
        /// One text.
        first: usize,
        /// The other.
        second: usize,
    },
    /// Texts for addresses of 32 and of 64 bits.
    #[error("the inputs {} and {} differ in the size of their addresses", .first + 1, .second + 1)]
    AddressSize {
        /// One text.
        first: usize,
        /// The other.
        second: usize,
    },
}

/// A name that nothing defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// The name.
    pub name: String,
    /// The first text that needs it.
    pub input: usize,
}

fn list(symbols: &[Undefined]) -> String {
    let lines = symbols.iter().map(|it| format!("undefined reference to '{}' in input {}", it.name, it.input + 1));
    lines.collect::<Vec<_>>().join("\n")
}
