//! How the build script spells texts before it compresses them: PTX becomes half as long, and repeats itself more.
//! `spelling.rs` describes it, and turns it back.

use super::spelling::{EXACT, FIRST_WORD, LITERAL, Numbers, begins_name, continues_name, digits};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Makes the numbers in names relative: code that is compiled for several types, or unrolled, differs in little else.
pub(crate) fn relative(text: &str) -> String {
    let text = text.as_bytes();
    let mut out = Vec::with_capacity(text.len());
    // Where the prefix of the next number begins, in a name.
    let (mut at, mut name, mut last) = (0, None, Numbers::default());
    while let Some(&byte) = text.get(at) {
        assert!(byte != EXACT, "texts of kernels have no control characters");
        let mut end = at + 1;
        match (name, byte) {
            (Some(_), b'-') => {
                out.extend([EXACT, byte]);
                name = None;
            }
            (Some(from), b'0'..=b'9') => {
                end += digits(&text[end..]);
                let number = std::str::from_utf8(&text[at..end]).expect("digits are text");
                match number.parse::<i64>() {
                    Ok(value) if number.len() == 1 || byte != b'0' => {
                        let before = last.after(&text[from..at]);
                        out.extend_from_slice((value - *before).to_string().as_bytes());
                        *before = value;
                    }
                    // It would come back without its zeros.
                    _ => out.extend([&[EXACT], number.as_bytes()].concat()),
                }
                name = Some(end);
            }
            _ => {
                out.push(byte);
                name = name.filter(|_| continues_name(byte)).or_else(|| begins_name(byte).then_some(at));
            }
        }
        at = end;
    }
    String::from_utf8(out).expect("only numbers have changed")
}

/// The words that save most if each is one byte.
pub(crate) fn words<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (word, _) in texts.flat_map(tokens).filter(|&(_, is_word)| is_word) {
        *counts.entry(word).or_default() += 1;
    }
    let mut words: Vec<(&str, usize)> = counts.into_iter().collect();
    words.sort_by_key(|&(word, count)| (Reverse((word.len() - 1) * count), word));
    words.into_iter().take(usize::from(u8::MAX - FIRST_WORD) + 1).map(|(word, _)| word).collect()
}

/// Spells those words as bytes.
pub(crate) fn abbreviate(text: &str, words: &[&str]) -> Vec<u8> {
    let codes: HashMap<&str, u8> = words.iter().copied().zip(FIRST_WORD..=u8::MAX).collect();
    let mut out = Vec::with_capacity(text.len());
    for (token, is_word) in tokens(text) {
        if let Some(&code) = codes.get(token).filter(|_| is_word) {
            out.push(code);
            continue;
        }
        for byte in token.bytes() {
            out.extend((byte >= FIRST_WORD || byte == LITERAL).then_some(LITERAL));
            out.push(byte);
        }
    }
    out
}

/// A text in pieces: words, each with what is between it and the one before, and numbers.
fn tokens(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (length, is_word) = token(rest.as_bytes());
        let (token, after) = rest.split_at(length);
        rest = after;
        (length > 0).then_some((token, is_word))
    })
}

/// The length of the first piece, and whether it is a word.
fn token(text: &[u8]) -> (usize, bool) {
    let count = |from: usize, of: fn(u8) -> bool| text[from..].iter().take_while(|&&byte| of(byte)).count();
    let start = count(0, |byte| !(byte.is_ascii_alphanumeric() || b"_.$%".contains(&byte)));
    match text.get(start) {
        None => (start, false),
        // What kind of register it is.
        Some(b'%') => (start + 1 + count(start + 1, |byte| byte.is_ascii_lowercase()), true),
        Some(byte) if byte.is_ascii_digit() => (start + digits(&text[start..]), false),
        Some(_) => {
            let end = start + count(start, |byte| byte.is_ascii_alphanumeric() || b"_.:$".contains(&byte));
            (end + count(end, |byte| matches!(byte, b' ' | b'\t')), true)
        }
    }
}
