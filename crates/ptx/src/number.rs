//! Values of number tokens.

/// A literal's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Literal {
    /// An integer, and whether it counts as unsigned.
    Integer { bits: u64, unsigned: bool },
    /// `0f3F800000`.
    F32(u32),
    /// `0d3FF0000000000000` or a decimal fraction.
    F64(u64),
}

/// The value of a number token, or what is wrong with it.
pub(crate) fn literal(text: &str) -> Result<Literal, String> {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.get(1)) {
        (Some(b'0'), Some(b'f' | b'F')) => exact_bits(text, 8).map(|bits| Literal::F32(bits as u32)),
        (Some(b'0'), Some(b'd' | b'D')) => exact_bits(text, 16).map(Literal::F64),
        (Some(b'0'), Some(b'x' | b'X')) => integer(text, &text[2..], 16),
        (Some(b'0'), Some(b'b' | b'B')) => integer(text, &text[2..], 2),
        _ if bytes.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => match text.parse::<f64>() {
            Ok(value) => Ok(Literal::F64(value.to_bits())),
            Err(_) => Err(format!("'{}' is not a number", clip(text))),
        },
        (Some(b'0'), Some(b'0'..=b'9')) => integer(text, &text[1..], 8),
        _ => integer(text, text, 10),
    }
}

/// The bits of a floating-point constant: exactly that many hexadecimal digits.
fn exact_bits(text: &str, digits: usize) -> Result<u64, String> {
    let hex = &text[2..];
    let whole = hex.len() == digits && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let (true, Ok(bits)) = (whole, u64::from_str_radix(hex, 16)) {
        return Ok(bits);
    }
    Err(format!("'{}' must have {digits} hexadecimal digits after '{}'", clip(text), &text[..2]))
}

fn integer(text: &str, digits: &str, radix: u32) -> Result<Literal, String> {
    let (digits, marked) = match digits.strip_suffix(['U', 'u']) {
        Some(rest) => (rest, true),
        None => (digits, false),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| (byte as char).is_digit(radix)) {
        return Err(format!("'{}' is not a number", clip(text)));
    }
    match u64::from_str_radix(digits, radix) {
        Ok(bits) => Ok(Literal::Integer { bits, unsigned: marked || bits > i64::MAX as u64 }),
        Err(_) => Err(format!("'{}' does not fit in 64 bits", clip(text))),
    }
}

/// Shortens a text for a message.
pub(crate) fn clip(text: &str) -> String {
    const LENGTH: usize = 40;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Literal, literal};

    fn int(bits: u64) -> Literal {
        Literal::Integer { bits, unsigned: false }
    }

    #[test]
    fn integers_of_every_base() {
        assert_eq!(literal("0"), Ok(int(0)));
        assert_eq!(literal("42"), Ok(int(42)));
        assert_eq!(literal("0x2a"), Ok(int(42)));
        assert_eq!(literal("052"), Ok(int(42)));
        assert_eq!(literal("0b101010"), Ok(int(42)));
        assert_eq!(literal("42U"), Ok(Literal::Integer { bits: 42, unsigned: true }));
        assert_eq!(literal("0xFFFFFFFFFFFFFFFF"), Ok(Literal::Integer { bits: u64::MAX, unsigned: true }));
    }

    #[test]
    fn floating_point_of_every_form() {
        assert_eq!(literal("0f3F800000"), Ok(Literal::F32(1f32.to_bits())));
        assert_eq!(literal("0D3ff0000000000000"), Ok(Literal::F64(1f64.to_bits())));
        assert_eq!(literal("1.5"), Ok(Literal::F64(1.5f64.to_bits())));
        assert_eq!(literal("1."), Ok(Literal::F64(1f64.to_bits())));
        assert_eq!(literal(".05"), Ok(Literal::F64(0.05f64.to_bits())));
        assert_eq!(literal("25e-3"), Ok(Literal::F64(25e-3f64.to_bits())));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in
            ["0x", "0xg", "0b2", "08", "0f3F8", "0f3F80000z", "0d3F800000", "12ab", "1.5.5", "1e", "0f+1234567", "U"]
        {
            assert!(literal(text).is_err(), "{text}");
        }
        assert_eq!(literal("18446744073709551616").unwrap_err(), "'18446744073709551616' does not fit in 64 bits");
    }
}
