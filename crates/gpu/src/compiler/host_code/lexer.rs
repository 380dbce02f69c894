//! C++ text as tokens: enough to tell code from comments and literals, and to match brackets.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or keyword.
    Word,
    /// A number, string or character.
    Literal,
    /// One character of punctuation.
    Mark(u8),
    /// A whole preprocessor line, continuation lines included.
    Directive,
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: TokenKind,
    /// Its bytes in the text.
    pub(super) span: Range<usize>,
}

impl Token {
    /// Whether it is that mark.
    pub(super) fn is(&self, mark: u8) -> bool {
        self.kind == TokenKind::Mark(mark)
    }
}

/// The tokens of a text. Never fails: an unclosed literal or comment ends with its line or the text.
pub(super) fn tokenize(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { bytes: text.as_bytes(), at: 0, tokens: Vec::new(), line_start: true };
    lexer.run();
    lexer.tokens
}

struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    tokens: Vec<Token>,
    /// Only blanks since the line began, so `#` opens a directive.
    line_start: bool,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            let start = self.at;
            let byte = self.peek(0);
            let kind = match byte {
                b'\n' => {
                    self.line_start = true;
                    self.at += 1;
                    continue;
                }
                b'\\' | b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.at += 1;
                    continue;
                }
                b'/' if self.peek(1) == b'/' => {
                    self.skip_line_comment();
                    continue;
                }
                b'/' if self.peek(1) == b'*' => {
                    self.skip_block_comment();
                    continue;
                }
                b'#' if self.line_start => {
                    self.skip_directive();
                    TokenKind::Directive
                }
                b'"' => {
                    self.skip_quoted(b'"');
                    TokenKind::Literal
                }
                b'\'' => {
                    self.skip_quoted(b'\'');
                    TokenKind::Literal
                }
                b'0'..=b'9' => {
                    self.skip_number();
                    TokenKind::Literal
                }
                b'.' if self.peek(1).is_ascii_digit() => {
                    self.skip_number();
                    TokenKind::Literal
                }
                _ if is_word(byte) => self.word_or_prefixed_literal(),
                _ => {
                    self.at += 1;
                    TokenKind::Mark(byte)
                }
            };
            self.line_start = false;
            self.tokens.push(Token { kind, span: start..self.at });
        }
    }

    fn skip_line_comment(&mut self) {
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            self.at += if self.peek(0) == b'\\' { self.escaped_length() } else { 1 };
        }
        self.at = self.at.min(self.bytes.len());
    }

    /// A backslash and what it escapes: a line end of one or two characters, or one character.
    fn escaped_length(&self) -> usize {
        if self.peek(1) == b'\r' && self.peek(2) == b'\n' { 3 } else { 2 }
    }

    fn skip_block_comment(&mut self) {
        self.at += 2;
        while self.at < self.bytes.len() && !(self.peek(0) == b'*' && self.peek(1) == b'/') {
            self.at += 1;
        }
        self.at = (self.at + 2).min(self.bytes.len());
    }

    fn skip_directive(&mut self) {
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => self.skip_block_comment(),
                (b'/', b'/') => self.skip_line_comment(),
                (b'\\', _) => self.at += self.escaped_length(),
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.bytes.len());
    }

    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            match self.peek(0) {
                b'\\' => self.at += self.escaped_length(),
                byte => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
    }

    /// A preprocessing number: digits, letters, dots, digit separators, signs after an exponent.
    fn skip_number(&mut self) {
        while self.at < self.bytes.len() {
            let byte = self.peek(0);
            let sign_of_exponent =
                matches!(byte, b'+' | b'-') && matches!(self.bytes[self.at - 1], b'e' | b'E' | b'p' | b'P');
            let separator = byte == b'\'' && self.peek(1).is_ascii_alphanumeric();
            let exponent = sign_of_exponent && !self.is_hexadecimal_e();
            if !(is_word(byte) || byte == b'.' || separator || exponent) {
                break;
            }
            self.at += 1;
        }
    }

    /// `0xE+1` is a sum, not an exponent.
    fn is_hexadecimal_e(&self) -> bool {
        let mut start = self.at;
        while start > 0 && (is_word(self.bytes[start - 1]) || self.bytes[start - 1] == b'.') {
            start -= 1;
        }
        let number = &self.bytes[start..self.at];
        (number.starts_with(b"0x") || number.starts_with(b"0X")) && matches!(self.bytes[self.at - 1], b'e' | b'E')
    }

    fn word_or_prefixed_literal(&mut self) -> TokenKind {
        let start = self.at;
        while self.at < self.bytes.len() && is_word(self.peek(0)) {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        match self.peek(0) {
            b'"' if matches!(word, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") => {
                self.skip_raw_string();
                TokenKind::Literal
            }
            quote @ (b'"' | b'\'') if matches!(word, b"L" | b"u" | b"U" | b"u8") => {
                self.skip_quoted(quote);
                TokenKind::Literal
            }
            _ => TokenKind::Word,
        }
    }

    /// `R"delimiter( ... )delimiter"`, from its quote on.
    fn skip_raw_string(&mut self) {
        let quote = self.at;
        let rest = &self.bytes[quote + 1..];
        let Some(open) = rest.iter().take(17).position(|&b| b == b'(') else {
            self.skip_quoted(b'"');
            return;
        };
        let closing: Vec<u8> = [b")", &rest[..open], b"\""].concat();
        let body = quote + 1 + open + 1;
        let found = self.bytes[body..].windows(closing.len()).position(|w| w == closing);
        self.at = found.map_or(self.bytes.len(), |offset| body + offset + closing.len());
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokenize(text).into_iter().map(|t| &text[t.span]).collect()
    }

    #[test]
    fn comments_vanish_and_literals_stay_whole() {
        assert_eq!(words("a /* { */ b // } \n c"), ["a", "b", "c"]);
        assert_eq!(words(r#"f("{\"", '}', '\'')"#), ["f", "(", r#""{\"""#, ",", "'}'", ",", r"'\''", ")"]);
        assert_eq!(words("R\"x(})\" )x\" y"), ["R\"x(})\" )x\"", "y"]);
        assert_eq!(words("1'000'000 0xE+1 1.5e-3f .5"), ["1'000'000", "0xE", "+", "1", "1.5e-3f", ".5"]);
    }

    #[test]
    fn a_directive_is_one_token_with_its_continuation() {
        let text = "#define A(x) \\\n  { x }\nint a; /* # */ #b";
        assert_eq!(words(text), ["#define A(x) \\\n  { x }", "int", "a", ";", "#", "b"]);
        assert_eq!(words("#if 1 /* a\nb */ c\nd"), ["#if 1 /* a\nb */ c", "d"]);
    }

    #[test]
    fn unclosed_things_end_with_the_text() {
        for text in ["\"abc", "'", "/* x", "R\"(", "R\"", "#", "\\", "// \\", "L'", "/*", "\"\\", "1e+"] {
            tokenize(text);
        }
    }
}
