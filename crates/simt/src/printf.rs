//! C's `printf` formats.

/// Where a format's arguments come from.
pub(crate) trait Arguments {
    /// The next argument of that many bytes (4 or 8).
    fn word(&mut self, bytes: u64) -> Option<u64>;
    /// The string at an address.
    fn text(&mut self, address: u64) -> Option<Vec<u8>>;
}

/// A conversion: `%-08.3llf`.
#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
    short: u8,
}

/// The widest field that is supported.
const MAX_WIDTH: usize = 4096;

/// Formats; returns the text and the number of arguments, as CUDA's `printf` does. `None` if an argument cannot be
/// read.
pub(crate) fn format(format: &[u8], arguments: &mut impl Arguments) -> Option<(Vec<u8>, u64)> {
    let mut out = Vec::new();
    let mut count = 0;
    let mut rest = format;
    while let Some((&byte, tail)) = rest.split_first() {
        if byte != b'%' {
            out.push(byte);
            rest = tail;
            continue;
        }
        let (spec, conversion, after) = parse(tail, arguments, &mut count)?;
        rest = after;
        match conversion {
            b'%' => out.push(b'%'),
            0 => {}
            _ => {
                count += 1;
                convert(&mut out, spec, conversion, arguments)?;
            }
        }
    }
    Some((out, count))
}

