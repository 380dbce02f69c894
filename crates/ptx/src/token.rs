//! Tokens.

use crate::ast::Span;

/// What a token is; its text is the source between `start` and `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier: `ld`, `%r1`, `$L__BB0_2`, `_`.
    Word,
    /// A dotted word, dot included; words joined by a double colon are one: `.global`, `.L2::128B`.
    Dotted,
    /// Anything that starts with a digit.
    Number,
    /// A string, quotes included.
    Text,
    /// A single character of punctuation.
    Punct(u8),
    /// An operator of two characters: `<<`, `>=`, `&&`.
    Operator,
    /// Not a token: the lexer stopped here with an error.
    Bad,
    /// The end of the text.
    End,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Token {
    pub(crate) fn span(self) -> Span {
        Span { start: self.start, end: self.end }
    }
}
