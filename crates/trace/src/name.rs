//! Names of kernels as the source has them.

/// The name in the source of a mangled C++ symbol, without namespaces, template arguments and parameters; the symbol
/// itself if it is not one.
///
/// ```
/// use warpwise_trace::source_name;
///
/// assert_eq!(source_name("_Z6reducePKfPf"), "reduce");
/// assert_eq!(source_name("_ZN3lab4scanIiEEvPT_"), "scan");
/// assert_eq!(source_name("reduce"), "reduce");
/// ```
pub fn source_name(symbol: &str) -> &str {
    let Some(mut rest) = symbol.strip_prefix("_Z") else { return symbol };
    let nested = rest.strip_prefix('N');
    rest = nested.unwrap_or(rest);
    let mut name = None;
    loop {
        rest = rest.strip_prefix('L').unwrap_or(rest);
        if let Some(after) = rest.strip_prefix("St") {
            rest = after;
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Some(length) = rest[..digits].parse::<usize>().ok().filter(|&length| length > 0) else { break };
        let Some(word) = rest.get(digits..digits.saturating_add(length)) else { break };
        name = Some(word);
        rest = &rest[digits + length..];
        if nested.is_none() {
            break;
        }
        // Namespaces have no arguments; what has them is a class or the function itself.
        if rest.starts_with('I') {
            match after_arguments(rest) {
                Some(after) => rest = after,
                None => break,
            }
        }
    }
    name.unwrap_or(symbol)
}

/// What follows a list of template arguments, if another name does.
fn after_arguments(list: &str) -> Option<&str> {
    let (mut depth, mut at) = (0_usize, 0);
    let bytes = list.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'I' | b'N' | b'X' | b'L' | b'J' | b'F' => depth += 1,
            b'E' => {
                depth -= 1;
                if depth == 0 {
                    return list.get(at + 1..).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
                }
            }
            b'0'..=b'9' => {
                let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
                // In a literal such as `Li256E` digits are its value.
                let literal = at >= 2 && bytes[at - 2] == b'L';
                let length: usize = list[at..at + digits].parse().ok()?;
                at = (at + digits).saturating_add(if literal { 0 } else { length });
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_source() {
        for (symbol, name) in [
            ("main_kernel", "main_kernel"),
            ("_Z3addPfS_i", "add"),
            ("_ZL5innerv", "inner"),
            ("_Z6reduceIiLi256EEvPKT_PS0_", "reduce"),
            ("_ZN3lab4deep4scanEPf", "scan"),
            ("_ZN3lab4deep4scanIfEEvPT_", "scan"),
            ("_ZN3cub6detail4HeldILi3EE3runEv", "run"),
            ("_ZN47_GLOBAL__N__0123456789abcdef_4_k_cu_12345678_896kernelEv", "kernel"),
            ("_Z", "_Z"),
            ("_Z99x", "_Z99x"),
            ("_ZN", "_ZN"),
        ] {
            assert_eq!(source_name(symbol), name, "{symbol}");
        }
    }
}
