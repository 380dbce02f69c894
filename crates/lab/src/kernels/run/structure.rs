//! Structs as arguments: `{u32=5, f32=2.5, ptr:f32[100]:iota}`, laid out by the rules of C.
//!
//! A member is a scalar, an array inside the struct (`f32[3]:list:1,2,3`), a pointer to a buffer (`ptr:` before it),
//! another struct, or bytes. Each member is at a multiple of its alignment, and the struct's size is a multiple of the
//! largest.

use super::argument::{self, Argument};
use super::element::ElementType;
use super::fill::Fill;

/// Deepest nesting of structs.
const DEEPEST: usize = 32;
/// Bytes of an array inside a struct, or of a variable.
const LARGEST: u64 = 1 << 30;

/// A struct by value.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Its bytes, little-endian, padding included; pointers are zero until their buffers have addresses.
    pub bytes: Vec<u8>,
    /// Its alignment.
    pub align: u64,
    /// The buffers that its members point to.
    pub pointers: Vec<Pointer>,
}

/// A member that points to a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// Its offset in the struct.
    pub offset: usize,
    /// Its number among the members, from 0; of a struct inside the struct, `1.0`.
    pub member: String,
    /// Element type of the buffer.
    pub ty: ElementType,
    /// Elements of the buffer.
    pub len: u64,
    /// What the buffer holds at the start.
    pub fill: Fill,
}

impl Struct {
    /// Reads a struct in braces.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.bytes().filter(|&b| b == b'{').count() > DEEPEST {
            return Err(format!("a struct has at most {DEEPEST} braces"));
        }
        let inside = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let parts = members(inside.ok_or("the `{` is not closed")?)?;
        let mut whole = Self { bytes: Vec::new(), align: 1, pointers: Vec::new() };
        for (number, part) in parts.iter().enumerate() {
            let part = part.trim();
            whole.add(number, part).map_err(|problem| format!("member {number} ({part}): {problem}"))?;
        }
        whole.pad(whole.align);
        Ok(whole)
    }

    /// A variable's contents: the same as a struct with one member.
    pub(super) fn single(text: &str) -> Result<Self, String> {
        let mut whole = Self { bytes: Vec::new(), align: 1, pointers: Vec::new() };
        whole.add(0, text.trim())?;
        Ok(whole)
    }

    fn add(&mut self, number: usize, text: &str) -> Result<(), String> {
        if let Some(buffer) = text.strip_prefix("ptr:") {
            let Argument::Buffer { ty, len, fill } = argument::parse(buffer.trim())? else {
                return Err("`ptr:` comes before a buffer, such as ptr:f32[100]:zeros".into());
            };
            let offset = self.place(8, &[0; 8]);
            self.pointers.push(Pointer { offset, member: number.to_string(), ty, len, fill });
            return Ok(());
        }
        match argument::parse(text)? {
            Argument::Scalar { ty, bytes } => {
                self.place(ty.bytes(), &bytes);
            }
            Argument::Bytes(bytes) => {
                self.place(1, &bytes);
            }
            Argument::Struct(inner) => {
                let base = self.place(inner.align, &inner.bytes);
                for pointer in inner.pointers {
                    let member = format!("{number}.{}", pointer.member);
                    self.pointers.push(Pointer { offset: base + pointer.offset, member, ..pointer });
                }
            }
            Argument::Texture(_) => {
                return Err("a texture is an argument of its own: its handle cannot be inside a struct here".into());
            }
            Argument::Buffer { fill: Fill::Uninit, .. } => {
                return Err("an array inside needs values: `uninit` is for buffers".into());
            }
            Argument::Buffer { ty, len, fill } => {
                if len.saturating_mul(ty.bytes()) > LARGEST {
                    return Err(format!(
                        "{len} elements are too many here: a buffer is written ptr:{}[...]",
                        ty.name()
                    ));
                }
                let mut array = vec![0; (len * ty.bytes()) as usize];
                let stream = (number as u64 + 1) << 40;
                fill.write(ty, len, stream, |offset, bytes| {
                    array[offset as usize..][..bytes.len()].copy_from_slice(bytes);
                    Ok::<_, std::io::Error>(())
                })
                .map_err(|problem| problem.to_string())?;
                self.place(ty.bytes(), &array);
            }
        }
        Ok(())
    }

    /// Appends a member and returns its offset.
    fn place(&mut self, align: u64, bytes: &[u8]) -> usize {
        self.align = self.align.max(align);
        self.pad(align);
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        offset
    }

    fn pad(&mut self, align: u64) {
        let end = (self.bytes.len() as u64).next_multiple_of(align);
        self.bytes.resize(end as usize, 0);
    }
}

