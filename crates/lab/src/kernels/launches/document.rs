//! A TOML file whose mistakes are reported with their line.

use super::error::LaunchFileError;
use super::nearest::nearest;
use crate::kernels::run::parse_count;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// A file and its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Document<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

/// A value, and where it stands.
pub(super) type Entry<'a> = &'a Spanned<DeValue<'a>>;

impl<'a> Document<'a> {
    /// The whole file as a table.
    pub(super) fn parse(self) -> Result<Spanned<DeTable<'a>>, LaunchFileError> {
        DeTable::parse(self.text).map_err(|error| self.error(error.span().unwrap_or(0..0), error.message()))
    }

    /// The one-based line of a place.
    pub(super) fn line(self, span: Range<usize>) -> u32 {
        let before = self.text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count();
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }

    /// What is wrong at a place.
    pub(super) fn error(self, span: Range<usize>, problem: impl Into<String>) -> LaunchFileError {
        LaunchFileError::Content { path: self.path.to_owned(), line: self.line(span), problem: problem.into() }
    }

    /// A value that should have been something else.
    fn wanted(self, entry: Entry<'_>, name: &str, what: &str) -> LaunchFileError {
        self.error(entry.span(), format!("`{name}` is {what}, not {}", article(entry.get_ref().type_str())))
    }

    /// The items of a list.
    pub(super) fn array(self, entry: Entry<'a>, name: &str, what: &str) -> Result<&'a DeArray<'a>, LaunchFileError> {
        entry.get_ref().as_array().ok_or_else(|| self.wanted(entry, name, what))
    }

    /// The keys of a table, all of which must be known.
    pub(super) fn table(
        self,
        entry: Entry<'a>,
        name: &str,
        what: &str,
        known: &[&str],
    ) -> Result<Keys<'a>, LaunchFileError> {
        let table = entry.get_ref().as_table().ok_or_else(|| self.wanted(entry, name, what))?;
        self.keys(table, entry.span(), name, known)
    }

    /// The same for a table that was found already.
    pub(super) fn keys(
        self,
        table: &'a DeTable<'a>,
        span: Range<usize>,
        name: &str,
        known: &[&str],
    ) -> Result<Keys<'a>, LaunchFileError> {
        // The first mistake in the file is the one to report.
        let unknown = table.iter().map(|(key, _)| key).filter(|key| !known.contains(&key.get_ref().as_ref()));
        match unknown.min_by_key(|key| key.span().start) {
            Some(key) => {
                let given = key.get_ref();
                let near = nearest(given, known).map_or(String::new(), |near| format!("; the nearest is `{near}`"));
                Err(self.error(key.span(), format!("`{given}` is not a key of {name}{near}")))
            }
            None => Ok(Keys { document: self, table, span, name: name.to_owned() }),
        }
    }

    /// A text.
    pub(super) fn text_of(self, entry: Entry<'a>, name: &str) -> Result<&'a str, LaunchFileError> {
        entry.get_ref().as_str().ok_or_else(|| self.wanted(entry, name, "a string"))
    }

    /// A count: an integer, or a text such as `"2^20"`.
    pub(super) fn count_of(self, entry: Entry<'a>, name: &str) -> Result<u64, LaunchFileError> {
        let text = number(entry).ok_or_else(|| self.wanted(entry, name, "a whole number"))?;
        parse_count(&text).map_err(|problem| self.error(entry.span(), format!("`{name}`: {problem}")))
    }

    /// True or false.
    pub(super) fn flag_of(self, entry: Entry<'a>, name: &str) -> Result<bool, LaunchFileError> {
        entry.get_ref().as_bool().ok_or_else(|| self.wanted(entry, name, "true or false"))
    }

    /// A count of up to 32 bits.
    pub(super) fn small_of(self, entry: Entry<'a>, name: &str) -> Result<u32, LaunchFileError> {
        let count = self.count_of(entry, name)?;
        let large = |_| self.error(entry.span(), format!("`{name}`: {count} is too large: use at most {}", u32::MAX));
        u32::try_from(count).map_err(large)
    }
}

/// A number as it was written, or a text.
pub(super) fn number(entry: Entry<'_>) -> Option<String> {
    match entry.get_ref() {
        DeValue::Integer(value) => Some(value.to_string()),
        DeValue::Float(value) => Some(value.as_str().to_owned()),
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    }
}

fn article(noun: &str) -> String {
    format!("{} {noun}", if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" })
}

/// A table whose keys are known.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    pub(super) document: Document<'a>,
    table: &'a DeTable<'a>,
    /// Where it stands.
    pub(super) span: Range<usize>,
    /// What it is.
    name: String,
}

impl<'a> Keys<'a> {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<Entry<'a>> {
        self.table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
    }

    /// Every key with its value, in the order of the file.
    pub(super) fn all(&self) -> Vec<(&'a str, Entry<'a>)> {
        let mut all: Vec<_> = self.table.iter().map(|(key, value)| (key.get_ref().as_ref(), value)).collect();
        all.sort_by_key(|(_, value)| value.span().start);
        all
    }

    /// The value of a key that must be there.
    pub(super) fn needed(&self, key: &str) -> Result<Entry<'a>, LaunchFileError> {
        let missing = || self.document.error(self.span.clone(), format!("{} needs `{key}`", self.name));
        self.get(key).ok_or_else(missing)
    }

    /// A text, if it is there.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, LaunchFileError> {
        self.get(key).map(|entry| self.document.text_of(entry, key)).transpose()
    }

    /// Whether a key is there and true.
    pub(super) fn flag(&self, key: &str) -> Result<bool, LaunchFileError> {
        self.get(key).map_or(Ok(false), |entry| self.document.flag_of(entry, key))
    }

    /// A list of texts with their places; empty if it is not there.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<(&'a str, Range<usize>)>, LaunchFileError> {
        let Some(entry) = self.get(key) else { return Ok(Vec::new()) };
        let items = self.document.array(entry, key, "a list of strings")?;
        items.iter().map(|item| Ok((self.document.text_of(item, key)?, item.span()))).collect()
    }

    /// A shape: a number, a list of up to three, or a text such as `"16,16"`.
    pub(super) fn shape(&self, key: &str) -> Result<[u32; 3], LaunchFileError> {
        let entry = self.needed(key)?;
        let wrong = || self.document.error(entry.span(), format!("`{key}` has one to three numbers, such as [16, 16]"));
        let parts: Vec<u32> = match entry.get_ref() {
            DeValue::Array(items) => {
                items.iter().map(|item| self.document.small_of(item, key)).collect::<Result<_, _>>()?
            }
            DeValue::String(text) => text
                .split(',')
                .map(|part| parse_count(part).ok().and_then(|count| u32::try_from(count).ok()).ok_or_else(wrong))
                .collect::<Result<_, _>>()?,
            _ => vec![self.document.small_of(entry, key)?],
        };
        match *parts.as_slice() {
            [x] => Ok([x, 1, 1]),
            [x, y] => Ok([x, y, 1]),
            [x, y, z] => Ok([x, y, z]),
            _ => Err(wrong()),
        }
    }
}
