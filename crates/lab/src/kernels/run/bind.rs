//! Fits arguments to a kernel's parameters.

use super::argument::Argument;
use super::element::ElementType;
use super::error::RunError;
use super::signature::{Kind, Parameter, Signature};

/// Checks number, size and kind of the arguments.
pub(super) fn check(signature: &Signature, arguments: &[Argument]) -> Result<(), RunError> {
    let problem = if arguments.len() == signature.parameters.len() {
        let pairs = signature.parameters.iter().zip(arguments).enumerate();
        pairs.filter_map(|(i, (p, a))| misfit(p, a).map(|why| format!("argument {i} ({}): {why}", a.kind()))).next()
    } else {
        let count = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
        let (takes, given) = (count(signature.parameters.len()), arguments.len());
        Some(format!("{} takes {takes}, {given} given", signature.name))
    };
    match problem {
        None => Ok(()),
        Some(problem) => {
            Err(RunError::Arguments { problem, signature: signature.to_string(), suggestion: signature.suggestion() })
        }
    }
}

/// Why an argument does not fit a parameter.
fn misfit(parameter: &Parameter, argument: &Argument) -> Option<String> {
    let size = u64::from(parameter.ptx.size);
    let shown = parameter.cxx.clone().unwrap_or_else(|| parameter.ptx.ty.to_string());
    match (argument, parameter.kind) {
        (Argument::Buffer { ty, .. }, Kind::Pointer(Some(element))) if !same_memory(*ty, element) => {
            Some(format!("the kernel takes {shown}, so the buffer holds {} values", element.name()))
        }
        (Argument::Buffer { .. }, Kind::Pointer(_) | Kind::Word) if size == 8 => None,
        (Argument::Buffer { .. }, _) => Some(format!("the kernel takes {shown}, not a buffer")),
        (Argument::Texture(_), Kind::Word | Kind::Scalar(ElementType::U64)) if size == 8 => None,
        (Argument::Texture(_), _) => Some(format!("the kernel takes {shown}, not a texture or surface object")),
        (Argument::Bytes(bytes), _) if bytes.len() as u64 == size => None,
        (Argument::Bytes(bytes), _) => Some(format!("the kernel takes {size} bytes, {} given", bytes.len())),
        (Argument::Struct(given), _) if given.bytes.len() as u64 == size => None,
        (Argument::Struct(given), _) => {
            let given = given.bytes.len();
            Some(format!("the kernel takes {size} bytes, and these members have {given} by the rules of C"))
        }
        (Argument::Scalar { .. }, Kind::Struct) => {
            Some(format!("the kernel takes a struct of {size} bytes; write {{MEMBER, ...}} or bytes=HEX"))
        }
        (Argument::Scalar { ty, .. }, Kind::Pointer(_)) if *ty != ElementType::U64 => {
            Some(format!("the kernel takes a pointer ({shown}), so it needs a buffer"))
        }
        (Argument::Scalar { ty, .. }, _) if ty.bytes() != size => {
            Some(format!("the kernel takes {shown}, which has {size} bytes"))
        }
        (Argument::Scalar { ty, .. }, Kind::Word) if ty.is_float() && parameter.ptx.ty.is_signed() => {
            Some(format!("the kernel takes {shown}; write i64=VALUE"))
        }
        (Argument::Scalar { ty, .. }, Kind::Scalar(wanted)) if ty.is_float() != wanted.is_float() => {
            Some(format!("the kernel takes {shown}; write {}=VALUE", wanted.name()))
        }
        (Argument::Scalar { .. }, _) => None,
    }
}

/// Whether a buffer of one type may stand for one of another: the same width and class. Bytes stand for anything.
fn same_memory(given: ElementType, wanted: ElementType) -> bool {
    let raw = given.bytes() == 1 || wanted.bytes() == 1;
    raw || (given.bytes() == wanted.bytes() && given.is_float() == wanted.is_float())
}

/// Writes a parameter's bytes into the parameter block.
pub(super) fn place(block: &mut Vec<u8>, parameter: &Parameter, bytes: &[u8]) {
    let start = parameter.ptx.offset as usize;
    let end = start + bytes.len();
    if block.len() < end {
        block.resize(end, 0);
    }
    block[start..end].copy_from_slice(bytes);
}
