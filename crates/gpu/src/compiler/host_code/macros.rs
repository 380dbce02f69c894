//! Preprocessor lines: includes, macros, conditionals.

use super::items::Mark;
use super::lexer::{Token, TokenKind, tokenize};
use std::collections::{HashMap, HashSet};

/// The name and the rest of a directive: `("include", "<stdio.h>")`.
pub(super) fn directive(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches('#').trim_start();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// Whether it is `#pragma`, which belongs to the code around it.
pub(super) fn is_pragma(text: &str) -> bool {
    directive(text).0 == "pragma"
}

/// What the macros of a program mean for the scanner.
#[derive(Debug, Default)]
pub(super) struct Macros {
    /// Words in the replacement text, by macro.
    words: HashMap<String, HashSet<String>>,
    /// Function-like macros whose replacement is a complete definition: `MAKE_KERNEL(float)` needs no semicolon.
    definitions: HashSet<String>,
}

impl Macros {
    /// Collects the `#define`s of all files; several definitions of one macro count together.
    pub(super) fn collect<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut macros = Self::default();
        for text in texts {
            for token in tokenize(text).iter().filter(|t| t.kind == TokenKind::Directive) {
                if let ("define", rest) = directive(&text[token.span.clone()]) {
                    macros.define(rest);
                }
            }
        }
        macros
    }

    fn define(&mut self, rest: &str) {
        let name_end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, mut body) = rest.split_at(name_end);
        let takes_arguments = body.starts_with('(');
        if takes_arguments {
            body = body.find(')').map_or("", |end| &body[end + 1..]);
        }
        let tokens: Vec<Token> = tokenize(body);
        let words = tokens.iter().filter(|t| t.kind == TokenKind::Word).map(|t| body[t.span.clone()].to_owned());
        self.words.entry(name.to_owned()).or_default().extend(words);
        if takes_arguments && tokens.last().is_some_and(|t| t.is(b'}') || t.is(b';')) {
            self.definitions.insert(name.to_owned());
        }
    }

    /// The words that a macro's replacement contains.
    pub(super) fn words(&self, name: &str) -> Option<&HashSet<String>> {
        self.words.get(name)
    }

    /// Whether it is a function-like macro that stands for whole definitions.
    pub(super) fn is_definition(&self, name: &str) -> bool {
        self.definitions.contains(name)
    }

    /// The mark that a word stands for: itself, or through macros such as `#define HD __host__ __device__`.
    pub(super) fn mark(&self, word: &str) -> Mark {
        self.mark_within(word, 8)
    }

    fn mark_within(&self, word: &str, depth: usize) -> Mark {
        match word {
            "__global__" | "__device__" | "__constant__" | "__managed__" | "__shared__" => return Mark::Device,
            "__host__" => return Mark::Host,
            _ => {}
        }
        let Some(words) = self.words.get(word).filter(|_| depth > 0) else { return Mark::None };
        words.iter().map(|w| self.mark_within(w, depth - 1)).max().unwrap_or(Mark::None)
    }

    /// Whether the word is `wanted`, or a macro whose text contains it.
    pub(super) fn stands_for(&self, word: &str, wanted: &str) -> bool {
        word == wanted || self.words.get(word).is_some_and(|words| words.contains(wanted))
    }
}

/// The tokens that show a file's structure: without `#if 0` parts, and without the second branch of a conditional
/// whose first branch left brackets open (both branches then open the same ones).
pub(super) fn structural(text: &str, tokens: Vec<Token>) -> Vec<Token> {
    struct Conditional {
        depth_before: i64,
        /// Tokens are skipped until the next `#else`, `#elif` or `#endif`.
        skipping: bool,
        /// `#if 0`: an `#else` is the live branch.
        never: bool,
    }
    let mut open: Vec<Conditional> = Vec::new();
    let mut depth = 0i64;
    let mut kept = Vec::with_capacity(tokens.len());
    for token in tokens {
        if token.kind != TokenKind::Directive {
            if open.iter().any(|c| c.skipping) {
                continue;
            }
            match token.kind {
                TokenKind::Mark(b'{' | b'(') => depth += 1,
                TokenKind::Mark(b'}' | b')') => depth -= 1,
                _ => {}
            }
            kept.push(token);
            continue;
        }
        let (name, rest) = directive(&text[token.span.clone()]);
        match name {
            "if" | "ifdef" | "ifndef" => {
                let never = name == "if" && rest == "0";
                open.push(Conditional { depth_before: depth, skipping: never, never });
            }
            "else" | "elif" => {
                let skipped_around = open.iter().rev().skip(1).any(|c| c.skipping);
                if let Some(innermost) = open.last_mut().filter(|_| !skipped_around) {
                    innermost.skipping = !innermost.never && depth != innermost.depth_before;
                    innermost.never = false;
                }
            }
            "endif" => {
                open.pop();
            }
            _ => {}
        }
        kept.push(token);
    }
    kept
}

/// The names that `#include` lines ask for, and whether they stand in quotes.
pub(in crate::compiler) fn includes(text: &str) -> Vec<(String, bool)> {
    tokenize(text)
        .iter()
        .filter(|t| t.kind == TokenKind::Directive)
        .filter_map(|t| match directive(&text[t.span.clone()]) {
            ("include", rest) => {
                let close = match rest.as_bytes().first()? {
                    b'"' => '"',
                    b'<' => '>',
                    _ => return None,
                };
                let name = &rest[1..];
                Some((name[..name.find(close)?].to_owned(), close == '"'))
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_reach_through_macros() {
        let text = "#define HD __host__ __device__\n#define KERNEL extern \"C\" __global__\n#define BOTH HD\n#define H __host__\n#define LOOP LOOP";
        let macros = Macros::collect([text].into_iter());
        assert_eq!(macros.mark("HD"), Mark::Device);
        assert_eq!(macros.mark("KERNEL"), Mark::Device);
        assert_eq!(macros.mark("BOTH"), Mark::Device);
        assert_eq!(macros.mark("H"), Mark::Host);
        assert_eq!(macros.mark("LOOP"), Mark::None);
    }

    #[test]
    fn includes_are_listed() {
        let text = "#include <stdio.h>\n # include \"a/b.cuh\" // x\n#include MACRO\n// #include <no.h>\n";
        assert_eq!(includes(text), [("stdio.h".to_owned(), false), ("a/b.cuh".to_owned(), true)]);
    }
}
