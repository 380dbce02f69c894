//! Texts as they were, from the shorter spelling that the build script compresses (`packing.rs`).
//!
//! Frequent words are single bytes. Numbers in names of registers and labels, such as `%rd12` and `$L__BB3_4`, are
//! relative to the one before with the same letters before it.

/// Before a byte that stands for itself, though it is [`FIRST_WORD`] or above, or this one.
pub(crate) const LITERAL: u8 = 2;
/// The byte of the first word.
pub(crate) const FIRST_WORD: u8 = 0x80;
/// In a name: before a number that is not relative, and before a minus that begins none.
pub(crate) const EXACT: u8 = 1;

/// Whether a name begins with it.
pub(crate) fn begins_name(byte: u8) -> bool {
    matches!(byte, b'%' | b'$')
}

/// Whether a name goes on with it. Its numbers do, too.
pub(crate) fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'$')
}

/// Digits at the beginning.
pub(crate) fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The last number after each prefix.
#[derive(Default)]
pub(crate) struct Numbers<'a>(Vec<(&'a [u8], i64)>);

impl<'a> Numbers<'a> {
    /// That after this prefix; zero if there has been none.
    pub(crate) fn after(&mut self, prefix: &'a [u8]) -> &mut i64 {
        let known = self.0.iter().position(|(other, _)| *other == prefix);
        let at = known.unwrap_or_else(|| {
            self.0.push((prefix, 0));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}

/// Spells out the words.
pub(crate) fn expand(text: &[u8], words: &[&str]) -> Vec<u8> {
    let mut out = Vec::with_capacity(3 * text.len());
    let mut rest = text.iter();
    while let Some(&byte) = rest.next() {
        match byte {
            LITERAL => out.extend(rest.next()),
            FIRST_WORD.. => out.extend_from_slice(words[usize::from(byte - FIRST_WORD)].as_bytes()),
            _ => out.push(byte),
        }
    }
    out
}

/// Makes the numbers in names absolute.
pub(crate) fn absolute(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 8);
    // Where the prefix of the next number begins, in a name.
    let (mut at, mut name, mut last) = (0, None, Numbers::default());
    while let Some(&byte) = text.get(at) {
        let mut end = at + 1;
        match (name, byte) {
            (Some(_), EXACT) => {
                end += digits(&text[end..]);
                out.extend_from_slice(&text[at + 1..end]);
                name = (end > at + 1).then_some(end);
            }
            (Some(from), b'-' | b'0'..=b'9') => {
                end += digits(&text[end..]);
                let difference = std::str::from_utf8(&text[at..end]).ok().and_then(|number| number.parse::<i64>().ok());
                let value = last.after(&text[from..at]);
                *value += difference.expect("a number is relative to the one before");
                out.extend_from_slice(value.to_string().as_bytes());
                name = Some(end);
            }
            _ => {
                out.push(byte);
                name = name.filter(|_| continues_name(byte)).or_else(|| begins_name(byte).then_some(at));
            }
        }
        at = end;
    }
    out
}
