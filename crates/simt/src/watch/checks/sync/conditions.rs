//! Conditional statements in the text of a kernel.
//!
//! `if (t >= n) return;` before a barrier and `if (t < n) { ... }` around it are the same PTX: a branch to the end of
//! the kernel. The first is how kernels let go of threads without work, the second is a barrier in divergent code. Only
//! the text tells them apart, so it is read as far as that takes: words, brackets and where statements end.

mod words;

use std::cell::Cell;

pub(super) use words::Position;
use words::{Word, words};

/// How deep statements may be nested in each other before the search for their ends gives up.
const DEPTH: usize = 200;
/// Words that the search may pass, so that no text takes long.
const STEPS: usize = 1 << 24;

/// From the first word of a piece of text to its last.
type Extent = (Position, Position);

/// A conditional statement or a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    /// From the keyword to the end of the condition.
    head: Extent,
    /// What it decides over.
    bodies: Vec<Extent>,
    /// Whether one of these ends with a `return`.
    returns: bool,
}

/// The conditional statements and loops of a text.
#[derive(Debug)]
pub(super) struct Conditions(Vec<Condition>);

impl Conditions {
    pub(super) fn of(text: &str) -> Self {
        let text = Text::new(words(text));
        Self((0..text.words.len()).filter_map(|at| text.condition(at)).collect())
    }

    /// Whether a place is in a statement that a condition at another place decides over.
    pub(super) fn decide(&self, condition: Position, place: Position) -> bool {
        self.at(condition).any(|c| c.has(place))
    }

    /// Whether threads return at a condition, and those that do not come to a place after it.
    pub(super) fn return_before(&self, condition: Position, place: Position) -> bool {
        self.at(condition).any(|c| c.returns && !c.has(place) && c.head.1 < place) && !self.decide(condition, place)
    }

    /// Those at a place.
    fn at(&self, place: Position) -> impl Iterator<Item = &Condition> {
        self.0.iter().filter(move |c| is_in(place, c.head))
    }
}

impl Condition {
    /// Whether it decides over a place.
    fn has(&self, place: Position) -> bool {
        self.bodies.iter().any(|&body| is_in(place, body))
    }
}

/// Whether a position is in an extent; a column of 0 is one that is not known.
fn is_in(position: Position, (first, last): Extent) -> bool {
    match position {
        (line, 0) => (first.0..=last.0).contains(&line),
        position => (first..=last).contains(&position),
    }
}

struct Text<'t> {
    words: Vec<Word<'t>>,
    /// Of brackets that open: the one that closes them.
    closing: Vec<Option<usize>>,
    /// Words that the search may still pass.
    steps: Cell<usize>,
}

impl<'t> Text<'t> {
    fn new(words: Vec<Word<'t>>) -> Self {
        let mut closing = vec![None; words.len()];
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut count = [0; 3];
        for (at, word) in words.iter().enumerate() {
            if let Some(kind) = ["(", "[", "{"].iter().position(|&sign| sign == word.text) {
                open.push((at, kind));
                count[kind] += 1;
            } else if let Some(kind) = [")", "]", "}"].iter().position(|&sign| sign == word.text) {
                // Alternatives for the preprocessor may open a bracket twice and close it once.
                while count[kind] > 0 {
                    let Some((from, of)) = open.pop() else { break };
                    count[of] -= 1;
                    if of == kind {
                        closing[from] = Some(at);
                        break;
                    }
                }
            }
        }
        Self { words, closing, steps: Cell::new(STEPS) }
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.words.get(at).is_some_and(|word| word.text == text)
    }

    /// The end of the condition in brackets after a keyword.
    fn head(&self, keyword: usize) -> Option<usize> {
        let open = keyword + 1 + usize::from(self.is(keyword + 1, "constexpr"));
        self.closing[open..].first().copied().flatten().filter(|_| self.is(open, "("))
    }

    /// The condition that starts with a word.
    fn condition(&self, at: usize) -> Option<Condition> {
        let (head, bodies) = match self.words[at].text {
            "if" => {
                let head = self.head(at)?;
                let then = self.statement(head + 1, 0)?;
                let mut bodies = vec![(head + 1, then)];
                if self.is(then + 1, "else") {
                    bodies.push((then + 2, self.statement(then + 2, 0)?));
                }
                ((at, head), bodies)
            }
            "for" | "while" | "switch" => {
                let head = self.head(at)?;
                ((at, head), vec![(head + 1, self.statement(head + 1, 0)?)])
            }
            "do" => {
                let body = self.statement(at + 1, 0)?;
                let head = self.head(body + 1).filter(|_| self.is(body + 1, "while"))?;
                ((body + 1, head), vec![(at + 1, body)])
            }
            _ => return None,
        };
        let extent = |(first, last): (usize, usize)| (self.words[first].at, self.words[last].at);
        let returns = self.is(at, "if") && bodies.iter().any(|&body| self.ends_with_return(body));
        Some(Condition { head: extent(head), bodies: bodies.into_iter().map(extent).collect(), returns })
    }

    /// Whether the last thing that a statement does is to return.
    fn ends_with_return(&self, (first, last): (usize, usize)) -> bool {
        if !self.is(first, "{") {
            return self.is(first, "return");
        }
        let mut at = first + 1;
        let mut returns = false;
        while at < last {
            returns = self.is(at, "return");
            match self.statement(at, 0) {
                Some(end) => at = end + 1,
                None => return false,
            }
        }
        returns
    }

