//! Mangled names: what `_Z6vecAddPKfS0_Pfi` is called in the source.
//!
//! Compilers for CUDA mangle C++ names by the Itanium rules. This reads the part of them that kernels use: plain and
//! nested names, template arguments, parameter types. A name it cannot read is shown unchanged.

/// A name as in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demangled {
    /// With namespaces and template arguments: `a::scale<float, 256>`.
    pub name: String,
    /// The last part without template arguments: `scale`.
    pub base: String,
    /// The C++ type of each parameter.
    pub parameters: Vec<String>,
}

impl std::fmt::Display for Demangled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({})", self.name, self.parameters.join(", "))
    }
}

/// Reads a mangled function name. `None` for names that are not mangled (`extern "C"`) or beyond this reader.
pub fn demangle(symbol: &str) -> Option<Demangled> {
    let mut reader = Reader {
        bytes: symbol.strip_prefix("_Z")?.as_bytes(),
        at: 0,
        substitutions: Vec::new(),
        arguments: Vec::new(),
        depth: 0,
    };
    let (name, base, is_template) = reader.function_name()?;
    if is_template {
        // Only templates encode their return type.
        reader.r#type()?;
    }
    let mut parameters = Vec::new();
    while reader.at < reader.bytes.len() && reader.peek() != b'.' {
        parameters.push(reader.r#type()?);
    }
    if parameters == ["void"] {
        parameters.clear();
    }
    Some(Demangled { name, base, parameters })
}

struct Reader<'s> {
    bytes: &'s [u8],
    at: usize,
    substitutions: Vec<String>,
    /// The function's own template arguments, which `T_` refers to.
    arguments: Vec<String>,
    depth: usize,
}

