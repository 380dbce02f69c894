//! Directives that carry no code: source places, debug sections, pragmas.

use super::{Parser, Result};
use crate::ast::{SourceFile, SourceLine};
use crate::number::clip;
use crate::token::Kind;

impl<'s> Parser<'s> {
    /// `.loc 1 20 5, function_name $L__info_string0+4, inlined_at 1 30 9`, at the `.loc`.
    /// Returns the line, and where it was inlined.
    pub(super) fn loc(&mut self) -> Result<(SourceLine, Option<SourceLine>)> {
        self.step();
        let line = self.place()?;
        let mut call = None;
        while self.is(b',') && self.ahead(1).kind == Kind::Word {
            self.step();
            match self.text() {
                "function_name" => {
                    self.step();
                    self.word("a name")?;
                    self.addends()?;
                }
                "inlined_at" => {
                    self.step();
                    call = Some(self.place()?);
                }
                _ => return Err(self.expected("function_name or inlined_at")),
            }
        }
        Ok((line, call))
    }

    fn place(&mut self) -> Result<SourceLine> {
        let file = self.plain("a file number")?;
        let line = self.plain("a line number")?;
        let column = self.plain("a column number")?;
        Ok(SourceLine { file, line, column })
    }

    /// A number by itself: in `.loc 1 20 -3` there is no subtraction.
    fn plain(&mut self, what: &str) -> Result<u32> {
        match (self.peek().kind, self.text().parse()) {
            (Kind::Number, Ok(value)) => {
                self.step();
                Ok(value)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// `.file 1 "a.cu", 1700000000, 4711`, at the `.file`.
    pub(super) fn file(&mut self) -> Result<SourceFile> {
        self.step();
        let index = self.plain("a file number")?;
        let path = self.string()?;
        for _ in 0..2 {
            if self.eat(b',') {
                self.integer()?;
            }
        }
        Ok(SourceFile { index, path: path.into() })
    }

    /// `.pragma "nounroll";`, at the `.pragma`.
    pub(super) fn pragma(&mut self) -> Result<()> {
        self.step();
        loop {
            self.string()?;
            if !self.eat(b',') {
                self.expect_close(b';')?;
                return Ok(());
            }
        }
    }

    fn string(&mut self) -> Result<&'s str> {
        match self.peek().kind {
            Kind::Text => {
                let token = self.step();
                let text = self.text_of(token);
                Ok(&text[1..text.len() - 1])
            }
            _ => Err(self.expected("a string")),
        }
    }

    /// `.section .debug_str { ... }`: debug information, read for its shape and dropped.
    pub(super) fn section(&mut self) -> Result<()> {
        self.step();
        match self.peek().kind {
            Kind::Dotted | Kind::Word => drop(self.step()),
            _ => return Err(self.expected("the name of a section")),
        }
        let open = self.expect(b'{')?;
        loop {
            match (self.peek().kind, self.dotted()) {
                (Kind::Punct(b'}'), _) => {
                    self.step();
                    return Ok(());
                }
                (Kind::Word, _) => {
                    self.step();
                    self.expect(b':')?;
                }
                (_, Some("b8" | "b16" | "b32" | "b64")) => self.section_data()?,
                (Kind::End, _) => {
                    let message = format!("this '{}' has no end", clip(self.text_of(open)));
                    return Err(crate::error::Fault::new(message, open.span()));
                }
                _ => return Err(self.expected("a label, '.b8' to '.b64' or '}'")),
            }
        }
    }

    /// `.b8 1, 2`, `.b32 .debug_abbrev`, `.b64 label+4`, `.b64 label-label`.
    fn section_data(&mut self) -> Result<()> {
        self.step();
        loop {
            match self.peek().kind {
                Kind::Word => {
                    self.step();
                    if self.eat(b'-') {
                        self.word("a label")?;
                    } else {
                        self.addends()?;
                    }
                }
                Kind::Dotted if !self.at_constant() => {
                    self.step();
                    self.addends()?;
                }
                _ => drop(self.integer()?),
            }
            if !self.eat(b',') {
                return Ok(());
            }
        }
    }
}