    /// The last word of the statement that starts with a word.
    fn statement(&self, at: usize, depth: usize) -> Option<usize> {
        if depth > DEPTH {
            return None;
        }
        self.steps.set(self.steps.get().checked_sub(1)?);
        match self.words.get(at)?.text {
            "{" => self.closing[at],
            "if" => {
                let then = self.statement(self.head(at)? + 1, depth + 1)?;
                if self.is(then + 1, "else") { self.statement(then + 2, depth + 1) } else { Some(then) }
            }
            "for" | "while" | "switch" => self.statement(self.head(at)? + 1, depth + 1),
            "do" => {
                let body = self.statement(at + 1, depth + 1)?;
                let head = self.head(body + 1)?;
                self.is(head + 1, ";").then_some(head + 1)
            }
            // An attribute, such as `[[likely]]`.
            "[" if self.is(at + 1, "[") => self.statement(self.closing[at]? + 1, depth + 1),
            _ => self.simple(at),
        }
    }

    /// The semicolon that ends an expression or declaration.
    fn simple(&self, mut at: usize) -> Option<usize> {
        loop {
            self.steps.set(self.steps.get().checked_sub(1)?);
            match self.words.get(at)?.text {
                ";" => return Some(at),
                "(" | "[" | "{" => at = self.closing[at]? + 1,
                ")" | "]" | "}" => return None,
                _ => at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, word: &str) -> Position {
        let line = text.lines().position(|line| line.contains(word)).expect("it is there");
        (line as u32 + 1, 1 + text.lines().nth(line).and_then(|line| line.find(word)).expect("found") as u32)
    }

    /// Whether threads return at the condition of `HERE`, before `BAR`.
    fn returns(text: &str) -> bool {
        Conditions::of(text).return_before(find(text, "HERE"), find(text, "BAR"))
    }

    #[test]
    fn returns_are_seen() {
        assert!(returns("if (t >= HERE) return; BAR();"));
        assert!(returns("if (t >= HERE) {\n    out[t] = 0;\n    return;\n}\nBAR();\n"));
        assert!(returns("if (HERE) { for (;;) { x(); } return; } else { y(); }\nBAR();"));
        assert!(!returns("for (;;) { if (t >= HERE) break; BAR(); }"));
        assert!(!returns("if (t >= HERE) { if (x) return; y(); } BAR();"), "only some do");
        assert!(!returns("if (HERE) { return; } else { BAR(); }"), "it is inside");
        assert!(!returns("BAR(); if (HERE) return;"), "it comes before");
        assert!(!returns("while (HERE) { return; } BAR();"));
    }

    /// Whether the condition at the line of `HERE` decides over the line of `BAR`.
    fn decides(text: &str) -> bool {
        let find = |word: &str| find(text, word);
        let conditions = Conditions::of(text);
        let exact = conditions.decide(find("HERE"), find("BAR"));
        let by_line = conditions.decide((find("HERE").0, 0), find("BAR"));
        assert!(by_line || !exact, "a line has all its columns");
        exact
    }

    #[test]
    fn an_early_return_decides_over_nothing_that_follows() {
        assert!(!decides("if (t >= HERE)\n    return;\ns[t] = x;\nBAR();\n"));
        assert!(!decides("if (t >= HERE) { out[t] = 0; return; }\nBAR();\n"));
        assert!(!decides("if (t >= HERE) return; BAR();"), "by the column");
        assert!(!decides("if (t >= HERE) { return; }\nif (any) { BAR(); }\n"), "it is another condition's");
    }

    #[test]
    fn what_is_in_the_statement_is_decided_over() {
        assert!(decides("if (t < HERE) {\n    s[t] = x;\n    BAR();\n}\n"));
        assert!(decides("if (t < HERE)\n    BAR();\n"));
        assert!(decides("if (f(t, HERE(1))) { if (u) { g(); } else BAR(); }"));
        assert!(decides("if (t < HERE) { return; } else {\n    BAR();\n}\n"));
        assert!(decides("if (a) { } else if (HERE) { x(); } else { BAR(); }"));
        assert!(decides(
            "for (int i = t; i < HERE; i += 32) {\n#pragma unroll\n    for (;;) { x(); }\n    BAR();\n}\n"
        ));
        assert!(decides("while (HERE) if (x) { y(); } else for (;;) BAR();"));
        assert!(decides("do { BAR(); } while (t < HERE);"));
        assert!(decides("switch (HERE) { case 1: BAR(); break; }"));
        assert!(decides("if constexpr (HERE) [[likely]] { BAR(); }"));
        assert!(decides("if (HERE) f([&] { x(); }, BAR());"));
    }

    #[test]
    fn what_is_no_code_does_not_count() {
        assert!(decides("if (t < HERE) { // }\n    f(\"}\", '}', 1'000); /* } */\n    BAR();\n}\n"));
        assert!(decides("if (t < HERE) {\n#define END } \\\n  }\n    f(R\"x(}\")x\");\n    BAR();\n}\n"));
        assert!(!decides("// if (HERE) {\nBAR();\n// }\n"));
    }

    #[test]
    fn broken_text_is_no_condition() {
        for text in ["if (HERE { BAR(); }", "if HERE BAR;", "if (HERE) { BAR();", "if (HERE) BAR()", "if (HERE) BAR) ;"]
        {
            assert!(!decides(text), "{text}");
        }
        let deep = "if (HERE) ".to_owned() + &"if (x) ".repeat(100_000) + "BAR();";
        assert!(!decides(&deep));
    }
}
