//! The arguments of a launch, as the comments of a test file give them.

use super::values::{Type, Value};

/// What every byte of a buffer holds before a launch that should fill it.
pub(crate) const POISON: u8 = 0xa5;

/// An argument of a launch.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Scalar(Vec<u8>),
    Buffer(Vec<u8>),
}

/// A number of any kind.
pub(crate) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number"))
}

/// `X`, `X,Y` or `X,Y,Z`.
pub(crate) fn dimensions(text: &str) -> Result<[u32; 3], String> {
    let mut sizes = [1; 3];
    for (place, size) in sizes.iter_mut().zip(text.split(',')) {
        *place = number(size)?;
    }
    Ok(sizes)
}

/// `u32=5`, or `u32[8]:FILL` with one of the fills `zeros`, `ones`, `iota`, `uninit`, `list:1,2,3`.
pub(crate) fn argument(text: &str) -> Result<Argument, String> {
    if let Some((ty, value)) = text.split_once('=') {
        let ty = Type::parse(ty)?;
        return Ok(Argument::Scalar(ty.bits(value)?.to_le_bytes()[..ty.size()].to_vec()));
    }
    let (shape, fill) = text.split_once(':').ok_or("expected `TYPE=VALUE` or `TYPE[LEN]:FILL`")?;
    let (ty, length) = shape.strip_suffix(']').and_then(|shape| shape.split_once('[')).ok_or("expected `TYPE[LEN]`")?;
    let (ty, length) = (Type::parse(ty)?, number::<usize>(length)?);
    let bits: Vec<u64> = match fill.split_once(':').unwrap_or((fill, "")) {
        ("uninit", _) => return Ok(Argument::Buffer(vec![POISON; length * ty.size()])),
        ("zeros", _) => vec![0; length],
        ("ones", _) => vec![ty.bits("1")?; length],
        ("iota", _) => (0..length).map(|i| ty.bits(&i.to_string())).collect::<Result<_, _>>()?,
        ("list", values) => {
            let bits = ty.list(values)?.into_iter().map(|value| match value {
                Value::Bits(bits) => Ok(bits),
                Value::Nan | Value::Any => Err("an input needs its bits".to_owned()),
            });
            bits.collect::<Result<_, _>>()?
        }
        (fill, _) => return Err(format!("unknown fill `{fill}`")),
    };
    if bits.len() != length {
        return Err(format!("{} values for a buffer of {length}", bits.len()));
    }
    Ok(Argument::Buffer(bits.iter().flat_map(|bits| bits.to_le_bytes()[..ty.size()].to_vec()).collect()))
}
