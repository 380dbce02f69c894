//! The statements of a module, as ranges of tokens.

use std::ops::Range;

use super::input::text;
use crate::ast::Linkage;
use crate::token::{Kind, Token};

/// A statement of the module level.
pub(super) enum Statement<'s> {
    /// `.file 1 "a.cu"`.
    File { index: u32, path: &'s str },
    /// `.section .debug_str { ... }`: its name, and what is between the braces.
    Section { name: &'s str, inside: Range<usize> },
    /// `.pragma "...";`
    Pragma { all: Range<usize> },
    /// `.alias name, target;`
    Alias { name: &'s str, all: Range<usize> },
    /// A function, declared or defined.
    Function(Function<'s>),
    /// A variable. A statement that declares several is one for each.
    Variable(Variable<'s>),
}

pub(super) struct Function<'s> {
    pub(super) name: &'s str,
    pub(super) linkage: Linkage,
    pub(super) is_kernel: bool,
    /// Up to the body or the semicolon, both left out.
    pub(super) header: Range<usize>,
    /// The list of results with its brackets, before the name; empty where there is none.
    pub(super) results: Range<usize>,
    /// Where the list of parameters ends.
    pub(super) signature_end: usize,
    /// The code with its braces.
    pub(super) body: Option<Range<usize>>,
}

pub(super) struct Variable<'s> {
    pub(super) name: &'s str,
    pub(super) linkage: Linkage,
    /// `.extern .shared x[]`: dynamic shared memory, which the launch sizes.
    pub(super) is_dynamic: bool,
    /// The alignment as written, else 1.
    pub(super) align: u64,
    /// From the linkage to the type.
    pub(super) prefix: Range<usize>,
    /// Where the linkage ends.
    pub(super) space: usize,
    /// The name, its bounds and its initial contents.
    pub(super) own: Range<usize>,
    /// Where the bounds end.
    pub(super) bounds_end: usize,
}

/// Cuts the tokens of a text that the parser has accepted into statements. Headers of the module, which are read from
/// the parser's result, and lines that belong to no function are left out.
pub(super) fn split<'s>(source: &'s str, tokens: &[Token]) -> Vec<Statement<'s>> {
    let mut cutter = Cutter { source, tokens, at: 0, statements: Vec::new() };
    while !matches!(cutter.kind(), Kind::End | Kind::Bad) {
        cutter.statement();
    }
    cutter.statements
}

struct Cutter<'s, 't> {
    source: &'s str,
    tokens: &'t [Token],
    at: usize,
    statements: Vec<Statement<'s>>,
}

