//! Which launches: `reduce*`, `reduce*:3-5`.

use crate::name::source_name;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Some launches of some kernels.
///
/// ```
/// use warpwise_trace::Pick;
///
/// let pick: Pick = "reduce*:3-5".parse()?;
/// assert!(pick.matches("_Z9reduceSumPKfPf", 4));
/// assert!(!pick.matches("_Z9reduceSumPKfPf", 2) && !pick.matches("scan", 4));
/// # Ok::<(), warpwise_trace::PickError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pick {
    /// Names of kernels: `*` stands for any text, `?` for any character.
    kernels: String,
    /// The first and last launch of each, from 1.
    numbers: Option<(u64, u64)>,
}

/// A text that picks no launches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` picks no launches: write a kernel such as 'reduce*', with the numbers of its launches 'reduce*:3-5'")]
pub struct PickError {
    /// The text.
    text: String,
}

impl Pick {
    /// Whether this is the `number`-th launch, from 1, of a kernel. The pattern is compared with the kernel's symbol
    /// and with its name in the source.
    pub fn matches(&self, kernel: &str, number: u64) -> bool {
        self.numbers.is_none_or(|(first, last)| (first..=last).contains(&number))
            && (fits(&self.kernels, kernel) || fits(&self.kernels, source_name(kernel)))
    }
}

/// Whether a pattern describes the whole text.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where the last star was, and how much of the text it stands for so far.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => (p, t) = (p + 1, t + 1),
            _ => match &mut star {
                Some((at, taken)) => {
                    *taken += 1;
                    (p, t) = (*at + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

impl FromStr for Pick {
    type Err = PickError;

    fn from_str(text: &str) -> Result<Self, PickError> {
        let wrong = || PickError { text: text.to_owned() };
        // A name in C++ may have colons too: `lab::reduce`.
        let numbered = text.rsplit_once(':').filter(|(kernels, _)| !kernels.ends_with(':'));
        let (kernels, numbers) = match numbered {
            None => (text, None),
            Some((kernels, numbers)) => {
                let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
                let number = |text: &str| text.trim().parse::<u64>().ok().filter(|&n| n > 0);
                let last = if last.trim().is_empty() { Some(u64::MAX) } else { number(last) };
                (kernels, Some(number(first).zip(last).filter(|(first, last)| first <= last).ok_or_else(wrong)?))
            }
        };
        let kernels = kernels.trim().to_owned();
        if kernels.is_empty() { Err(wrong()) } else { Ok(Self { kernels, numbers }) }
    }
}

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kernels)?;
        match self.numbers {
            None => Ok(()),
            Some((first, u64::MAX)) => write!(f, ":{first}-"),
            Some((first, last)) => write!(f, ":{first}-{last}"),
        }
    }
}

impl TryFrom<String> for Pick {
    type Error = PickError;

    fn try_from(text: String) -> Result<Self, PickError> {
        text.parse()
    }
}

impl From<Pick> for String {
    fn from(pick: Pick) -> Self {
        pick.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(text: &str) -> Pick {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn patterns_describe_whole_names() {
        for (pattern, text, fit) in [
            ("reduce", "reduce", true),
            ("reduce", "reduce2", false),
            ("*", "", true),
            ("re*ce", "reduce", true),
            ("re*ce", "reduces", false),
            ("*a*b", "xaxbxb", true),
            ("r?duce", "reduce", true),
            ("r??duce", "reduce", false),
        ] {
            assert_eq!(fits(pattern, text), fit, "{pattern} {text}");
        }
    }

    #[test]
    fn numbers_are_of_launches() {
        assert!(pick("k:3").matches("k", 3) && !pick("k:3").matches("k", 4));
        assert!(pick("k:3-").matches("k", 1 << 40) && !pick("k:3-").matches("k", 2));
        assert!(pick("lab::k").matches("lab::k", 7));
    }

    #[test]
    fn texts_come_back_and_others_are_refused() {
        for text in ["reduce*", "k:3-5", "k:3-", "*:1-1"] {
            assert_eq!(pick(text).to_string(), text);
        }
        for text in ["", ":3", "k:0", "k:5-3", "k:a", "k:", "k:-"] {
            assert!(text.parse::<Pick>().is_err(), "{text}");
        }
        let told = "k:5-3".parse::<Pick>().expect_err("backwards").to_string();
        assert!(told.contains("`k:5-3`") && told.contains("'reduce*:3-5'"), "{told}");
    }
}
