//! A file as a list of declarations: functions, types, variables, with the names each declares and mentions.

use super::lexer::{Token, TokenKind, tokenize};
use super::macros::{Macros, structural};
use std::ops::Range;

/// Where a declaration says it belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// It does not say.
    None,
    /// `__host__` alone.
    Host,
    /// `__device__`, `__global__`, `__constant__`, ..., with or without `__host__`.
    Device,
}

/// What kind of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A function with a body.
    Function,
    /// A class, struct, union or enum, perhaps followed by variables.
    Type,
    /// `using namespace`.
    Directive,
    /// Everything else: variables, prototypes, aliases, calls of macros.
    Other,
}

/// A declaration, or a member of a class.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) mark: Mark,
    pub(super) span: Range<usize>,
    /// From the first token to the end of the parameter list (functions), for signatures.
    pub(super) header: Range<usize>,
    /// Initialiser list and body of a function.
    pub(super) body: Option<Range<usize>>,
    /// The names it declares, without scopes.
    pub(super) names: Vec<String>,
    /// Every word it contains.
    pub(super) words: Vec<String>,
    /// The members, for a class.
    pub(super) members: Vec<Item>,
    /// Marked `__global__`.
    pub(super) is_kernel: bool,
    /// Enclosing namespaces: `a::b`; an unnamed one is an empty part.
    pub(super) scope: Vec<String>,
}

/// Cuts a file into its items; namespaces and `extern "C"` blocks are transparent.
pub(super) fn parse(text: &str, macros: &Macros) -> Vec<Item> {
    let mut tokens = structural(text, tokenize(text));
    tokens.retain(|t| t.kind != TokenKind::Directive);
    let scanner = Scanner { text, tokens: &tokens, macros };
    let mut items = Vec::new();
    scanner.items(0..tokens.len(), &[], Depth(0), &mut items);
    items
}

/// The deepest nesting of namespaces and classes: the scanner is recursive, and its input is untrusted.
#[derive(Clone, Copy)]
struct Depth(usize);

impl Depth {
    const LIMIT: usize = 64;
}

pub(super) struct Scanner<'t> {
    text: &'t str,
    pub(super) tokens: &'t [Token],
    macros: &'t Macros,
}

/// Words followed by a parenthesis that is not a parameter list.
const ATTRIBUTES: [&str; 12] = [
    "__launch_bounds__",
    "__align__",
    "alignas",
    "__attribute__",
    "__declspec",
    "decltype",
    "noexcept",
    "explicit",
    "__cluster_dims__",
    "__maxnreg__",
    "__block_size__",
    "requires",
];

