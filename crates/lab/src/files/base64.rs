//! Bytes as text, for pictures and results inside pages (RFC 4648).

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes three bytes as four letters; the end is padded with `=`.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for piece in bytes.chunks(3) {
        let bits = piece.iter().enumerate().fold(0_u32, |bits, (i, &byte)| bits | u32::from(byte) << (16 - 8 * i));
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i)) as usize & 63];
            out.push(if i <= piece.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// The bytes that [`encode`] wrote; none where the text is anything else.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let letters = text.trim_end_matches('=');
    if text.len() - letters.len() > 2 {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for piece in letters.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for (i, letter) in piece.iter().enumerate() {
            let value = LETTERS.iter().position(|known| known == letter)?;
            bits |= (value as u32) << (18 - 6 * i);
        }
        out.extend_from_slice(&bits.to_be_bytes()[1..piece.len()]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (plain, coded) in cases {
            assert_eq!(encode(plain.as_bytes()), coded);
            assert_eq!(decode(coded).as_deref(), Some(plain.as_bytes()));
        }
        for other in ["Z", "Zg=", "Z===", "====", "Zg==Zg==", "Zm 9", "Zm9v-A=="] {
            assert_eq!(decode(other), None, "{other}");
        }
        assert_eq!(encode(&[255, 254, 253]), "//79");
    }
}