/// Longest text built: substitutions double what they repeat, and the input is untrusted.
const LONGEST: usize = 4096;
/// Deepest nesting of types.
const DEEPEST: usize = 64;

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == byte && self.at < self.bytes.len();
        self.at += usize::from(there);
        there
    }

    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        std::str::from_utf8(&self.bytes[start..self.at]).ok()?.parse().ok()
    }

    /// Remembers a piece that later parts of the name may refer to.
    fn remember(&mut self, text: &str) -> Option<()> {
        if text.len() > LONGEST || self.substitutions.len() > LONGEST {
            return None;
        }
        self.substitutions.push(text.to_owned());
        Some(())
    }

    /// `6vecAdd`; an unnamed namespace has a compiler-generated name.
    fn source_name(&mut self) -> Option<String> {
        self.take(b'L');
        let length = self.number()?;
        let end = self.at.checked_add(length)?;
        let name = std::str::from_utf8(self.bytes.get(self.at..end)?).ok()?;
        self.at = end;
        let unnamed = name.starts_with("_GLOBAL__N_") || name.starts_with("_INTERNAL_");
        (!name.is_empty()).then(|| if unnamed { String::new() } else { name.to_owned() })
    }

    /// The function's name: whole, last part, and whether it is a template instance.
    fn function_name(&mut self) -> Option<(String, String, bool)> {
        if self.take(b'N') {
            while matches!(self.peek(), b'K' | b'V' | b'r') {
                self.at += 1;
            }
            return self.nested(true);
        }
        let standard = self.bytes[self.at..].starts_with(b"St");
        self.at += if standard { 2 } else { 0 };
        let base = self.source_name()?;
        let name = if standard { format!("std::{base}") } else { base.clone() };
        if self.peek() != b'I' {
            return Some((name, base, false));
        }
        self.remember(&name)?;
        let arguments = self.template_arguments()?;
        let whole = format!("{name}<{}>", arguments.join(", "));
        self.arguments = arguments;
        Some((whole, base, true))
    }

    /// The parts of a nested name up to its `E`. The whole name of a function is not remembered, that of a type is.
    fn nested(&mut self, is_function: bool) -> Option<(String, String, bool)> {
        let (mut name, mut base) = (String::new(), String::new());
        let mut is_template = false;
        loop {
            if self.take(b'E') {
                return (!base.is_empty()).then_some((name, base, is_template));
            }
            match self.peek() {
                b'S' => {
                    name = self.substitution()?;
                    base = name.rsplit("::").next()?.to_owned();
                    continue;
                }
                b'I' => {
                    let arguments = self.template_arguments()?;
                    name = format!("{name}<{}>", arguments.join(", "));
                    is_template = true;
                    if is_function {
                        self.arguments = arguments;
                    }
                }
                _ => {
                    let part = self.source_name()?;
                    is_template = false;
                    if !part.is_empty() {
                        let separator = if name.is_empty() { "" } else { "::" };
                        name = format!("{name}{separator}{part}");
                    }
                    base = part;
                }
            }
            if !(is_function && self.peek() == b'E') {
                self.remember(&name.clone())?;
            }
        }
    }

    fn template_arguments(&mut self) -> Option<Vec<String>> {
        if !self.take(b'I') {
            return None;
        }
        let mut arguments = Vec::new();
        while !self.take(b'E') {
            match self.peek() {
                b'L' => arguments.push(self.literal()?),
                b'J' => {
                    self.at += 1;
                    while !self.take(b'E') {
                        arguments.push(self.r#type()?);
                    }
                }
                _ => arguments.push(self.r#type()?),
            }
        }
        Some(arguments)
    }

    /// `Li256E`, `Lb1E`.
    fn literal(&mut self) -> Option<String> {
        self.at += 1;
        let ty = self.r#type()?;
        let start = self.at;
        while self.at < self.bytes.len() && self.peek() != b'E' {
            self.at += 1;
        }
        let value = std::str::from_utf8(&self.bytes[start..self.at]).ok()?.replacen('n', "-", 1);
        if !self.take(b'E') {
            return None;
        }
        Some(match (ty.as_str(), value.as_str()) {
            ("bool", "0") => "false".into(),
            ("bool", _) => "true".into(),
            _ => value,
        })
    }

    /// `S_`, `S0_`, ...: a reference to an earlier piece.
    fn substitution(&mut self) -> Option<String> {
        let index = self.sequence(b'S')?;
        self.substitutions.get(index).cloned()
    }

    /// The index in `S_` (0), `S0_` (1), `T1_` (2), in base 36.
    fn sequence(&mut self, letter: u8) -> Option<usize> {
        if !self.take(letter) {
            return None;
        }
        if self.take(b'_') {
            return Some(0);
        }
        let mut index = 0usize;
        while !self.take(b'_') {
            let digit = char::from(self.peek()).to_ascii_lowercase().to_digit(36)?;
            index = index.checked_mul(36)?.checked_add(digit as usize)?;
            self.at += 1;
        }
        index.checked_add(1)
    }

    fn r#type(&mut self) -> Option<String> {
        self.depth += 1;
        let text = if self.depth > DEEPEST { None } else { self.type_inside() };
        self.depth -= 1;
        text.filter(|t| t.len() <= LONGEST)
    }

    fn type_inside(&mut self) -> Option<String> {
        if let Some(name) = builtin(self.peek()) {
            self.at += 1;
            return Some(name.to_owned());
        }
        let text = match self.peek() {
            b'P' => self.behind("*")?,
            b'R' => self.behind("&")?,
            b'O' => self.behind("&&")?,
            b'K' => {
                self.at += 1;
                let inner = self.r#type()?;
                if inner.ends_with('*') { format!("{inner} const") } else { format!("const {inner}") }
            }
            b'V' => {
                self.at += 1;
                format!("volatile {}", self.r#type()?)
            }
            b'T' => {
                let index = self.sequence(b'T')?;
                self.arguments.get(index).cloned()?
            }
            b'D' if self.bytes[self.at..].starts_with(b"DF16_") => {
                self.at += 5;
                return Some("_Float16".into());
            }
            b'D' => {
                let name = match self.bytes.get(self.at + 1)? {
                    b'n' => "std::nullptr_t",
                    b'h' => "half",
                    b's' => "char16_t",
                    b'i' => "char32_t",
                    b'u' => "char8_t",
                    _ => return None,
                };
                self.at += 2;
                return Some(name.into());
            }
            b'A' => {
                self.at += 1;
                let length = self.number()?;
                if !self.take(b'_') {
                    return None;
                }
                format!("{}[{length}]", self.r#type()?)
            }
            b'F' => self.function_type()?,
            b'N' => {
                self.at += 1;
                // Every part was remembered on the way, including the whole.
                return self.nested(false).map(|(name, ..)| name);
            }
            b'S' if self.bytes.get(self.at + 1) == Some(&b't') => {
                self.at += 2;
                format!("std::{}", self.source_name()?)
            }
            b'S' => {
                let name = self.substitution()?;
                return if self.peek() == b'I' { self.instance(&name) } else { Some(name) };
            }
            b'0'..=b'9' => self.source_name()?,
            _ => return None,
        };
        self.remember(&text)?;
        if self.peek() == b'I' { self.instance(&text) } else { Some(text) }
    }

    /// A class template with its arguments.
    fn instance(&mut self, name: &str) -> Option<String> {
        let text = format!("{name}<{}>", self.template_arguments()?.join(", "));
        self.remember(&text)?;
        Some(text)
    }

    fn behind(&mut self, suffix: &str) -> Option<String> {
        self.at += 1;
        let inner = self.r#type()?;
        let function = inner.find("(*)").filter(|_| suffix == "*");
        Some(if function.is_some() { inner } else { format!("{inner}{suffix}") })
    }

    /// `FfffE`: shown as a pointer to it, which is the only form a kernel receives.
    fn function_type(&mut self) -> Option<String> {
        self.at += 1;
        let result = self.r#type()?;
        let mut parameters = Vec::new();
        while !self.take(b'E') {
            parameters.push(self.r#type()?);
        }
        if parameters == ["void"] {
            parameters.clear();
        }
        Some(format!("{result} (*)({})", parameters.join(", ")))
    }
}

fn builtin(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'v' => "void",
        b'w' => "wchar_t",
        b'b' => "bool",
        b'c' => "char",
        b'a' => "signed char",
        b'h' => "unsigned char",
        b's' => "short",
        b't' => "unsigned short",
        b'i' => "int",
        b'j' => "unsigned int",
        b'l' => "long",
        b'm' => "unsigned long",
        b'x' => "long long",
        b'y' => "unsigned long long",
        b'n' => "__int128",
        b'o' => "unsigned __int128",
        b'f' => "float",
        b'd' => "double",
        b'e' => "long double",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