impl Scanner<'_> {
    pub(super) fn word(&self, at: usize) -> &str {
        match self.tokens.get(at) {
            Some(token) if token.kind == TokenKind::Word => &self.text[token.span.clone()],
            _ => "",
        }
    }

    pub(super) fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens.get(at).is_some_and(|t| t.is(mark))
    }

    /// The index after the bracket that closes the one at `open`; `end` if nothing does.
    pub(super) fn behind(&self, open: usize, end: usize) -> usize {
        let mut depth = 0usize;
        for at in open..end {
            match self.tokens[at].kind {
                TokenKind::Mark(b'(' | b'[' | b'{') => depth += 1,
                TokenKind::Mark(b')' | b']' | b'}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
        }
        end
    }

    /// The index after `< ... >`, with the `<` at `open`; `open` itself if this cannot be a list.
    pub(super) fn behind_angles(&self, open: usize, end: usize) -> usize {
        let mut depth = 0usize;
        let mut at = open;
        while at < end {
            match self.tokens[at].kind {
                TokenKind::Mark(b'<') => depth += 1,
                TokenKind::Mark(b'>') => {
                    depth -= 1;
                    if depth == 0 {
                        return at + 1;
                    }
                }
                TokenKind::Mark(b'(' | b'[' | b'{') => {
                    at = self.behind(at, end);
                    continue;
                }
                TokenKind::Mark(b';' | b'}') => return open,
                _ => {}
            }
            at += 1;
        }
        open
    }

    fn items(&self, range: Range<usize>, scope: &[String], depth: Depth, out: &mut Vec<Item>) {
        let (mut at, end) = (range.start, range.end);
        while at < end {
            if self.is(at, b';') || self.is(at, b'}') {
                at += 1;
            } else if let Some((body, name)) = self.enclosing_block(at, end) {
                let behind = self.behind(body, end);
                let closed = behind > body + 1 && self.is(behind - 1, b'}');
                let inside = body + 1..if closed { behind - 1 } else { behind };
                let scope: Vec<String> = scope.iter().cloned().chain(name).collect();
                if depth.0 < Depth::LIMIT {
                    self.items(inside, &scope, Depth(depth.0 + 1), out);
                }
                at = behind;
            } else {
                let behind = self.item(at, end, scope, depth, out).max(at + 1);
                at = behind;
            }
        }
    }

    /// The `{` of `namespace a::b {` or `extern "C" {`, and the namespace's name.
    fn enclosing_block(&self, at: usize, end: usize) -> Option<(usize, Vec<String>)> {
        let start = if self.word(at) == "inline" { at + 1 } else { at };
        if self.word(start) == "namespace" {
            let open = (start..end).find(|&i| !(i == start || !self.word(i).is_empty() || self.is(i, b':')))?;
            let name = (start + 1..open).map(|i| self.word(i).to_owned()).filter(|w| !w.is_empty() && w != "inline");
            let mut name: Vec<String> = name.collect();
            if name.is_empty() {
                name.push(String::new());
            }
            return self.is(open, b'{').then_some((open, name));
        }
        let linkage = self.word(at) == "extern" && self.tokens.get(at + 1)?.kind == TokenKind::Literal;
        (linkage && self.is(at + 2, b'{')).then(|| (at + 2, Vec::new()))
    }

    /// Reads one item at `start`; returns the index after it.
    fn item(&self, start: usize, end: usize, scope: &[String], depth: Depth, out: &mut Vec<Item>) -> usize {
        if self.macros.is_definition(self.word(start)) && self.is(start + 1, b'(') {
            let behind = self.behind(start + 1, end);
            let body = Shape { start, behind, ..Shape::default() };
            out.push(self.finish(&body, scope, depth));
            return behind;
        }
        let shape = self.shape(start, end);
        let behind = shape.behind;
        out.push(self.finish(&shape, scope, depth));
        behind
    }

    /// Finds where an item ends and what its parts are.
    fn shape(&self, start: usize, end: usize) -> Shape {
        let mut shape = Shape { start, behind: end, ..Shape::default() };
        let mut in_initialisers = false;
        let mut at = start;
        while at < end {
            match self.tokens[at].kind {
                TokenKind::Mark(b';') => {
                    shape.behind = at + 1;
                    return shape;
                }
                TokenKind::Mark(b'}') => {
                    shape.behind = at;
                    return shape;
                }
                TokenKind::Mark(b'=') => shape.assigned = true,
                TokenKind::Mark(b':') if self.is(at + 1, b':') => at += 1,
                TokenKind::Mark(b':') if shape.parameters.is_some() && !shape.assigned => {
                    in_initialisers = true;
                    shape.body.get_or_insert(at..at);
                }
                TokenKind::Mark(b'(') => {
                    let behind = self.behind(at, end);
                    let attribute = at > start && ATTRIBUTES.contains(&self.word(at - 1));
                    if !attribute && !shape.assigned && shape.type_body.is_none() {
                        shape.parameters.get_or_insert(at..behind);
                    }
                    at = behind;
                    continue;
                }
                TokenKind::Mark(b'[') => {
                    at = self.behind(at, end);
                    continue;
                }
                TokenKind::Mark(b'{') => {
                    let behind = self.behind(at, end);
                    let initialiser = in_initialisers && (!self.word(at - 1).is_empty() || self.is(at - 1, b'>'));
                    if shape.assigned || initialiser {
                    } else if shape.parameters.is_some() {
                        let from = shape.body.as_ref().map_or(at, |b| b.start);
                        shape.body = Some(from..behind);
                        shape.behind = behind;
                        shape.function = true;
                        return shape;
                    } else if shape.class_key.is_some() {
                        shape.type_body.get_or_insert(at..behind);
                    }
                    at = behind;
                    continue;
                }
                TokenKind::Word => match self.word(at) {
                    "template" if self.is(at + 1, b'<') => {
                        at = self.behind_angles(at + 1, end).max(at + 1);
                        continue;
                    }
                    "class" | "struct" | "union" | "enum" => {
                        shape.class_key.get_or_insert(at);
                    }
                    "operator" => {
                        shape.operator = true;
                        at = self.behind_operator_name(at, end);
                        continue;
                    }
                    _ => {}
                },
                _ => {}
            }
            at += 1;
        }
        shape
    }

    /// The parameter list of an `operator` function: the name may itself be `()` or hold `=`.
    fn behind_operator_name(&self, at: usize, end: usize) -> usize {
        let mut at = at + 1;
        if self.is(at, b'(') && self.is(at + 1, b')') {
            return at + 2;
        }
        while at < end && !self.is(at, b'(') && !self.is(at, b';') && !self.is(at, b'{') {
            at += 1;
        }
        at
    }

    fn finish(&self, shape: &Shape, scope: &[String], depth: Depth) -> Item {
        let range = shape.start..shape.behind.max(shape.start + 1);
        let header_end = match (&shape.parameters, &shape.body, &shape.type_body) {
            (Some(parameters), _, _) => parameters.end,
            (None, Some(body), _) | (None, None, Some(body)) => body.start,
            _ => range.end,
        };
        let header = range.start..header_end.max(range.start + 1);
        // `void f() __attribute__((...)) {`: marks stand before the body, perhaps after the parameters.
        let marked = range.start..shape.body.as_ref().map_or(header.end, |b| b.start.max(header.end));
        let mark = match self.word(shape.start) {
            "template" if shape.type_body.is_some() => Mark::None,
            _ => marked.map(|i| self.macros.mark(self.word(i))).max().unwrap_or(Mark::None),
        };
        // Only the host launches kernels.
        let mark = if mark == Mark::None && shape.function && self.has_launch(&range) { Mark::Host } else { mark };
        let kind = match () {
            () if self.word(shape.start) == "using" && self.word(shape.start + 1) == "namespace" => Kind::Directive,
            () if shape.function => Kind::Function,
            () if shape.type_body.is_some() => Kind::Type,
            () => Kind::Other,
        };
        let is_kernel = header.clone().any(|i| self.macros.stands_for(self.word(i), "__global__"));
        let mut members = Vec::new();
        if let Some(body) = shape.type_body.as_ref().filter(|_| depth.0 < Depth::LIMIT) {
            self.members(body.start + 1..body.end.saturating_sub(1), depth, &mut members);
        }
        Item {
            kind,
            mark,
            span: self.bytes(&range),
            header: self.bytes(&header),
            body: shape.body.as_ref().filter(|_| shape.function).map(|b| self.bytes(b)),
            names: self.names(shape, &range),
            words: range.map(|i| self.word(i)).filter(|w| !w.is_empty()).map(str::to_owned).collect(),
            members,
            is_kernel,
            scope: scope.to_vec(),
        }
    }

    /// `<<<`, in one piece.
    fn has_launch(&self, range: &Range<usize>) -> bool {
        let adjacent = |w: &[Token]| w[0].span.end == w[1].span.start;
        let opens = |w: &[Token]| w.iter().all(|t| t.is(b'<')) && w.windows(2).all(adjacent);
        self.tokens[range.clone()].windows(3).any(opens)
    }

    fn members(&self, range: Range<usize>, depth: Depth, out: &mut Vec<Item>) {
        let mut at = range.start;
        while at < range.end {
            let access = matches!(self.word(at), "public" | "private" | "protected") && self.is(at + 1, b':');
            if access {
                at += 2;
            } else if self.is(at, b';') || self.is(at, b'}') {
                at += 1;
            } else {
                at = self.item(at, range.end, &[], Depth(depth.0 + 1), out).max(at + 1);
            }
        }
    }

    fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        self.tokens[range.start].span.start..self.tokens[range.end.max(range.start + 1) - 1].span.end
    }
}

/// The parts of an item, as token indices.
#[derive(Default)]
pub(super) struct Shape {
    pub(super) start: usize,
    pub(super) behind: usize,
    pub(super) parameters: Option<Range<usize>>,
    pub(super) body: Option<Range<usize>>,
    pub(super) type_body: Option<Range<usize>>,
    pub(super) class_key: Option<usize>,
    pub(super) assigned: bool,
    pub(super) operator: bool,
    pub(super) function: bool,
}
