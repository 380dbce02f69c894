//! The words of a C++ text: names, numbers and single signs, without comments, strings and the preprocessor's lines.

/// Line and column, one-based.
pub(in crate::watch::checks::sync) type Position = (u32, u32);

/// A word and where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) at: Position,
}

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let mut cursor = Cursor { text, at: 0, line: 1, start: 0 };
    let mut words = Vec::new();
    // The last line with a word in it: a `#` is the preprocessor's only at the start of a line.
    let mut last = 0;
    while let Some(byte) = cursor.peek(0) {
        let (from, position) = (cursor.at, cursor.position());
        match byte {
            b'/' if cursor.peek(1) == Some(b'/') => cursor.skip_line(),
            b'/' if cursor.peek(1) == Some(b'*') => cursor.skip_past(2, "*/"),
            b'#' if last != cursor.line => cursor.skip_line(),
            b'"' | b'\'' => cursor.skip_quoted(byte),
            b'R' if cursor.peek(1) == Some(b'"') => cursor.skip_raw(),
            _ if byte.is_ascii_whitespace() => cursor.advance(1),
            _ => {
                let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
                let is_number = |byte: u8| is_name(byte) || byte == b'\'' || byte == b'.';
                let length = match byte {
                    b'0'..=b'9' => cursor.count(is_number),
                    _ if is_name(byte) => cursor.count(is_name),
                    _ => 1,
                };
                cursor.advance(length);
                last = cursor.line;
                words.push(Word { text: &text[from..cursor.at], at: position });
            }
        }
    }
    words
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    /// Where the line starts.
    start: usize,
}

impl Cursor<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn position(&self) -> Position {
        (self.line, (self.at - self.start) as u32 + 1)
    }

    fn count(&self, belongs: impl Fn(u8) -> bool) -> usize {
        self.text.as_bytes()[self.at..].iter().take_while(|&&byte| belongs(byte)).count()
    }

    fn advance(&mut self, bytes: usize) {
        let to = (self.at + bytes).min(self.text.len());
        for at in self.at..to {
            if self.text.as_bytes()[at] == b'\n' {
                (self.line, self.start) = (self.line + 1, at + 1);
            }
        }
        self.at = to;
    }

    /// To the end of the line, and of those that continue it.
    fn skip_line(&mut self) {
        loop {
            let length = self.count(|byte| byte != b'\n');
            let line = self.text.as_bytes()[self.at..self.at + length].trim_ascii_end();
            let continues = line.last() == Some(&b'\\');
            self.advance(length + 1);
            if !continues || self.peek(0).is_none() {
                return;
            }
        }
    }

    /// Past the next occurrence of an ending after some bytes.
    fn skip_past(&mut self, bytes: usize, ending: &str) {
        let rest = &self.text.as_bytes()[(self.at + bytes).min(self.text.len())..];
        let found = rest.windows(ending.len()).position(|window| window == ending.as_bytes());
        self.advance(found.map_or(self.text.len(), |found| bytes + found + ending.len()));
    }

    fn skip_quoted(&mut self, quote: u8) {
        self.advance(1);
        while let Some(byte) = self.peek(0) {
            self.advance(if byte == b'\\' { 2 } else { 1 });
            // A quote that is not closed ends with its line.
            if byte == quote || byte == b'\n' {
                return;
            }
        }
    }

    /// `R"mark(...)mark"`.
    fn skip_raw(&mut self) {
        let rest = &self.text.as_bytes()[self.at + 2..];
        let length = rest.iter().position(|&byte| byte == b'(').filter(|&length| length <= 16);
        match length.and_then(|length| std::str::from_utf8(&rest[..length]).ok()) {
            Some(mark) => self.skip_past(3 + mark.len(), &format!("){mark}\"")),
            None => self.advance(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_positions() {
        let found: Vec<(&str, Position)> =
            words("if (a1\n  # x\n\t>= 1'0.5f)").iter().map(|word| (word.text, word.at)).collect();
        let expected = [("if", (1, 1)), ("(", (1, 4)), ("a1", (1, 5)), (">", (3, 2)), ("=", (3, 3))];
        assert_eq!(found[..5], expected);
        assert_eq!(found[5..], [("1'0.5f", (3, 5)), (")", (3, 11))]);
    }

    #[test]
    fn any_text_has_words() {
        for text in
            ["\"", "'\\", "/*", "//\\\n", "R\"", "R\"x(", "R\"é(", "é\u{a0}(", "#\\\n", "# \\\n\\", "a\\\n'b\n'"]
        {
            let _ = words(text);
        }
        assert_eq!(words("a/**/b\"c\"d'e'f//g\nh").iter().map(|word| word.text).collect::<String>(), "abdfh");
    }
}
