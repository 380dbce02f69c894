//! Numbers as people read them.

/// A duration in the unit that fits.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s if s >= 1e-6 || s == 0.0 => format!("{:.2} us", s * 1e6),
        s => format!("{:.2} ns", s * 1e9),
    }
}

/// Operations per second in the unit that fits: `1.24 GFLOP/s`.
pub(crate) fn flops(value: f64) -> String {
    match value {
        v if v >= 1e12 => format!("{:.2} TFLOP/s", v / 1e12),
        v if v >= 1e9 => format!("{:.2} GFLOP/s", v / 1e9),
        v if v >= 1e6 => format!("{:.2} MFLOP/s", v / 1e6),
        v => format!("{:.2} kFLOP/s", v / 1e3),
    }
}

/// `a` or `an` before the name of a GPU, whose first letters are read one by one: an RTX 3090, a GTX 650.
pub(crate) fn article(name: &str) -> &'static str {
    let first = name.chars().next().unwrap_or('g').to_ascii_lowercase();
    if "aefhilmnorsx".contains(first) { "an" } else { "a" }
}

/// Text with raised exponents: `2^20` is 2²⁰.
pub(crate) fn raised(text: &str) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('^') {
        let (sign, digits) = after.strip_prefix('-').map_or(("", after), |digits| ("⁻", digits));
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        out += before;
        if end == 0 || !before.ends_with(|c: char| c.is_ascii_digit()) {
            out.push('^');
            rest = after;
            continue;
        }
        out += sign;
        out.extend(digits[..end].bytes().map(|digit| DIGITS[usize::from(digit - b'0')]));
        rest = &digits[end..];
    }
    out + rest
}

/// Three digits.
pub(crate) fn significant(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        x if x >= 99.95 => format!("{value:.0}"),
        x if x >= 9.995 => format!("{value:.1}"),
        x if x >= 0.0995 => format!("{value:.2}"),
        x if x >= 0.000_995 => format!("{value:.4}").trim_end_matches('0').to_owned(),
        _ => format!("{value:.1e}"),
    }
}

/// A number as C writes it with `%.6e`: at least two digits of exponent.
pub(crate) fn scientific(value: f64) -> String {
    let text = format!("{value:.6e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, size) = match exponent.strip_prefix('-') {
                Some(size) => ('-', size),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{size:0>2}")
        }
        // NaN and infinities have no exponent.
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_gpus_have_their_article() {
        let read = |name: &str| format!("{} {name}", article(name));
        assert_eq!(
            ["gtx-650", "h200", "rtx-3090", "a100"].map(read),
            ["a gtx-650", "an h200", "an rtx-3090", "an a100"]
        );
    }

    #[test]
    fn exponents_are_raised() {
        assert_eq!(raised("n = 2^20, 2^7x2^16, 10^-4 s"), "n = 2²⁰, 2⁷x2¹⁶, 10⁻⁴ s");
        assert_eq!(raised("log n steps, 2^step, ^2, 3^, 3^-"), "log n steps, 2^step, ^2, 3^, 3^-");
    }

    #[test]
    fn numbers_as_c_writes_them() {
        assert_eq!(scientific(0.0), "0.000000e+00");
        assert_eq!(scientific(-123.456), "-1.234560e+02");
        assert_eq!(scientific(1.5e-7), "1.500000e-07");
        assert_eq!(scientific(1e123), "1.000000e+123");
        assert_eq!(scientific(f64::INFINITY), "inf");
    }
}
