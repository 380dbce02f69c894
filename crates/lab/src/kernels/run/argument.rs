//! The argument language: `u32=16777216`, `f32[2^20]:random:0:1`.

use super::element::ElementType;
use super::fill::Fill;
use super::number::parse_count;
use super::structure::Struct;
use super::texture::TextureArgument;

/// An argument of a kernel, as `--arg` gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A value: `f32=0.5`.
    Scalar {
        /// Its type.
        ty: ElementType,
        /// Little-endian.
        bytes: Vec<u8>,
    },
    /// A struct by value, byte for byte: `bytes=00ff10`.
    Bytes(Vec<u8>),
    /// A struct by value, member by member: `{u32=5, ptr:f32[100]:iota}`.
    Struct(Struct),
    /// A texture or surface: `tex2d=photo.png`.
    Texture(TextureArgument),
    /// A buffer: `f32[1024]:zeros`.
    Buffer {
        /// Element type.
        ty: ElementType,
        /// Elements.
        len: u64,
        /// What it holds at the start.
        fill: Fill,
    },
}

/// An argument that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "argument {index} (`--arg {text}`): {problem}.\nA scalar is TYPE=VALUE, such as u32=16777216 or f32=0.5; a buffer is TYPE[LEN]:FILL, such as f32[2^20]:random:0:1, with FILL one of zeros, ones, iota, uninit, random:LO:HI, list:1,2,3, file:PATH; a struct is {{MEMBER, ...}}, such as {{u32=5, ptr:f32[100]:iota}}, or bytes=HEX."
)]
pub struct ArgumentError {
    /// Its index in kernel order, from 0.
    pub index: usize,
    /// As written.
    pub text: String,
    /// What is wrong.
    pub problem: String,
}

impl Argument {
    /// Reads the argument at an index in kernel order.
    pub fn parse(index: usize, text: &str) -> Result<Self, ArgumentError> {
        parse(text.trim()).map_err(|problem| ArgumentError { index, text: text.to_owned(), problem })
    }

    /// What it is, in short: `f32[1024]`, `u32`.
    pub fn kind(&self) -> String {
        match self {
            Self::Scalar { ty, .. } => ty.name().to_owned(),
            Self::Bytes(bytes) => format!("{} bytes", bytes.len()),
            Self::Struct(members) => format!("a struct of {} bytes", members.bytes.len()),
            Self::Texture(object) => object.kind(),
            Self::Buffer { ty, len, .. } => format!("{}[{len}]", ty.name()),
        }
    }
}

/// Reads an argument, or a member of a struct.
pub(super) fn parse(text: &str) -> Result<Argument, String> {
    if text.starts_with('{') {
        return Struct::parse(text).map(Argument::Struct);
    }
    if let Some(object) = TextureArgument::parse(text) {
        return object.map(Argument::Texture);
    }
    // A buffer's bracket comes before any `=` (a path or list may hold one).
    let bracket = text.find('[').unwrap_or(usize::MAX);
    let equals = text.find('=').unwrap_or(usize::MAX);
    if equals < bracket {
        let (name, value) = (&text[..equals], &text[equals + 1..]);
        if name.trim() == "bytes" {
            return parse_hex(value).map(Argument::Bytes);
        }
        let ty = ElementType::parse(name.trim())?;
        let mut bytes = Vec::new();
        ty.encode_text(value, &mut bytes)?;
        return Ok(Argument::Scalar { ty, bytes });
    }
    if bracket == usize::MAX {
        return Err("it is neither a scalar nor a buffer".into());
    }
    let ty = ElementType::parse(text[..bracket].trim())?;
    let close = text[bracket..].find(']').map(|c| c + bracket).ok_or("the `[` is not closed")?;
    let fill = text[close + 1..].strip_prefix(':').ok_or("a buffer needs `:FILL` after its length")?;
    let length = text[bracket + 1..close].trim();
    let stated = if length.is_empty() { None } else { Some(parse_count(length)?) };
    let (fill, implied) = Fill::parse(fill, ty)?;
    let len = match (stated, implied) {
        (Some(stated), Some(implied)) if fill.must_match() && stated != implied => {
            return Err(format!("the length is {stated}, but the file holds {implied}"));
        }
        (Some(stated), Some(implied)) if implied > stated => {
            return Err(format!("the length is {stated}, but the list has {implied}"));
        }
        (Some(stated), _) => stated,
        (None, Some(implied)) => implied,
        (None, None) => return Err("the length is missing".into()),
    };
    if len.checked_mul(ty.bytes()).is_none_or(|bytes| bytes > i64::MAX.unsigned_abs()) {
        return Err(format!("{len} elements are more than any memory holds"));
    }
    Ok(Argument::Buffer { ty, len, fill })
}

