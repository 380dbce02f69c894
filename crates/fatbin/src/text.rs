//! PTX text, as far as it must be known to choose one.

/// True for bytes that may be PTX: after blanks and comments comes a directive.
pub(crate) fn is(bytes: &[u8]) -> bool {
    let start = blanks(bytes);
    bytes.get(start) == Some(&b'.') && bytes.get(start + 1).is_some_and(u8::is_ascii_lowercase)
}

/// A text without the zeros that end it.
pub(crate) fn without_zeros(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}

/// How many bytes of blanks, comments and a byte-order mark come first.
fn blanks(bytes: &[u8]) -> usize {
    let mut at = if bytes.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    loop {
        at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0B).count();
        let rest = &bytes[at..];
        let comment = if rest.starts_with(b"//") {
            rest.iter().position(|&byte| byte == b'\n')
        } else if rest.starts_with(b"/*") {
            rest.windows(2).skip(2).position(|pair| pair == b"*/").map(|end| end + 4)
        } else {
            return at;
        };
        match comment {
            Some(length) => at += length,
            None => return bytes.len(),
        }
    }
}

/// What the first directives of a text say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// `.version`.
    pub(crate) version: (u32, u32),
    /// The number of `.target`; 0 if there is none.
    pub(crate) target: u32,
    /// `sm_90a`: code for one architecture only.
    pub(crate) one: bool,
    /// `sm_100f`: code for one family of architectures.
    pub(crate) family: bool,
}

impl About {
    /// Reads `.version` and `.target`, which come first in every text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut about = Self::default();
        let mut at = 0;
        for _ in 0..2 {
            at += blanks(&text[at..]);
            let (directive, length) = word(&text[at..]);
            at += length;
            let (value, length) = word(&text[at..]);
            at += length;
            match directive {
                ".version" => {
                    let number = |part: Option<&str>| part.and_then(|digits| digits.parse().ok()).unwrap_or(0);
                    let mut parts = value.split('.');
                    about.version = (number(parts.next()), number(parts.next()));
                }
                ".target" => {
                    let value = value.split(',').next().unwrap_or_default();
                    let arch = value.rsplit_once('_').map_or("", |(_, arch)| arch);
                    about.one = arch.ends_with('a');
                    about.family = arch.ends_with('f');
                    about.target = arch.trim_end_matches(['a', 'f']).parse().unwrap_or(0);
                }
                _ => break,
            }
        }
        about
    }

    /// Whether a device of that compute capability may run the text, by the rules for its target.
    pub(crate) fn runs_on(self, compute_capability: u32) -> bool {
        let same_family = self.target / 10 == compute_capability / 10;
        self.target <= compute_capability
            && (!self.one || self.target == compute_capability)
            && (!self.family || same_family)
    }
}

/// The next word and how many bytes it takes, with the blanks before it.
fn word(bytes: &[u8]) -> (&str, usize) {
    let start = blanks(bytes);
    let length = bytes[start..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    (std::str::from_utf8(&bytes[start..start + length]).unwrap_or_default(), start + length)
}

#[cfg(test)]
mod tests {
    use super::{About, is};

    #[test]
    fn text_is_told_from_other_things() {
        for text in [".version 8.0", "\n\n// a comment\n/* and\n another */ .version 8.0", "\u{feff}.version 7.0"] {
            assert!(is(text.as_bytes()), "{text}");
        }
        for other in ["", "hello", "// only a comment", "/* no end .version", "\x7fELF", "...", "/"] {
            assert!(!is(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn the_first_directives_are_read() {
        let about = |text: &str| About::of(text.as_bytes());
        let plain = about("//\n.version 8.4\n.target sm_90\n.address_size 64");
        assert_eq!(plain, About { version: (8, 4), target: 90, one: false, family: false });
        let debug = about(".version 8.4\n.target sm_90a, debug\n.address_size 64");
        assert_eq!((debug.target, debug.one, debug.family), (90, true, false));
        assert_eq!(
            (about(".version 8.8 .target sm_100f").target, about(".version 8.8 .target sm_100f").family),
            (100, true)
        );
        assert_eq!(about(".version 8.8 .target compute_75").target, 75);
        assert_eq!(about(".entry k() { ret; }"), About::default());
        assert_eq!(about(""), About::default());
    }

    #[test]
    fn some_texts_run_only_on_their_own() {
        let target = |target, one, family| About { version: (8, 0), target, one, family };
        assert!(target(80, false, false).runs_on(90) && !target(100, false, false).runs_on(90));
        assert!(target(90, true, false).runs_on(90) && !target(90, true, false).runs_on(100));
        assert!(target(100, false, true).runs_on(103) && !target(100, false, true).runs_on(120));
    }
}
