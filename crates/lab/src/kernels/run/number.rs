//! Numbers as people write them for kernels: `16777216`, `2^24`, `1e6`, `0xff`, `1024*1024`.

/// Reads a count: a product of plain, hexadecimal, power (`2^24`) and decimal-exponent (`1e6`) factors.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let value = parse_integer(text)?;
    u64::try_from(value).map_err(|_| format!("`{text}` is not a number from 0 to {}", u64::MAX))
}

/// Reads an integer with an optional sign.
pub(super) fn parse_integer(text: &str) -> Result<i128, String> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut product = 1i128;
    for factor in digits.split('*') {
        let factor = parse_factor(factor.trim()).ok_or_else(|| not_a_number(text))?;
        product = product.checked_mul(factor).ok_or_else(|| format!("`{text}` is too large"))?;
    }
    Ok(if negative { -product } else { product })
}

fn not_a_number(text: &str) -> String {
    format!("`{text}` is not a whole number; write it like 4096, 2^24, 1e6, 0xff or 1024*1024")
}

fn parse_factor(text: &str) -> Option<i128> {
    let plain = text.replace('_', "");
    if let Some(digits) = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok().map(i128::from);
    }
    if let Some((base, exponent)) = plain.split_once('^') {
        let base: u64 = parse_digits(base)?;
        let exponent: u32 = parse_digits(exponent)?;
        return i128::from(base).checked_pow(exponent);
    }
    if let Some((mantissa, exponent)) = plain.split_once(['e', 'E']) {
        return parse_decimal(mantissa, parse_digits(exponent)?);
    }
    parse_digits::<u64>(&plain).map(i128::from)
}

/// `1.5e3`: exact, or nothing.
fn parse_decimal(mantissa: &str, exponent: u32) -> Option<i128> {
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let zeros = exponent.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let digits: i128 = parse_digits::<u64>(&format!("{whole}{fraction}"))?.into();
    digits.checked_mul(10i128.checked_pow(zeros)?)
}

fn parse_digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Reads a floating-point number: decimal, `nan`, `inf`, or anything [`parse_integer`] reads.
pub(super) fn parse_float(text: &str) -> Result<f64, String> {
    let text = text.trim();
    if let Ok(value) = text.trim_end_matches(['f', 'F']).parse::<f64>()
        && text.bytes().any(|b| b.is_ascii_digit())
    {
        return Ok(value);
    }
    match text.to_ascii_lowercase().trim_start_matches('+') {
        "nan" | "-nan" => Ok(f64::NAN),
        "inf" | "infinity" => Ok(f64::INFINITY),
        "-inf" | "-infinity" => Ok(f64::NEG_INFINITY),
        #[allow(clippy::cast_precision_loss, reason = "the nearest number is what is meant")]
        _ => parse_integer(text)
            .map(|v| v as f64)
            .map_err(|_| format!("`{text}` is not a number; write it like 0.5, -3, 1e-6 or 2^10")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let good = [
            ("0", 0),
            ("16777216", 1 << 24),
            ("2^24", 1 << 24),
            ("1e6", 1_000_000),
            ("0xFF", 255),
            ("1.5e3", 1500),
            ("1024*1024", 1 << 20),
            ("1_000", 1000),
            ("3*2^10", 3072),
        ];
        for (text, value) in good {
            assert_eq!(parse_count(text), Ok(value), "{text}");
        }
        for text in [
            "",
            "-1",
            "2^64",
            "1.5",
            "1e-3",
            "x",
            "2^",
            "^2",
            "1e",
            "0x",
            "1**2",
            "9999999999999999999999",
            "2^99999",
            "1e99999",
            " ",
            "e5",
            "1.25e1",
        ] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn signed_and_floating() {
        assert_eq!(parse_integer("-2^31"), Ok(-(1 << 31)));
        assert_eq!(parse_float("0.5"), Ok(0.5));
        assert_eq!(parse_float("2^10"), Ok(1024.0));
        assert_eq!(parse_float("-inf"), Ok(f64::NEG_INFINITY));
        assert_eq!(parse_float("1.5f"), Ok(1.5));
        assert!(parse_float("NaN").unwrap().is_nan());
        for text in ["", "abc", "1.2.3", "f", "-", "e"] {
            assert!(parse_float(text).is_err(), "{text}");
        }
    }
}
