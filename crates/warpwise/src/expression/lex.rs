//! Words of an expression's text.

use crate::Error;

/// A word and its column, from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) word: Word,
    pub(super) at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    Int(i128),
    Float(f64),
    Name(String),
    Sign(&'static str),
    End,
}

/// Longer signs first.
const SIGNS: [&str; 22] = [
    "**", "//", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^", "~",
    "(",
];
const MORE_SIGNS: [&str; 2] = [")", ","];

/// What to write instead of a sign of other languages.
fn instead(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "&&" => "write & for and, with both comparisons in parentheses",
        "||" => "write | for or, with both comparisons in parentheses",
        "<<" => "write a multiplication by a power of two",
        ">>" => "write // with a power of two",
        _ => return None,
    })
}

/// The words of a text; the last one is its end.
pub(super) fn words(text: &str) -> Result<Vec<Token>, Error> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let column = |rest: &str| text[..text.len() - rest.len()].chars().count() + 1;
    loop {
        rest = rest.trim_start();
        let at = column(rest);
        let Some(first) = rest.chars().next() else {
            tokens.push(Token { word: Word::End, at });
            return Ok(tokens);
        };
        let sign = SIGNS.into_iter().chain(MORE_SIGNS).find(|sign| rest.starts_with(sign));
        let digit_follows = rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let (word, length) = if first.is_ascii_digit() || digit_follows {
            number(rest, at)?
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(rest.len());
            (Word::Name(rest[..end].to_owned()), end)
        } else if let Some(sign) = sign {
            if let Some(advice) = instead(sign) {
                return Err(Error::expression(at, format!("{sign} is not an operator here: {advice}")));
            }
            (Word::Sign(sign), sign.len())
        } else {
            let advice = match first {
                '!' => "write ~ for not",
                '=' => "write == to compare",
                '?' | ':' => "write where(condition, a, b)",
                _ => "use numbers, names, + - * / // % ** < <= > >= == != & | ^ ~ and parentheses",
            };
            return Err(Error::expression(at, format!("{first} is not understood: {advice}")));
        };
        tokens.push(Token { word, at });
        rest = &rest[length..];
    }
}

/// A number at the beginning of a text, and its length.
fn number(text: &str, at: usize) -> Result<(Word, usize), Error> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    let whole = end;
    if bytes.get(end) == Some(&b'.') {
        end += 1;
        end += digits(end);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    if text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        let advice = "write a * between a number and a name";
        return Err(Error::expression(at, format!("{} is followed by a letter: {advice}", &text[..end])));
    }
    let out_of_range = || Error::expression(at, format!("{} is too large: use a smaller number", &text[..end]));
    let word = if end == whole {
        Word::Int(text[..end].parse().ok().filter(|&value| value <= i128::from(u64::MAX)).ok_or_else(out_of_range)?)
    } else {
        Word::Float(text[..end].parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(out_of_range)?)
    };
    Ok((word, end))
}
