//! Cuts the text into tokens.

use crate::ast::Span;
use crate::error::Fault;
use crate::token::{Kind, Token};

/// The tokens of a text, the last one being [`Kind::End`] or [`Kind::Bad`].
pub(crate) struct Tokens {
    pub(crate) tokens: Vec<Token>,
    /// Why the last token is [`Kind::Bad`]. The parser reports it when it reaches it, so that an earlier error in the
    /// text comes first.
    pub(crate) fault: Option<Fault>,
}

/// Cuts a text of less than 4 GiB into tokens.
pub(crate) fn tokenize(source: &str) -> Tokens {
    // A byte-order mark is not part of the text.
    let start = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = Lexer { bytes: source.as_bytes(), at: start };
    let mut tokens = Vec::with_capacity(source.len() / 6);
    loop {
        match lexer.next() {
            Ok(token) => {
                tokens.push(token);
                if token.kind == Kind::End {
                    return Tokens { tokens, fault: None };
                }
            }
            Err(fault) => {
                tokens.push(Token { kind: Kind::Bad, start: fault.span.start, end: fault.span.end });
                return Tokens { tokens, fault: Some(fault) };
            }
        }
    }
}

struct Lexer<'s> {
    bytes: &'s [u8],
    at: usize,
}

/// Characters that continue an identifier.
fn follows(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

impl Lexer<'_> {
    /// The byte that many places ahead; 0, which no token contains, past the end.
    fn ahead(&self, distance: usize) -> u8 {
        self.bytes.get(self.at + distance).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && wanted(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn fault(&self, message: impl Into<String>, start: usize) -> Fault {
        Fault::new(message, Span { start: start as u32, end: self.at as u32 })
    }

    fn next(&mut self) -> Result<Token, Fault> {
        self.skip_blanks()?;
        let start = self.at;
        let kind = if start == self.bytes.len() { Kind::End } else { self.token()? };
        Ok(Token { kind, start: start as u32, end: self.at as u32 })
    }

    /// White space, comments, and the `@@DWARF` lines of old compilers, whose contents are not PTX.
    fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            self.skip_while(|byte| byte.is_ascii_whitespace() || byte == 0x0B);
            match (self.ahead(0), self.ahead(1)) {
                (b'/', b'/') | (b'@', b'@') => self.skip_while(|byte| byte != b'\n'),
                (b'/', b'*') => {
                    let start = self.at;
                    let text = &self.bytes[start + 2..];
                    let Some(length) = text.windows(2).position(|pair| pair == b"*/") else {
                        self.at += 2;
                        return Err(self.fault("this comment has no end", start));
                    };
                    self.at += length + 4;
                }
                _ => return Ok(()),
            }
        }
    }

    fn token(&mut self) -> Result<Kind, Fault> {
        let first = self.ahead(0);
        match first {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => {
                self.skip_while(follows);
                Ok(Kind::Word)
            }
            b'%' if follows(self.ahead(1)) => {
                self.at += 1;
                self.skip_while(follows);
                Ok(Kind::Word)
            }
            b'.' if follows(self.ahead(1)) => {
                self.dotted();
                Ok(Kind::Dotted)
            }
            b'0'..=b'9' => {
                self.number();
                Ok(Kind::Number)
            }
            b'"' => self.string(),
            b'<' | b'>' | b'=' | b'!' | b'&' | b'|' if self.is_operator() => {
                self.at += 2;
                Ok(Kind::Operator)
            }
            b',' | b';' | b':' | b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'<' | b'>' | b'=' | b'+' | b'-' | b'*'
            | b'/' | b'%' | b'!' | b'~' | b'&' | b'|' | b'^' | b'?' | b'@' => {
                self.at += 1;
                Ok(Kind::Punct(first))
            }
            _ => Err(self.strange()),
        }
    }

    fn is_operator(&self) -> bool {
        matches!(&[self.ahead(0), self.ahead(1)], b"<<" | b">>" | b"<=" | b">=" | b"==" | b"!=" | b"&&" | b"||")
    }

    /// A dotted word. It may start with a digit: `.3d`, `.128B`.
    fn dotted(&mut self) {
        self.at += 1;
        let start = self.at;
        self.skip_while(follows);
        while self.ahead(0) == b':' && self.ahead(1) == b':' && follows(self.ahead(2)) {
            self.at += 2;
            self.skip_while(follows);
        }
        // The exponent of `.5e-3`, a decimal fraction without a leading zero.
        if self.bytes[start].is_ascii_digit() {
            self.exponent(start);
        }
    }

    /// A number of any kind. Its digits are checked when its value is needed.
    fn number(&mut self) {
        let start = self.at;
        self.skip_while(follows);
        if start + 1 < self.at && self.bytes[start] == b'0' && self.bytes[start + 1].is_ascii_alphabetic() {
            return; // 0x, 0b, 0f, 0d: no fraction, no exponent
        }
        if self.ahead(0) == b'.' && !self.ahead(1).is_ascii_alphabetic() {
            self.at += 1;
            self.skip_while(follows);
        }
        self.exponent(start);
    }

    /// The signed part of an exponent, if the digits since `start` end with an `e`.
    fn exponent(&mut self, start: usize) {
        let digits = &self.bytes[start..self.at];
        let decimal = digits.split_last().is_some_and(|(last, rest)| {
            matches!(last, b'e' | b'E') && rest.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
        });
        if decimal && matches!(self.ahead(0), b'+' | b'-') && self.ahead(1).is_ascii_digit() {
            self.at += 1;
            self.skip_while(follows);
        }
    }

    fn string(&mut self) -> Result<Kind, Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.ahead(0) {
                b'"' => {
                    self.at += 1;
                    return Ok(Kind::Text);
                }
                b'\\' if self.ahead(1) == b'"' || self.ahead(1) == b'\\' => self.at += 2,
                b'\n' => return Err(self.fault("this string has no end", start)),
                _ if self.at >= self.bytes.len() => return Err(self.fault("this string has no end", start)),
                _ => self.at += 1,
            }
        }
    }

    fn strange(&mut self) -> Fault {
        let start = self.at;
        let text = String::from_utf8_lossy(&self.bytes[start..self.bytes.len().min(start + 4)]);
        let found = text.chars().next().unwrap_or(' ');
        self.at += found.len_utf8();
        match found {
            '.' => self.fault("a dot must be followed by a word", start),
            '#' => self.fault("preprocessor lines are not supported: run the preprocessor first", start),
            _ => self.fault(format!("the character {found:?} has no place in PTX"), start),
        }
    }
}
