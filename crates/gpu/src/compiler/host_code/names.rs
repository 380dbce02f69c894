//! The names that a declaration declares.

use super::items::{Scanner, Shape};
use super::lexer::TokenKind;
use std::ops::Range;

const BUILTIN_TYPES: [&str; 10] =
    ["void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned"];

impl Scanner<'_> {
    /// The names that an item declares.
    pub(super) fn names(&self, shape: &Shape, range: &Range<usize>) -> Vec<String> {
        let mut names: Vec<&str> = Vec::new();
        let first = self.word(shape.start);
        if first == "using" || first == "namespace" {
            let equals = range.clone().find(|&i| self.is(i, b'='));
            let at = equals.map_or(range.end.saturating_sub(2), |e| e - 1);
            return vec![self.word(at).to_owned()];
        }
        if shape.operator {
            names.push("operator");
        } else if let Some(parameters) = shape.parameters.as_ref().filter(|p| p.start > range.start) {
            names.push(self.name_before(parameters.start, range.start));
        }
        if let (Some(key), true) = (shape.class_key, shape.parameters.is_none()) {
            let body = shape.type_body.clone().unwrap_or(range.end..range.end);
            let tag =
                (key + 1..body.start).take_while(|&i| !self.is(i, b':') && !self.is(i, b'<') && !self.is(i, b';'));
            names.extend(tag.map(|i| self.word(i)).filter(|w| !w.is_empty() && *w != "final" && *w != "class"));
            if self.word(key) == "enum" {
                let opens = |i: usize| self.is(i, b'{') || self.is(i, b',');
                names.extend(body.clone().filter(|&i| i > 0 && opens(i - 1)).map(|i| self.word(i)));
            }
        }
        if first == "typedef" {
            let outside = range.clone().filter(|i| !shape.type_body.as_ref().is_some_and(|b| b.contains(i)));
            let declares = |i: &usize| [b';', b',', b')', b'['].iter().any(|&mark| self.is(i + 1, mark));
            names.extend(outside.filter(declares).map(|i| self.word(i)));
        } else if !shape.function {
            names.extend(self.declarators(shape, range));
        }
        names.retain(|n| !n.is_empty() && !BUILTIN_TYPES.contains(n));
        names.into_iter().map(str::to_owned).collect()
    }

    /// The function name before a parameter list; a specialisation's arguments are skipped: `f<int>(`.
    fn name_before(&self, parameters: usize, start: usize) -> &str {
        let mut at = parameters - 1;
        if self.is(at, b'>') {
            let mut depth = 0usize;
            while at > start {
                if self.is(at, b'>') {
                    depth += 1;
                } else if self.is(at, b'<') {
                    depth -= 1;
                    if depth == 0 {
                        at -= 1;
                        break;
                    }
                }
                at -= 1;
            }
        }
        self.word(at)
    }

    /// Variables: words before `=`, `;`, `,`, `[`, `(` or `{` outside every bracket and argument list.
    fn declarators(&self, shape: &Shape, range: &Range<usize>) -> Vec<&str> {
        let mut found = Vec::new();
        let mut at = shape.type_body.as_ref().map_or(range.start, |b| b.end);
        let mut in_value = false;
        while at < range.end {
            let next_declares = self
                .tokens
                .get(at + 1)
                .is_some_and(|t| matches!(t.kind, TokenKind::Mark(b'=' | b';' | b',' | b'[' | b'(' | b'{')));
            match self.tokens[at].kind {
                TokenKind::Word if self.is(at + 1, b'<') && !in_value => {
                    at = self.behind_angles(at + 1, range.end).max(at + 1);
                    continue;
                }
                TokenKind::Word if next_declares && !in_value => found.push(self.word(at)),
                TokenKind::Mark(b'=') => in_value = true,
                TokenKind::Mark(b',') => in_value = false,
                TokenKind::Mark(b'(' | b'[' | b'{') => {
                    at = self.behind(at, range.end);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        found
    }
}