fn parse_hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = text.trim().trim_start_matches("0x").bytes().filter(|b| *b != b'_' && *b != b' ').collect();
    let value = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(|c| Some(value(c[0])? << 4 | value(*c.get(1)?)?)).collect();
    bytes.filter(|b| !b.is_empty()).ok_or_else(|| format!("`{text}` is not a row of two-digit hexadecimal bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_and_buffers_are_read() {
        let scalar = Argument::parse(0, "u32=2^24").unwrap();
        assert_eq!(scalar, Argument::Scalar { ty: ElementType::U32, bytes: vec![0, 0, 0, 1] });
        assert_eq!(Argument::parse(0, "bytes=00ff 10").unwrap(), Argument::Bytes(vec![0, 255, 16]));
        for (text, kind) in [
            ("f32[2^10]:zeros", "f32[1024]"),
            ("i64[1e3]:iota", "i64[1000]"),
            ("u8[16*16]:uninit", "u8[256]"),
            ("f16[4]:ones", "f16[4]"),
            ("i32[]:list:1,-2,3", "i32[3]"),
            ("i32[8]:list:1,2", "i32[8]"),
            ("i32[0]:zeros", "i32[0]"),
            ("f64[5]:random:-1:1", "f64[5]"),
            (" f32 [ 4 ]:zeros", "f32[4]"),
        ] {
            assert_eq!(Argument::parse(0, text).unwrap().kind(), kind, "{text}");
        }
    }

    #[test]
    fn no_text_breaks_the_reader() {
        let pieces = [
            "f32", "u8", "bf16", "[", "]", ":", "=", "random", "list", "file", "iota", "-", "2^", "64", "1e", "9", "*",
            ",", "0x", "nan", "é", "bytes", "{", "}", "ptr:",
        ];
        let mut state = 1u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..10 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            let _ = Argument::parse(0, &text);
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, problem) in [
            ("f32", "neither a scalar nor a buffer"),
            ("", "neither"),
            ("float=3", "`float` is not a type"),
            ("u32=-1", "does not fit u32"),
            ("u32=1.5", "not a whole number"),
            ("f32[4]", "needs `:FILL`"),
            ("f32[4:zeros", "not closed"),
            ("f32[]:zeros", "length is missing"),
            ("f32[x]:zeros", "not a whole number"),
            ("f32[4]:nothing", "`nothing` is not a fill"),
            ("f32[4]:random", "random:LO:HI"),
            ("f32[4]:random:1", "random:LO:HI"),
            ("i32[4]:random:5:1", "above"),
            ("i32[4]:random:0:0.5", "not a whole number"),
            ("u8[4]:random:0:256", "does not fit"),
            ("f32[4]:random:0:inf", "finite"),
            ("i32[1]:list:1,2", "the list has 2"),
            ("i32[2]:list:1,x", "not a whole number"),
            ("f32[2^61]:zeros", "more than any memory"),
            ("f32[4]:file:/no/such/file", "/no/such/file"),
            ("bytes=abc", "two-digit hexadecimal"),
            ("bytes=", "two-digit hexadecimal"),
            ("{u32=5", "the `{` is not closed"),
            ("{u32=5, u32}", "member 1 (u32): it is neither"),
        ] {
            let error = Argument::parse(3, text).unwrap_err();
            assert!(error.problem.contains(problem), "{text}: {}", error.problem);
            assert!(error.to_string().starts_with("argument 3 (`--arg "), "{error}");
        }
    }
}