/// Reads flags, width, precision and length; returns the conversion's letter and what follows it.
fn parse<'t>(text: &'t [u8], arguments: &mut impl Arguments, count: &mut u64) -> Option<(Spec, u8, &'t [u8])> {
    let mut spec = Spec::default();
    let mut at = 0;
    let peek = |at: usize| text.get(at).copied().unwrap_or(0);
    loop {
        match peek(at) {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        at += 1;
    }
    let mut number = |at: &mut usize| -> Option<i64> {
        if peek(*at) == b'*' {
            *at += 1;
            *count += 1;
            return Some(i64::from(arguments.word(4)? as u32 as i32));
        }
        let mut n = 0i64;
        while peek(*at).is_ascii_digit() {
            n = (n * 10 + i64::from(peek(*at) - b'0')).min(MAX_WIDTH as i64);
            *at += 1;
        }
        Some(n)
    };
    let width = number(&mut at)?;
    spec.left |= width < 0;
    spec.width = (width.unsigned_abs() as usize).min(MAX_WIDTH);
    if peek(at) == b'.' {
        at += 1;
        let precision = number(&mut at)?;
        spec.precision = (precision >= 0).then_some((precision as usize).min(MAX_WIDTH));
    }
    loop {
        match peek(at) {
            b'l' | b'z' | b'j' | b't' => spec.long = true,
            b'h' => spec.short += 1,
            b'L' | b'q' => {}
            _ => break,
        }
        at += 1;
    }
    let conversion = peek(at);
    Some((spec, conversion, text.get(at + 1..).unwrap_or(&[])))
}

fn convert(out: &mut Vec<u8>, spec: Spec, conversion: u8, arguments: &mut impl Arguments) -> Option<()> {
    match conversion {
        b'd' | b'i' => {
            let raw = arguments.word(if spec.long { 8 } else { 4 })?;
            let value = match (spec.long, spec.short) {
                (true, _) => raw as i64,
                (_, 1) => i64::from(raw as i16),
                (_, 0) => i64::from(raw as i32),
                _ => i64::from(raw as i8),
            };
            integer(out, spec, value < 0, &value.unsigned_abs().to_string(), "");
        }
        b'u' | b'x' | b'X' | b'o' => {
            let raw = arguments.word(if spec.long { 8 } else { 4 })?;
            let value = match (spec.long, spec.short) {
                (true, _) => raw,
                (_, 1) => raw & 0xffff,
                (_, 0) => raw & 0xffff_ffff,
                _ => raw & 0xff,
            };
            let (digits, prefix) = match conversion {
                b'u' => (value.to_string(), ""),
                b'x' => (format!("{value:x}"), "0x"),
                b'X' => (format!("{value:X}"), "0X"),
                _ => (format!("{value:o}"), "0"),
            };
            let prefix = if spec.alternate && value != 0 { prefix } else { "" };
            integer(out, Spec { plus: false, space: false, ..spec }, false, &digits, prefix);
        }
        b'c' => pad(out, Spec { zero: false, ..spec }, "", &[arguments.word(4)? as u8]),
        b's' => {
            let address = arguments.word(8)?;
            let text = if address == 0 { b"(null)".to_vec() } else { arguments.text(address)? };
            let shown = spec.precision.unwrap_or(text.len()).min(text.len());
            pad(out, Spec { zero: false, ..spec }, "", &text[..shown]);
        }
        b'p' => {
            let value = arguments.word(8)?;
            let text = if value == 0 { "(nil)".to_owned() } else { format!("{value:#x}") };
            pad(out, Spec { zero: false, ..spec }, "", text.as_bytes());
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = f64::from_bits(arguments.word(8)?);
            float(out, spec, conversion, value);
        }
        // Not a conversion of C: shown unchanged.
        other => out.extend_from_slice(&[b'%', other]),
    }
    Some(())
}

fn sign(spec: Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(out: &mut Vec<u8>, spec: Spec, negative: bool, digits: &str, prefix: &str) {
    let least = spec.precision.unwrap_or(1);
    let digits = if spec.precision == Some(0) && digits == "0" { "" } else { digits };
    let digits = format!("{digits:0>least$}");
    // A precision switches zero padding off.
    let spec = Spec { zero: spec.zero && spec.precision.is_none(), ..spec };
    pad(out, spec, &format!("{}{prefix}", sign(spec, negative)), digits.as_bytes());
}

fn float(out: &mut Vec<u8>, spec: Spec, conversion: u8, value: f64) {
    let upper = conversion.is_ascii_uppercase();
    let negative = value.is_sign_negative();
    let magnitude = value.abs();
    let sign = sign(spec, negative);
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        let text = if upper { text.to_uppercase() } else { text.to_owned() };
        return pad(out, Spec { zero: false, ..spec }, sign, text.as_bytes());
    }
    let precision = spec.precision.unwrap_or(6);
    let text = match conversion.to_ascii_lowercase() {
        b'f' => format!("{magnitude:.precision$}"),
        b'e' => exponential(magnitude, precision),
        b'g' => general(magnitude, precision.max(1), spec.alternate),
        _ => hexadecimal(magnitude, spec.precision),
    };
    let text = if spec.alternate { with_point(text) } else { text };
    let text = if upper { text.to_uppercase() } else { text };
    // Zeros of a field go between the prefix and the digits.
    let (prefix, digits) = text.split_at(if matches!(conversion, b'a' | b'A') { 2 } else { 0 });
    pad(out, spec, &format!("{sign}{prefix}"), digits.as_bytes());
}

/// `#`: a point even where no digit follows it.
fn with_point(mut text: String) -> String {
    if !text.contains('.') {
        let exponent = if text.starts_with("0x") { 'p' } else { 'e' };
        text.insert(text.find(exponent).unwrap_or(text.len()), '.');
    }
    text
}

/// `%e`: at least two digits of exponent.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |e| ('-', e));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// `%g`: the shorter of the two, without trailing zeros.
fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let probe = format!("{value:.*e}", precision - 1);
    let exponent: i32 = probe.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: String| match text.contains('.') && !keep_zeros {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    if exponent < -4 || exponent >= precision as i32 {
        let text = exponential(value, precision - 1);
        let (digits, tail) = text.split_once('e').unwrap_or((&text, "+00"));
        format!("{}e{tail}", trim(digits.to_owned()))
    } else {
        let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
        trim(format!("{value:.decimals$}"))
    }
}

/// `%a`.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let (exponent, mut fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (mut lead, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = match precision {
        Some(p) if p < 13 => {
            let drop = (13 - p) * 4;
            let whole = lead << 52 | fraction;
            let half = 1u64 << (drop - 1);
            let mut kept = whole >> drop;
            let tail = whole & ((1 << drop) - 1);
            if tail > half || tail == half && kept & 1 == 1 {
                kept += 1;
            }
            lead = kept >> (p * 4);
            fraction = kept & ((1 << (p * 4)) - 1);
            if p == 0 { String::new() } else { format!("{fraction:0p$x}") }
        }
        Some(p) => format!("{fraction:013x}{:0<1$}", "", p - 13),
        None => format!("{fraction:013x}").trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}

