//! Syntax errors that show their place.

use crate::ast::Span;

/// How much of a long line an error shows, in characters.
const SHOWN: usize = 100;

/// The first place where a text is not PTX.
///
/// Displayed, it names the place and shows it:
///
/// ```text
/// line 12, column 9: expected a register after ',', found ';'
///     add.s32 %r1, ;
///                  ^
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}\n    {source_line}\n    {:caret$}^", "")]
pub struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes of the text.
    pub span: Span,
    /// One-based line.
    pub line: u32,
    /// One-based column, in characters.
    pub column: u32,
    /// The line itself, tabs as spaces; a long one is clipped around the place.
    pub source_line: String,
    /// Characters of `source_line` before the place.
    caret: usize,
}

/// A syntax error before its line is looked up: what the lexer and the parser pass around.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) message: String,
    pub(crate) span: Span,
}

impl Fault {
    pub(crate) fn new(message: impl Into<String>, span: Span) -> Self {
        Self { message: message.into(), span }
    }

    /// Looks up the line. This happens once per text, so it simply scans.
    pub(crate) fn locate(self, source: &str) -> SyntaxError {
        let mut offset = (self.span.start as usize).min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let (before, after) = source.split_at(offset);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = after.find(['\n', '\r']).map_or(source.len(), |newline| offset + newline);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() as u32 + 1;
        let left = before[start..].chars().count();

        let skip = left.saturating_sub(SHOWN / 2);
        let mut shown: String = if skip > 0 { "...".into() } else { String::new() };
        let caret = shown.len() + left - skip;
        let mut rest = source[start..end].chars().skip(skip);
        // Control characters would spoil the alignment of the caret, or the terminal.
        shown.extend(rest.by_ref().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }));
        if rest.next().is_some() {
            shown.push_str("...");
        } else {
            shown.truncate(shown.trim_end().len());
        }
        SyntaxError { message: self.message, span: self.span, line, column: left as u32 + 1, source_line: shown, caret }
    }
}
