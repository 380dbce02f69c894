//! One of the texts to link.

use super::LinkError;
use super::statement::{Statement, split};
use crate::lexer::tokenize;
use crate::token::Token;

/// A text, its tokens and its statements.
pub(super) struct Input<'s> {
    pub(super) index: usize,
    pub(super) source: &'s str,
    pub(super) tokens: Vec<Token>,
    pub(super) statements: Vec<Statement<'s>>,
    pub(super) version: (u32, u32),
    pub(super) target: Box<str>,
    pub(super) options: Vec<Box<str>>,
    pub(super) address_size: u32,
}

impl<'s> Input<'s> {
    /// Reads a text. The parser says whether it is PTX; from then on its tokens are enough.
    pub(super) fn read(index: usize, text: &'s str) -> Result<Self, LinkError> {
        let module = crate::parse(text).map_err(|error| LinkError::Syntax { input: index, error })?;
        let source = text.trim_end_matches('\0');
        let tokens = tokenize(source).tokens;
        let statements = split(source, &tokens);
        Ok(Self {
            index,
            source,
            tokens,
            statements,
            version: module.version,
            target: module.target.arch,
            options: module.target.options,
            address_size: module.address_size,
        })
    }

    /// The text of a token.
    pub(super) fn text(&self, token: Token) -> &'s str {
        text(self.source, token)
    }
}

/// The text of a token.
pub(super) fn text(source: &str, token: Token) -> &str {
    &source[token.start as usize..token.end as usize]
}
