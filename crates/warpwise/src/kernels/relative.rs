//! Texts that are told by their difference to a relative: a kernel for another type or operator is mostly the same text.
//!
//! A difference is the length of a list of steps, the list, and what is new. A step says how many new bytes come first,
//! how many of the relative's bytes follow, and where these are, counted from the end of those taken before. Numbers have
//! 7 bits to a byte, the lowest first. `difference.rs` writes them.

/// The text of that many bytes that a difference to a relative tells; `None` if it tells no such text.
pub(super) fn restore(relative: &[u8], difference: &[u8], bytes: usize) -> Option<Vec<u8>> {
    let mut rest = difference;
    let length = number(&mut rest)?;
    let (mut steps, mut new) = rest.split_at_checked(length)?;
    let (mut text, mut at) = (Vec::with_capacity(bytes), 0_usize);
    while !steps.is_empty() {
        let [first, copied, jump] = [number(&mut steps)?, number(&mut steps)?, number(&mut steps)?];
        let (taken, left) = new.split_at_checked(first)?;
        text.extend_from_slice(taken);
        new = left;
        at = if jump % 2 == 0 { at.checked_add(jump / 2)? } else { at.checked_sub(jump / 2)? };
        let end = at.checked_add(copied)?;
        text.extend_from_slice(relative.get(at..end)?);
        at = end;
    }
    text.extend_from_slice(new);
    (text.len() == bytes).then_some(text)
}

/// Takes a number off the front.
fn number(bytes: &mut &[u8]) -> Option<usize> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::super::difference::Relative;
    use super::*;
    use crate::random::Random;

    #[test]
    fn differences_tell_the_text() {
        let mut random = Random::new(5);
        let mut letters = |n: usize| -> Vec<u8> { (0..n).map(|_| b'a' + random.below(3) as u8).collect() };
        let long = letters(5000);
        let mut changed = long[100..].to_vec();
        changed.splice(1000..1003, letters(70));
        changed.extend_from_slice(&long[..300]);
        let texts = [letters(0), letters(1), letters(100), long.clone(), long[2000..].to_vec(), changed.clone()];
        for relative in &texts {
            for text in &texts {
                let difference = Relative::new(relative).difference(text);
                assert_eq!(restore(relative, &difference, text.len()).as_ref(), Some(text));
                assert_eq!(restore(relative, &difference, text.len() + 1), None);
            }
        }
        assert!(Relative::new(&long).difference(&changed).len() < 150);
    }

    #[test]
    fn what_tells_no_text_is_refused() {
        assert_eq!(restore(b"abc", b"", 3), None);
        assert_eq!(restore(b"abc", &[3, 0, 4, 0], 4), None);
        assert_eq!(restore(b"abc", &[3, 1, 2, 0], 3), None);
        assert_eq!(restore(b"abc", &[3, 0, 3, 3], 3), None);
        assert_eq!(restore(b"abc", &[3, 0, 3, 0], 3), Some(b"abc".to_vec()));
        assert_eq!(restore(b"abc", &[0xff; 20], 3), None);
    }
}
