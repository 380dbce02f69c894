//! What a program brings along: whether it can run on our driver is seen before it starts.

use super::ProgramError;
use object::{Object, ObjectSymbol};
use std::path::Path;
use warpwise_fatbin::{ImageError, ptx_of};

/// A function that NVIDIA's runtime defines, and one that host code of nvcc calls.
const ALLOCATE: &str = "cudaMalloc";
const REGISTER: &str = "__cudaRegisterFatBinary";
/// The section with the images that host code registers.
const SEGMENT: &str = ".nvFatBinSegment";

/// Refuses a program that has NVIDIA's runtime in it, or machine code and no PTX.
pub(super) fn examine(path: &Path, cc: u32) -> Result<(), ProgramError> {
    let bytes = std::fs::read(path).map_err(|problem| ProgramError::Read { path: path.to_owned(), problem })?;
    // A script is for its interpreter.
    let Ok(file) = object::File::parse(&*bytes) else { return Ok(()) };
    if has_runtime(&file) {
        return Err(ProgramError::StaticRuntime { path: path.to_owned() });
    }
    match ptx_of(&bytes, cc) {
        Err(ImageError::MachineCodeOnly { .. }) => Err(ProgramError::NoPtx { path: path.to_owned(), cc }),
        // What is not understood is left to the driver.
        _ => Ok(()),
    }
}

/// Whether NVIDIA's runtime is in the file itself: it defines its functions, or, if the names were stripped, it has
/// images and asks nobody else to register them.
fn has_runtime(file: &object::File<'_>) -> bool {
    let names = |name: &str| name == ALLOCATE || name == REGISTER;
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    let defines = symbols.any(|symbol| symbol.is_definition() && symbol.name().is_ok_and(names));
    let imports = || file.dynamic_symbols().any(|s| s.is_undefined() && s.name().is_ok_and(|name| name == REGISTER));
    defines || (file.section_by_name(SEGMENT).is_some() && !imports())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_without_cuda_are_fine() {
        assert!(examine(&std::env::current_exe().expect("a test is a program"), 90).is_ok());
        assert!(examine(Path::new("/bin/sh"), 90).is_ok());
        assert!(examine(Path::new("/no/such/file"), 90).is_err());
    }
}
