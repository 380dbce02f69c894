//! Modules: PTX that the driver compiles for the GPU at hand.
//!
//! A driver takes seconds for a module of hundreds of kernels. Where kernels share no variables and call no functions,
//! each is given to it alone, when it is first launched; others go as a whole.

use super::error::{DriverError, driver};
use crate::device::DeviceError;
use cudarc::driver::sys::{CUfunction, CUfunction_attribute, CUjit_option, CUmodule};
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use warpwise_simt::Program;

/// Dynamic shared memory that a kernel may have without asking.
const PLAIN_SHARED: u32 = 48 * 1024;

/// A program and what the driver made of it.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) program: Arc<Program>,
    /// Whether kernels can be compiled one by one.
    divisible: bool,
    whole: Option<CUmodule>,
    kernels: HashMap<Box<str>, Function>,
}

// SAFETY: the driver's handles may be used from any thread.
unsafe impl Send for Loaded {}

/// A kernel that is ready to be launched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    pub(super) handle: CUfunction,
    /// Bytes of its parameters.
    pub(super) param_bytes: usize,
    /// Shared memory that it declares.
    pub(super) static_shared: u32,
    /// Whether it prints.
    pub(super) prints: bool,
    /// Dynamic shared memory it may have.
    shared: u32,
}

impl Function {
    /// Allows it that much dynamic shared memory.
    pub(super) fn allow_shared(&mut self, bytes: u32) -> Result<(), DriverError> {
        if self.shared < bytes {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            driver!(cuFuncSetAttribute(self.handle, attribute, bytes as i32))?;
            self.shared = bytes;
        }
        Ok(())
    }
}

impl Loaded {
    pub(super) fn new(program: Arc<Program>) -> Self {
        let module = program.module();
        let lone = module.entries().count() == module.functions.len() && module.aliases.is_empty();
        let divisible = lone && module.variables.iter().all(|v| v.space == warpwise_ptx::ast::Space::Shared);
        Self { program, divisible, whole: None, kernels: HashMap::new() }
    }

    /// Whether the kernel is compiled.
    pub(super) fn is_ready(&self, name: &str) -> bool {
        self.kernels.contains_key(name)
    }

    /// The kernel, compiled at its first use.
    pub(super) fn kernel(&mut self, name: &str) -> Result<&mut Function, DeviceError> {
        if !self.is_ready(name) {
            let function = self.make(name)?;
            self.kernels.insert(name.into(), function);
        }
        self.kernels.get_mut(name).ok_or_else(|| DeviceError::NoKernel(name.to_owned()))
    }

    fn make(&mut self, name: &str) -> Result<Function, DeviceError> {
        let program = Arc::clone(&self.program);
        let known = program.kernel(name).ok_or_else(|| DeviceError::NoKernel(name.to_owned()))?;
        let module = if self.divisible { compile(&excerpt(&program, name))? } else { self.whole()? };
        let mut handle = null_mut();
        let symbol = CString::new(name).unwrap_or_default();
        driver!(cuModuleGetFunction(&raw mut handle, module, symbol.as_ptr()))?;
        Ok(Function {
            handle,
            param_bytes: known.param_bytes as usize,
            static_shared: known.static_shared,
            prints: known.prints(),
            shared: PLAIN_SHARED,
        })
    }

    /// Address and size of a variable.
    pub(super) fn variable(&mut self, name: &str) -> Option<(u64, u64)> {
        let (mut at, mut bytes) = (0, 0);
        let symbol = CString::new(name).ok()?;
        driver!(cuModuleGetGlobal_v2(&raw mut at, &raw mut bytes, self.whole().ok()?, symbol.as_ptr())).ok()?;
        Some((at, bytes as u64))
    }

    fn whole(&mut self) -> Result<CUmodule, DeviceError> {
        if let Some(module) = self.whole {
            return Ok(module);
        }
        let module = compile(self.program.source())?;
        self.whole = Some(module);
        Ok(module)
    }
}

/// The text with one kernel only: what comes before the first kernel, this one, and what comes after the last (the
/// names of source files).
fn excerpt(program: &Program, name: &str) -> String {
    let text = program.source();
    let module = program.module();
    let starts: Vec<usize> = module.entries().map(|f| f.span.start as usize).collect();
    let Some(index) = module.entries().position(|f| &*f.name == name) else { return text.to_owned() };
    let last = starts[starts.len() - 1];
    let end = last + body_length(&text[last..]);
    let body_end = starts.get(index + 1).copied().unwrap_or(end);
    format!("{}{}{}", &text[..starts[0]], &text[starts[index]..body_end], &text[end..])
}

/// Bytes up to the brace that closes a kernel's body: scopes and vectors inside of it have braces too.
fn body_length(text: &str) -> usize {
    let mut depth = 0;
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        for (at, byte) in code.bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 1 => return length + at + 1,
                b'}' => depth -= 1,
                _ => {}
            }
        }
        length += line.len();
    }
    length
}

fn compile(ptx: &str) -> Result<CUmodule, DeviceError> {
    const LOG: usize = 8192;
    let source = CString::new(ptx).map_err(|_| DeviceError::Compile("the PTX has a zero byte in it".into()))?;
    let mut log = vec![0u8; LOG];
    let mut module = null_mut();
    let mut options = [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), LOG as *mut c_void];
    let count = options.len() as u32;
    let done = driver!(cuModuleLoadDataEx(
        &raw mut module,
        source.as_ptr().cast(),
        count,
        options.as_mut_ptr(),
        values.as_mut_ptr()
    ));
    done.map(|()| module).map_err(|error: DriverError| {
        let end = log.iter().position(|&byte| byte == 0).unwrap_or(LOG);
        match String::from_utf8_lossy(&log[..end]).trim() {
            "" => error.into(),
            log => DeviceError::Compile(format!("{error}\n{log}")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = ".version 6.0\n.target sm_70\n.address_size 64\n.extern .shared .align 16 .b8 bytes[];\n\
        .visible .entry one(.param .u64 p)\n{\n{\n}\n\tret;\n}\n.visible .entry two()\n{\n\t// {\n{\n}\n\tret;\n}\n\t.file\t1 \"k.cu\"\n";

    #[test]
    fn an_excerpt_has_one_kernel_and_the_files() {
        let program = Program::load(TWO).expect("it is PTX");
        for (name, other) in [("one", "two"), ("two", "one")] {
            let text = excerpt(&program, name);
            let cut = Program::load(&text).expect("an excerpt is PTX");
            assert_eq!(cut.kernels().iter().map(|k| &*k.name).collect::<Vec<_>>(), [name], "{text}");
            assert!(text.contains("bytes[]") && text.contains("k.cu") && !text.contains(other), "{text}");
        }
    }

    #[test]
    fn kernels_that_share_something_stay_together() {
        let divisible = |ptx: &str| Loaded::new(Arc::new(Program::load(ptx).expect("it is PTX"))).divisible;
        assert!(divisible(TWO));
        assert!(!divisible(&TWO.replace(".extern .shared .align 16 .b8 bytes[]", ".global .u32 counter")));
        assert!(!divisible(&format!("{TWO}.func helper()\n{{\n\tret;\n}}\n")));
    }
}
