//! The list of primitives.

use super::Primitive;
use crate::Error;

// `PRIMITIVES`, made by the build script from the modules that `lib.rs` declares and that have a description.
include!(concat!(env!("OUT_DIR"), "/primitives.rs"));

/// The primitive of that name; an error lists the valid names.
///
/// ```
/// assert_eq!(warpwise::primitive::find("scan")?.name, "scan");
/// assert!(warpwise::primitive::find("skan").unwrap_err().to_string().contains("use one of vecadd, reduce"));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn find(name: &str) -> Result<&'static Primitive, Error> {
    PRIMITIVES.iter().copied().find(|primitive| primitive.name == name).ok_or_else(|| Error::UnknownPrimitive {
        name: name.to_owned(),
        known: PRIMITIVES.iter().map(|primitive| primitive.name).collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_everything_is_said() {
        for (at, primitive) in PRIMITIVES.iter().enumerate() {
            assert!(!PRIMITIVES[..at].contains(primitive), "{} is listed twice", primitive.name);
            assert!(!primitive.about.is_empty() && !primitive.lesson.is_empty(), "{}", primitive.name);
            assert!(!primitive.variants.is_empty(), "{}", primitive.name);
            assert!(!primitive.computes() || !primitive.inputs.is_empty(), "{}", primitive.name);
            for parameter in primitive.parameters {
                assert_eq!(parameter.check(parameter.default), Ok(()), "{} {}", primitive.name, parameter.name);
            }
        }
    }
}