fn pad(out: &mut Vec<u8>, spec: Spec, prefix: &str, body: &[u8]) {
    let fill = spec.width.saturating_sub(prefix.len() + body.len());
    let (before, zeros, after) = match (spec.left, spec.zero) {
        (true, _) => (0, 0, fill),
        (_, true) => (0, fill, 0),
        _ => (fill, 0, 0),
    };
    out.resize(out.len() + before, b' ');
    out.extend_from_slice(prefix.as_bytes());
    out.resize(out.len() + zeros, b'0');
    out.extend_from_slice(body);
    out.resize(out.len() + after, b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Words(Vec<u64>);
    impl Arguments for Words {
        fn word(&mut self, _: u64) -> Option<u64> {
            (!self.0.is_empty()).then(|| self.0.remove(0))
        }
        fn text(&mut self, _: u64) -> Option<Vec<u8>> {
            Some(b"text".to_vec())
        }
    }

    fn show(text: &str, words: &[u64]) -> String {
        let (bytes, _) = format(text.as_bytes(), &mut Words(words.to_vec())).expect("arguments are there");
        String::from_utf8(bytes).expect("plain text")
    }

    #[test]
    fn integers() {
        assert_eq!(show("%d|%5d|%-5d|%05d|%+d", &[7, 7, 7, (-7i32) as u32 as u64, 7]), "7|    7|7    |-0007|+7");
        assert_eq!(show("%u %x %X %#x %o", &[u64::from(u32::MAX), 255, 255, 255, 8]), "4294967295 ff FF 0xff 10");
        assert_eq!(show("%lld %llu %hhd", &[-1i64 as u64, u64::MAX, 255]), "-1 18446744073709551615 -1");
        assert_eq!(show("%.3d|%8.3d|%*d", &[5, 5, 4, 5]), "005|     005|   5");
        assert_eq!(show("%#o|%#o|%#X|%#x|%.0d|%.0u|", &[8, 0, 255, 0, 0, 0]), "010|0|0XFF|0|||");
        assert_eq!(show("%hd %hu %hhu %hhx", &[0x1_8000, 0x1_8000, 0x1ff, 0x1ff]), "-32768 32768 255 ff");
        assert_eq!(show("%ld %zu %zd %lx", &[u64::MAX, u64::MAX, 5, 1 << 40]), "-1 18446744073709551615 5 10000000000");
        assert_eq!(
            show("% d|% d|%-+6d|%+06i|%-06d|", &[5, -5i32 as u32 as u64, 5, 5, 5]),
            " 5|-5|+5    |+00005|5     |"
        );
        assert_eq!(show("%*d|%-*d|%.*d", &[-4i32 as u32 as u64, 7, 4, 7, 3, 7]), "7   |7   |007");
    }

    #[test]
    fn floats() {
        let f = |x: f64| x.to_bits();
        assert_eq!(
            show("%f %.2f %8.3f %-8.1f|", &[f(1.5), f(2.0), f(-3.25), f(1.0)]),
            "1.500000 2.00   -3.250 1.0     |"
        );
        assert_eq!(show("%e %.3e %E", &[f(12345.678), f(0.0), f(1e-10)]), "1.234568e+04 0.000e+00 1.000000E-10");
        assert_eq!(
            show("%g %g %g %g", &[f(0.0001), f(1e-5), f(123456.0), f(1234567.0)]),
            "0.0001 1e-05 123456 1.23457e+06"
        );
        assert_eq!(show("%f %F %5.1f", &[f(f64::NAN), f(f64::INFINITY), f(f64::NEG_INFINITY)]), "nan INF  -inf");
        assert_eq!(show("%a %a %.1a", &[f(1.0), f(0.5), f(1.999)]), "0x1p+0 0x1p-1 0x2.0p+0");
        assert_eq!(show("%06.2f|%+.1f|% .1f", &[f(1.5), f(1.5), f(1.5)]), "001.50|+1.5| 1.5");
        assert_eq!(show("%#.0f|%#.0e|%#.1g|%#g|%#a", &[f(1.0); 5]), "1.|1.e+00|1.|1.00000|0x1.p+0");
        assert_eq!(
            show("%010a|%-10a|%A|%+.0A", &[f(1.0), f(1.0), f(-10.0), f(1.5)]),
            "0x00001p+0|0x1p+0    |-0X1.4P+3|+0X2P+0"
        );
        assert_eq!(
            show("%f %G|%08f|%+e", &[f(-f64::NAN), f(f64::NAN), f(f64::INFINITY), f(0.0)]),
            "-nan NAN|     inf|+0.000000e+00"
        );
        assert_eq!(
            show("%.3a %.15a %a", &[f(0.1), f(0.5), f(5e-324)]),
            "0x1.99ap-4 0x1.000000000000000p-1 0x0.0000000000001p-1022"
        );
        assert_eq!(show("%g %g %.10g %g", &[f(0.0), f(-1e300), f(0.1), f(100000.0)]), "0 -1e+300 0.1 100000");
    }

    #[test]
    fn text_and_oddities() {
        assert_eq!(show("%s|%6s|%-6s|%.2s|%c%%", &[1, 1, 1, 1, 65]), "text|  text|text  |te|A%");
        assert_eq!(show("%p %p %y", &[0x10, 0, 0]), "0x10 (nil) %y");
        assert_eq!(show("100%", &[]), "100");
        assert!(format(b"%d", &mut Words(vec![])).is_none());
    }
}
