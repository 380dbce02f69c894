//! The dotted words of an instruction.

use warpwise_ptx::ast::ScalarType;

use crate::float::Rounding;

/// The modifiers of an instruction, and the types among them.
pub(super) struct Modifiers<'a> {
    words: &'a [Box<str>],
    types: Vec<ScalarType>,
}

impl<'a> Modifiers<'a> {
    pub(super) fn new(words: &'a [Box<str>]) -> Self {
        Self { words, types: words.iter().filter_map(|w| ScalarType::parse(w)).collect() }
    }

    /// Whether a word is present.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|w| &**w == word)
    }

    /// The first of these words that is present.
    pub(super) fn one_of<'w>(&self, words: &[&'w str]) -> Option<&'w str> {
        words.iter().copied().find(|w| self.has(w))
    }

    /// The n-th word.
    pub(super) fn word(&self, n: usize) -> Option<&str> {
        self.words.get(n).map(|w| &**w)
    }

    /// All words.
    pub(super) fn words(&self) -> &'a [Box<str>] {
        self.words
    }

    /// The only or first type.
    pub(super) fn ty(&self) -> Option<ScalarType> {
        self.types.first().copied()
    }

    /// The n-th type.
    pub(super) fn type_at(&self, n: usize) -> Option<ScalarType> {
        self.types.get(n).copied()
    }

    /// The number of types.
    pub(super) fn types(&self) -> usize {
        self.types.len()
    }

    /// Elements of a vector access.
    pub(super) fn vector(&self) -> usize {
        match self.one_of(&["v2", "v4", "v8"]) {
            Some("v2") => 2,
            Some("v4") => 4,
            Some("v8") => 8,
            _ => 1,
        }
    }

    /// `.ftz`.
    pub(super) fn ftz(&self) -> bool {
        self.has("ftz")
    }

    /// `.sat`.
    pub(super) fn sat(&self) -> bool {
        self.has("sat")
    }

    /// `.rn`, `.rz`, `.rm` or `.rp`.
    pub(super) fn rounding(&self) -> Option<Rounding> {
        Some(match self.one_of(&["rn", "rz", "rm", "rp"])? {
            "rn" => Rounding::NearestEven,
            "rz" => Rounding::TowardZero,
            "rm" => Rounding::Down,
            _ => Rounding::Up,
        })
    }
}
