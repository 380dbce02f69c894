//! Kernels as the source declares them.

use super::items::{Item, Kind};
use super::lexer::{Token, TokenKind, tokenize};

/// A `__global__` function of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSource {
    /// Its name without namespaces.
    pub name: String,
    /// Its name with namespaces, `a::b::name`.
    pub qualified: String,
    /// The declaration on one line, without the body.
    pub declaration: String,
    /// The C++ type of each parameter.
    pub parameters: Vec<String>,
    /// A template: only its instances can run.
    pub is_template: bool,
    /// `static`, or in an unnamed namespace: the compiler drops it unless it is requested by name.
    pub is_local: bool,
    /// Defined in the program's own file, not in a header.
    pub in_program: bool,
}

impl KernelSource {
    /// The kernel that an item defines, if it does.
    pub(super) fn of(item: &Item, text: &str, in_program: bool) -> Option<Self> {
        if item.kind != Kind::Function || !item.is_kernel {
            return None;
        }
        let name = item.names.first()?.clone();
        let header = &text[item.header.clone()];
        let tokens = tokenize(header);
        let scope = item.scope.iter().filter(|s| !s.is_empty());
        let qualified = scope.chain([&name]).map(String::as_str).collect::<Vec<_>>().join("::");
        let first = tokens.first().map_or("", |t| &header[t.span.clone()]);
        let specialised = header.contains(&format!("{name}<"));
        Some(Self {
            name,
            qualified,
            declaration: tidy(header, &tokens),
            parameters: parameters(header, &tokens),
            is_template: first == "template" && !specialised,
            is_local: item.scope.iter().any(String::is_empty)
                || tokens.iter().any(|t| &header[t.span.clone()] == "static"),
            in_program,
        })
    }
}

/// The instances before `<<<` in a text.
pub(super) fn launched_instances(text: &str) -> Vec<String> {
    let tokens = tokenize(text);
    let adjacent = |a: &Token, b: &Token| a.span.end == b.span.start;
    let opens = |at: usize| {
        let three = tokens.get(at..at + 3).unwrap_or(&[]);
        three.len() == 3 && three.iter().all(|t| t.is(b'<')) && three.windows(2).all(|w| adjacent(&w[0], &w[1]))
    };
    (1..tokens.len())
        .filter(|&at| opens(at) && tokens[at - 1].is(b'>'))
        .filter_map(|at| {
            let mut depth = 0usize;
            let angle = (0..at).rev().find(|&i| {
                depth += usize::from(tokens[i].is(b'>'));
                depth -= usize::from(tokens[i].is(b'<'));
                depth == 0
            })?;
            let in_name = |t: &Token| t.kind == TokenKind::Word || t.is(b':');
            let name = tokens[..angle].iter().rev().take_while(|t| in_name(t)).count();
            // Words without `::` between them are not one name: `return f<int><<<`.
            let mut start = angle - name;
            for i in start + 1..angle {
                if tokens[i].kind == TokenKind::Word && tokens[i - 1].kind == TokenKind::Word {
                    start = i;
                }
            }
            (name > 0).then(|| tidy(text, &tokens[start..at]))
        })
        .collect()
}

/// The text on one line, blanks and comments squeezed.
fn tidy(text: &str, tokens: &[Token]) -> String {
    let mut out = String::new();
    let mut last = 0;
    for token in tokens.iter().filter(|t| t.kind != TokenKind::Directive) {
        if !out.is_empty() && token.span.start > last {
            out.push(' ');
        }
        out.push_str(&text[token.span.clone()]);
        last = token.span.end;
    }
    out
}

/// The types in the parameter list, which is the last parenthesis of the header.
fn parameters(header: &str, tokens: &[Token]) -> Vec<String> {
    let mut depth = 0usize;
    let mut open = None;
    for (at, token) in tokens.iter().enumerate().rev() {
        match token.kind {
            TokenKind::Mark(b')') => depth += 1,
            TokenKind::Mark(b'(') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    open = Some(at);
                    break;
                }
            }
            _ => {}
        }
    }
    let Some(open) = open else { return Vec::new() };
    let inside = &tokens[open + 1..tokens.len().saturating_sub(1).max(open + 1)];
    let mut depth = 0i32;
    let parts = inside.split(|token| {
        match token.kind {
            TokenKind::Mark(b'(' | b'<' | b'[') => depth += 1,
            TokenKind::Mark(b')' | b'>' | b']') => depth -= 1,
            _ => {}
        }
        token.is(b',') && depth == 0
    });
    parts.map(|part| parameter_type(header, part)).filter(|t| !t.is_empty() && t != "void").collect()
}

/// `const float *__restrict__ a[] = 0` is a `const float *`.
fn parameter_type(header: &str, tokens: &[Token]) -> String {
    let word = |t: &Token| header[t.span.clone()].to_owned();
    let end = tokens.iter().position(|t| t.is(b'=')).unwrap_or(tokens.len());
    let array = tokens[..end].iter().position(|t| t.is(b'['));
    let tokens = &tokens[..array.unwrap_or(end)];
    let is_word = |t: &Token| t.kind == TokenKind::Word;
    let mut words: Vec<(String, bool)> = tokens.iter().map(|t| (word(t), is_word(t))).collect();
    words.retain(|(w, _)| !matches!(w.as_str(), "__restrict__" | "__restrict" | "restrict" | "__grid_constant__"));
    let named = words.iter().filter(|(w, is_word)| *is_word && w != "const" && w != "volatile").count() > 1;
    let last_is_name = words.last().is_some_and(|(w, is_word)| *is_word && !is_type_word(w));
    if named && last_is_name {
        words.pop();
    }
    let mut out = String::new();
    for (word, is_word) in words {
        let between_words = is_word && out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let before_star = word == "*" && !out.ends_with('*') && !out.is_empty();
        if between_words || before_star {
            out.push(' ');
        }
        out.push_str(&word);
    }
    if array.is_some() {
        out.push_str(" *");
    }
    out
}

fn is_type_word(word: &str) -> bool {
    matches!(word, "int" | "char" | "short" | "long" | "float" | "double" | "bool" | "unsigned" | "signed" | "const")
}
