//! The last line of a PTX file: what it was compiled from, and that nobody has changed it since, so that files need to be
//! compiled again only where either is no longer true.

use std::fmt::Write;

const BEGIN: &str = "// Sealed ";

/// A text with its seal. The inputs are all that decides what the compiler makes of a source.
pub(crate) fn sealed(text: &str, inputs: &[&str]) -> String {
    let mut out = text.to_owned();
    if !out.ends_with('\n') {
        out.push('\n');
    }
    let (inputs, text) = (hash(inputs.iter().copied()), hash([out.as_str()]));
    let _ = writeln!(out, "{BEGIN}{inputs:016x} {text:016x}");
    out
}

/// Whether a text is as it was sealed, and was compiled from these inputs.
pub(crate) fn holds(text: &str, inputs: &[&str]) -> bool {
    text.rfind(BEGIN).is_some_and(|at| sealed(&text[..at], inputs) == text)
}

/// FNV-1a; each part with its length before it, so that parts cannot run into each other.
fn hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    for part in parts {
        part.len().to_le_bytes().into_iter().for_each(&mut take);
        part.bytes().for_each(&mut take);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_holds_for_the_same_text_and_inputs_only() {
        let text = sealed(".version 6.0\n", &["kernel", "header"]);
        assert!(text.starts_with(".version 6.0\n// Sealed ") && text.ends_with('\n'));
        assert!(holds(&text, &["kernel", "header"]));
        assert!(!holds(&text, &["kernelheader"]) && !holds(&text, &["kernel", "headers"]));
        assert!(!holds(&text.replace("6.0", "6.1"), &["kernel", "header"]));
        assert!(!holds(".version 6.0\n", &["kernel", "header"]));
        assert!(!holds(&format!("{text}\n"), &["kernel", "header"]));
    }
}
