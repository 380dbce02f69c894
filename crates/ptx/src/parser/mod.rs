//! A recursive-descent parser over the token list. Nothing in it recurses without a limit.

mod attributes;
mod body;
mod code;
mod constant;
mod directive;
mod function;
mod initializer;
mod instruction;
mod module;
mod names;
mod operand;
mod variable;

use crate::ast::{Module, Span, Variable};
use crate::error::Fault;
use crate::lexer::tokenize;
use crate::number::clip;
use crate::token::{Kind, Token};

type Result<T> = std::result::Result<T, Fault>;

/// Reads a text.
pub(crate) fn parse(source: &str) -> Result<Module> {
    if u32::try_from(source.len()).is_err() {
        return Err(Fault::new("the text is longer than 4 GiB", Span::default()));
    }
    // NVRTC counts the terminating zero into the size of its PTX, so callers often hand it in.
    let source = source.trim_end_matches('\0');
    let lexed = tokenize(source);
    Parser { source, tokens: lexed.tokens, fault: lexed.fault, at: 0, hoisted: Vec::new() }.module()
}

/// The token list and a place in it.
struct Parser<'s> {
    source: &'s str,
    /// Never empty: it ends with [`Kind::End`] or [`Kind::Bad`], which is never passed.
    tokens: Vec<Token>,
    fault: Option<Fault>,
    at: usize,
    /// `.global` and `.const` variables declared in the function that is being read.
    hoisted: Vec<Variable>,
}

impl<'s> Parser<'s> {
    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    /// The token that many places ahead.
    fn ahead(&self, distance: usize) -> Token {
        self.tokens[(self.at + distance).min(self.tokens.len() - 1)]
    }

    /// The text of the current token.
    fn text(&self) -> &'s str {
        self.text_of(self.peek())
    }

    fn text_of(&self, token: Token) -> &'s str {
        &self.source[token.start as usize..token.end as usize]
    }

    /// Skips the current token.
    fn step(&mut self) -> Token {
        let token = self.peek();
        if !matches!(token.kind, Kind::End | Kind::Bad) {
            self.at += 1;
        }
        token
    }

    fn is(&self, punct: u8) -> bool {
        self.peek().kind == Kind::Punct(punct)
    }

    fn eat(&mut self, punct: u8) -> bool {
        let found = self.is(punct);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, punct: u8) -> Result<Token> {
        if self.is(punct) { Ok(self.step()) } else { Err(self.expected(&format!("'{}'", punct as char))) }
    }

    /// The end of a list, where a comma would continue it.
    fn expect_close(&mut self, close: u8) -> Result<()> {
        if self.eat(close) { Ok(()) } else { Err(self.expected(&format!("',' or '{}'", close as char))) }
    }

    /// The current token if it is a dotted word, without its dot.
    fn dotted(&self) -> Option<&'s str> {
        (self.peek().kind == Kind::Dotted).then(|| &self.text()[1..])
    }

    fn eat_dotted(&mut self, word: &str) -> bool {
        let found = self.dotted() == Some(word);
        if found {
            self.at += 1;
        }
        found
    }

    /// An identifier.
    fn word(&mut self, what: &str) -> Result<&'s str> {
        if self.peek().kind == Kind::Word {
            let text = self.text();
            self.at += 1;
            Ok(text)
        } else {
            Err(self.expected(what))
        }
    }

    /// A fault at the current token: something else was expected.
    fn expected(&self, what: &str) -> Fault {
        let token = self.peek();
        if let (Kind::Bad, Some(fault)) = (token.kind, &self.fault) {
            return fault.clone();
        }
        let after = match self.at.checked_sub(1) {
            Some(before) => format!(" after '{}'", clip(self.text_of(self.tokens[before]))),
            None => String::new(),
        };
        let found = match token.kind {
            Kind::End => "the end of the text".to_owned(),
            Kind::Text => format!("the string {}", clip(self.text())),
            _ => format!("'{}'", clip(self.text())),
        };
        Fault::new(format!("expected {what}{after}, found {found}"), token.span())
    }

    /// From the first byte of a token to the last byte that was consumed.
    fn span_from(&self, first: Token) -> Span {
        let last = self.tokens[self.at.saturating_sub(1)];
        Span { start: first.start, end: last.end.max(first.start) }
    }
}
