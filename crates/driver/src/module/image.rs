//! From an image that a program hands over to a program that the machine runs.

use std::sync::Arc;

use warpwise_fatbin::ImageError;
use warpwise_simt::{LoadError, Program};

use crate::error::Error;
use crate::module::Options;

/// Why an image cannot be loaded: the code, and what logs say.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) code: Error,
    pub(crate) log: String,
}

impl Refused {
    fn new(code: Error, log: impl Into<String>) -> Self {
        Self { code, log: log.into() }
    }

    /// Tells it in the caller's log, and returns the code.
    pub(crate) fn report(self, options: &Options) -> Error {
        options.failed(&self.log);
        if self.code == Error::NO_BINARY_FOR_GPU {
            eprintln!("warpwise: {}", self.log);
        } else {
            crate::edge::tell(|| self.log.clone());
        }
        self.code
    }

    /// A mistake in PTX, told as its assembler tells it.
    pub(crate) fn of_text(line: Option<u32>, message: &str) -> Self {
        let place = line.map_or_else(String::new, |line| format!(", line {line}"));
        let log = format!(
            "ptxas application ptx input{place}; error   : {message}\n\
             ptxas fatal   : Ptx assembly aborted due to errors\n"
        );
        Self::new(Error::INVALID_PTX, log)
    }

    fn of_image(error: &ImageError) -> Self {
        let only_machine_code = matches!(error, ImageError::MachineCodeOnly { .. });
        let code = if only_machine_code { Error::NO_BINARY_FOR_GPU } else { Error::INVALID_IMAGE };
        Self::new(code, error.to_string())
    }
}

/// The PTX in an image of that many bytes.
pub(crate) fn read_texts(image: &[u8], cc: (u32, u32)) -> Result<Vec<String>, Refused> {
    let found = warpwise_fatbin::ptx_of(image, cc.0 * 10 + cc.1).map_err(|error| Refused::of_image(&error))?;
    Ok(found.into_iter().map(|ptx| ptx.text).collect())
}

/// One text of several.
pub(crate) fn link_texts(texts: &[String]) -> Result<String, Refused> {
    let needed = texts.iter().map(String::as_str).filter(|text| !is_device_runtime(text));
    match needed.collect::<Vec<_>>()[..] {
        [one] => Ok(one.to_owned()),
        ref several => warpwise_ptx::link(several).map_err(|error| Refused::new(Error::INVALID_PTX, error.to_string())),
    }
}

/// What linked text says at its end of a limit on registers: a comment, which only the driver reads.
const REGISTERS_MARK: &str = "// at most this many registers: ";

/// Notes in a linked text how many registers threads may have.
pub(crate) fn mark_registers(text: &mut String, most: u32) {
    text.push_str(&format!("\n{REGISTERS_MARK}{most}\n"));
}

/// How many registers threads may have, if a linked text says.
pub(crate) fn marked_registers(text: &str) -> Option<u32> {
    text.lines().next_back()?.strip_prefix(REGISTERS_MARK)?.parse().ok()
}

/// Whether a text is CUDA's device runtime library, which compilers link to every program of several objects. Its
/// functions are built in; only it calls the system's own.
fn is_device_runtime(text: &str) -> bool {
    text.contains("__cuda_syscall_")
}

/// The first word of what host code registers: a wrapper that points to fatbinaries.
const WRAPPER: u32 = 0x466243b1;

/// The PTX in an image with no length given.
fn texts_at(image: *const u8, cc: (u32, u32)) -> Result<Vec<String>, Refused> {
    // SAFETY: not null, so by the contract of the API an image. None is shorter than three characters and their end.
    let word = unsafe { image.cast::<u32>().read_unaligned() };
    if word == WRAPPER {
        // SAFETY: by its first word a wrapper, whose images are part of the program.
        let images = unsafe { warpwise_fatbin::wrapper(image) }.map_err(|error| Refused::of_image(&error))?;
        let texts = images.into_iter().map(|image| read_texts(image, cc)).collect::<Result<Vec<_>, _>>()?;
        return Ok(texts.into_iter().flatten().collect());
    }
    // SAFETY: not null, so by the contract of the API an image, which says itself where it ends.
    let bytes = unsafe { std::slice::from_raw_parts(image, warpwise_fatbin::extent(image)) };
    read_texts(bytes, cc)
}

/// The program in an image with no length given.
pub(crate) fn read_image(image: *const u8, cc: (u32, u32)) -> Result<Arc<Program>, Refused> {
    let text = link_texts(&texts_at(image, cc)?)?;
    let program = Program::load(&text).map_err(|error| match &error {
        LoadError::Syntax(error) => Refused::of_text(Some(error.line), &error.message),
        LoadError::TooLarge { .. } => Refused::of_text(None, &error.to_string()),
    })?;
    Ok(Arc::new(program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_on_registers_passes_through_the_linker() {
        let mut text = "ret;".to_owned();
        assert_eq!(marked_registers(&text), None);
        mark_registers(&mut text, 38);
        assert_eq!(marked_registers(&text), Some(38));
    }

    #[test]
    fn the_device_runtime_is_left_out() {
        let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
        let kernel = format!("{head}.visible .entry k() {{ ret; }}\n");
        let library = format!(
            "{head}.extern .func __cuda_syscall_CGS_sync();\n\
             .visible .func cudaCGSynchronize() {{ call.uni __cuda_syscall_CGS_sync; ret; }}\n"
        );
        assert_eq!(link_texts(&[kernel.clone(), library]).ok(), Some(kernel));
    }
}