impl<'s> Cutter<'s, '_> {
    /// The last token, which ends the text, is never passed.
    fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn text(&self) -> &'s str {
        text(self.source, self.token())
    }

    fn is(&self, punct: u8) -> bool {
        self.kind() == Kind::Punct(punct)
    }

    fn at_end(&self) -> bool {
        matches!(self.kind(), Kind::End | Kind::Bad)
    }

    /// Passes a token and returns its text.
    fn step(&mut self) -> &'s str {
        let text = self.text();
        if !self.at_end() {
            self.at += 1;
        }
        text
    }

    /// Passes everything up to a character outside of brackets, and the character.
    fn pass(&mut self, end: u8) {
        let mut open = 0u32;
        while !self.at_end() {
            let Kind::Punct(punct) = self.kind() else {
                self.at += 1;
                continue;
            };
            self.at += 1;
            match punct {
                _ if punct == end && open == 0 => return,
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Passes a pair of brackets and what is between them.
    fn pass_pair(&mut self, close: u8) {
        self.at += 1;
        self.pass(close);
    }

    fn statement(&mut self) {
        let first = self.at;
        let mut linkage = Linkage::Private;
        loop {
            linkage = match self.text() {
                ".visible" => Linkage::Visible,
                ".extern" => Linkage::Extern,
                ".weak" => Linkage::Weak,
                ".common" => Linkage::Common,
                _ => break,
            };
            self.at += 1;
        }
        match self.text() {
            ".version" | ".address_size" => self.at += 2,
            ".target" => {
                self.at += 2;
                while self.is(b',') {
                    self.at += 2;
                }
            }
            ".file" => self.file(),
            ".loc" => self.loc(),
            ".section" => {
                self.step();
                let name = self.step();
                let inside = self.at + 1;
                self.pass_pair(b'}');
                self.statements.push(Statement::Section { name, inside: inside..self.at - 1 });
            }
            ".pragma" => {
                self.pass(b';');
                self.statements.push(Statement::Pragma { all: first..self.at });
            }
            ".alias" => {
                self.step();
                let name = self.text();
                self.pass(b';');
                self.statements.push(Statement::Alias { name, all: first..self.at });
            }
            ".func" | ".entry" => self.function(first, linkage),
            text if text.starts_with('.') => self.variables(first, linkage),
            _ => self.at += 1,
        }
    }

    fn file(&mut self) {
        self.step();
        let index = self.step().parse().unwrap_or(0);
        let path = self.step();
        // A time and a size may follow.
        for _ in 0..2 {
            if self.is(b',') {
                self.at += 2;
            }
        }
        self.statements.push(Statement::File { index, path });
    }

    fn loc(&mut self) {
        self.at += 4;
        while self.is(b',') {
            self.at += if self.tokens.get(self.at + 1).is_some_and(|&it| text(self.source, it) == "inlined_at") {
                5
            } else {
                3
            };
            while self.is(b'+') {
                self.at += 2;
            }
        }
    }

    fn function(&mut self, first: usize, linkage: Linkage) {
        let is_kernel = self.step() == ".entry";
        if self.text() == ".attribute" {
            self.at += 1;
            self.pass_pair(b')');
        }
        let results = self.at;
        if self.is(b'(') {
            self.pass_pair(b')');
        }
        let results = results..self.at;
        let name = self.step();
        if self.is(b'(') {
            self.pass_pair(b')');
        }
        let signature_end = self.at;
        while !self.is(b';') && !self.is(b'{') && !self.at_end() {
            if self.text() == ".pragma" {
                self.pass(b';');
            } else {
                self.at += 1;
            }
        }
        let header = first..self.at;
        let body = self.is(b'{').then(|| {
            self.pass_pair(b'}');
            header.end..self.at
        });
        if body.is_none() {
            self.step();
        }
        let function = Function { name, linkage, is_kernel, header, results, signature_end, body };
        self.statements.push(Statement::Function(function));
    }

    fn variables(&mut self, first: usize, linkage: Linkage) {
        let space_at = self.at;
        let space = self.step();
        let mut align = 1;
        while self.kind() != Kind::Word && !self.is(b';') && !self.at_end() {
            if self.is(b'(') {
                self.pass_pair(b')');
            } else if self.step() == ".align" {
                align = self.text().parse().unwrap_or(1);
            }
        }
        let prefix = first..self.at;
        loop {
            let start = self.at;
            let name = self.step();
            let mut is_sized = true;
            while self.is(b'[') {
                self.at += 1;
                is_sized &= !self.is(b']');
                self.pass(b']');
            }
            let bounds_end = self.at;
            self.pass_declarator();
            let is_dynamic = linkage == Linkage::Extern && space == ".shared" && !is_sized;
            self.statements.push(Statement::Variable(Variable {
                name,
                linkage,
                is_dynamic,
                align,
                prefix: prefix.clone(),
                space: space_at,
                own: start..self.at,
                bounds_end,
            }));
            let more = self.is(b',');
            self.step();
            if !more || self.at_end() {
                return;
            }
        }
    }

    /// Stops at the comma or semicolon after a declarator.
    fn pass_declarator(&mut self) {
        while !self.is(b',') && !self.is(b';') && !self.at_end() {
            match self.kind() {
                Kind::Punct(b'{') => self.pass_pair(b'}'),
                Kind::Punct(b'(') => self.pass_pair(b')'),
                Kind::Punct(b'[') => self.pass_pair(b']'),
                _ => self.at += 1,
            }
        }
    }
}