/// The members of a struct: separated by commas outside inner braces. What follows a comma in a list or path belongs to
/// it, unless it begins like a member.
fn members(text: &str) -> Result<Vec<&str>, String> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1).ok_or("there is a `}` too many")?,
            ',' if depth == 0 => {
                let so_far = &text[start..at];
                let open = so_far.contains(":list:") || so_far.contains(":file:");
                if !open || begins_like_a_member(&text[at + 1..]) {
                    found.push(so_far);
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err("the `{` is not closed".into());
    }
    found.push(&text[start..]);
    if found.iter().any(|part| part.trim().is_empty()) {
        return Err("a member is missing: write {u32=5, f32=2.5}".into());
    }
    Ok(found)
}

fn begins_like_a_member(text: &str) -> bool {
    let text = text.trim_start();
    let word = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let named = ElementType::parse(&text[..word]).is_ok() || &text[..word] == "bytes";
    text.starts_with('{') || text.starts_with("ptr:") || (named && text[word..].trim_start().starts_with(['=', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        Struct::parse(text).unwrap_or_else(|problem| panic!("{text}: {problem}")).bytes
    }

    #[test]
    fn members_are_where_c_puts_them() {
        assert_eq!(bytes("{u32=5, f32=2.5}"), [5, 0, 0, 0, 0, 0, 0x20, 0x40]);
        // char, double, char: 24 bytes.
        let padded = bytes("{u8=1, f64=0, u8=2}");
        assert_eq!((padded.len(), padded[0], padded[16]), (24, 1, 2));
        // A struct inside is aligned as its largest member, and padded to it.
        let nested = bytes("{u8=1, {u16=2, u8=3}, u8=4}");
        assert_eq!(nested, [1, 0, 2, 0, 3, 0, 4, 0]);
        assert_eq!(bytes("{u8=1, u16[3]:list:1,2,3, u32=9}"), [1, 0, 1, 0, 2, 0, 3, 0, 9, 0, 0, 0]);
        assert_eq!(bytes("{ u8=1, bytes=aabb, u8 = 2 }"), [1, 0xaa, 0xbb, 2]);
        assert_eq!(bytes("{u8[]:list:1,2, {u8=3}}"), [1, 2, 3]);
    }

    #[test]
    fn pointers_lead_to_buffers() {
        let whole = Struct::parse("{u32=5, ptr:f32[100]:iota, {u8=1, ptr:i32[]:list:1,2,3}, u8=7}").unwrap();
        assert_eq!((whole.bytes.len(), whole.align), (40, 8));
        let told: Vec<_> = whole.pointers.iter().map(|p| (p.offset, p.member.as_str(), p.ty.name(), p.len)).collect();
        assert_eq!(told, [(8, "1", "f32", 100), (24, "2.1", "i32", 3)]);
        assert!(whole.bytes[8..16].iter().all(|&b| b == 0));
    }

    #[test]
    fn mistakes_name_the_member() {
        for (text, problem) in [
            ("{}", "a member is missing"),
            ("{u32=5,}", "a member is missing"),
            ("{u32=5", "not closed"),
            ("{{u32=5}", "not closed"),
            ("{u32=5}}", "too many"),
            ("{u32=5, float=2}", "member 1 (float=2): `float` is not a type"),
            ("{ptr:u32=5}", "member 0 (ptr:u32=5): `ptr:` comes before a buffer"),
            ("{f32[2]:uninit}", "`uninit` is for buffers"),
            ("{f32[2^40]:zeros}", "too many here"),
            ("{u32=5, {u8=300}}", "member 0 (u8=300): `300` does not fit u8"),
        ] {
            let error = Struct::parse(text).unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
        }
        assert!(Struct::parse(&"{".repeat(100_000)).unwrap_err().contains("at most 32"));
    }
}
