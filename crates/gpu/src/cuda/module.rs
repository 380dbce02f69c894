//! Modules: PTX that the driver compiles for the GPU at hand.
//!
//! A driver takes seconds to compile a module of hundreds of kernels. If kernels share no variables, each is compiled
//! at its first launch, with the functions it calls; other modules are compiled as a whole.

use super::api::{CUfunction, CUmodule};
use super::error::{DriverError, Failure, driver};
use crate::{DeviceError, ModuleSource};
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use warpwise_ptx::ast::{self, Operand, Space, Symbol};

/// Shared memory that a kernel may have, declared and dynamic, without asking.
const PLAIN_SHARED: u32 = 48 * 1024;
/// Attributes of a function: `CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES`, `..._MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const STATIC_SHARED: u32 = 1;
const MAX_DYNAMIC_SHARED: u32 = 8;
/// Options of the driver's compiler: `CU_JIT_ERROR_LOG_BUFFER`, `..._SIZE_BYTES`.
const ERROR_LOG: u32 = 5;
const ERROR_LOG_BYTES: u32 = 6;

/// A module and its compiled kernels.
#[derive(Debug)]
pub(super) struct Loaded {
    source: Arc<dyn ModuleSource>,
    /// Whether kernels can be compiled one by one; determined when the first is.
    divisible: Option<bool>,
    whole: Option<CUmodule>,
    kernels: HashMap<Box<str>, Function>,
}

// SAFETY: the driver's handles may be used from any thread.
unsafe impl Send for Loaded {}

/// A kernel ready to be launched.
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
            driver!(cuFuncSetAttribute(self.handle, MAX_DYNAMIC_SHARED, bytes as i32))?;
            self.shared = bytes;
        }
        Ok(())
    }
}

impl Loaded {
    pub(super) fn new(source: Arc<dyn ModuleSource>) -> Self {
        Self { source, divisible: None, whole: None, kernels: HashMap::new() }
    }

    /// Whether the kernel is compiled.
    pub(super) fn is_ready(&self, name: &str) -> bool {
        self.kernels.contains_key(name)
    }

    /// The kernel, compiled at its first use.
    pub(super) fn kernel(&mut self, name: &str) -> Result<&mut Function, Failure> {
        if !self.is_ready(name) {
            let function = self.make(name)?;
            self.kernels.insert(name.into(), function);
        }
        self.kernels.get_mut(name).ok_or_else(|| DeviceError::NoKernel(name.to_owned()).into())
    }

    fn make(&mut self, name: &str) -> Result<Function, Failure> {
        let source = Arc::clone(&self.source);
        let no_kernel = || DeviceError::NoKernel(name.to_owned());
        let text = source.text_for(name).ok_or_else(no_kernel)?;
        let read = read(&text)?;
        let entry = read.function(name).ok_or_else(no_kernel)?;
        let module = if self.is_divisible()? { compile(&text)? } else { self.whole()? };
        let mut handle = null_mut();
        let symbol = CString::new(name).unwrap_or_default();
        driver!(cuModuleGetFunction(&raw mut handle, module, symbol.as_ptr()))?;
        let mut static_shared = 0;
        driver!(cuFuncGetAttribute(&raw mut static_shared, STATIC_SHARED, handle))?;
        Ok(Function {
            handle,
            param_bytes: param_bytes(entry),
            static_shared: static_shared.unsigned_abs(),
            prints: prints(&read),
            shared: PLAIN_SHARED.saturating_sub(static_shared.unsigned_abs()),
        })
    }

    /// Address and size of a variable.
    pub(super) fn variable(&mut self, name: &str) -> Option<(u64, u64)> {
        let (mut at, mut bytes) = (0, 0);
        let symbol = CString::new(name).ok()?;
        driver!(cuModuleGetGlobal_v2(&raw mut at, &raw mut bytes, self.whole().ok()?, symbol.as_ptr())).ok()?;
        Some((at, bytes as u64))
    }

    fn is_divisible(&mut self) -> Result<bool, DeviceError> {
        if let Some(known) = self.divisible {
            return Ok(known);
        }
        let shared = read(&self.source.declarations())?.variables.iter().any(|v| v.space != Space::Shared);
        self.divisible = Some(!shared);
        Ok(!shared)
    }

    fn whole(&mut self) -> Result<CUmodule, Failure> {
        if let Some(module) = self.whole {
            return Ok(module);
        }
        let module = compile(&self.source.whole())?;
        self.whole = Some(module);
        Ok(module)
    }
}

fn read(ptx: &str) -> Result<ast::Module, DeviceError> {
    warpwise_ptx::parse(ptx).map_err(|problem| DeviceError::Module(problem.to_string()))
}

/// Bytes of a kernel's parameters: each is at a multiple of its alignment.
fn param_bytes(kernel: &ast::Function) -> usize {
    let end = kernel.params.iter().fold(0, |end: u64, parameter| {
        let variable = &parameter.variable;
        end.next_multiple_of(u64::from(variable.align.max(1))).saturating_add(variable.size)
    });
    usize::try_from(end).unwrap_or(usize::MAX)
}

/// Whether a kernel may print: a function in its text calls the driver's `vprintf`.
fn prints(module: &ast::Module) -> bool {
    let names = |operand: &Operand| matches!(operand, Operand::Symbol(Symbol::Module(name), _) if &**name == "vprintf");
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    bodies.flat_map(|body| &body.instructions).any(|i| &*i.opcode == "call" && i.operands.iter().any(names))
}

fn compile(ptx: &str) -> Result<CUmodule, Failure> {
    const LOG: usize = 8192;
    let source = CString::new(ptx).map_err(|_| DeviceError::Compile("the PTX has a zero byte in it".into()))?;
    let mut log = vec![0u8; LOG];
    let mut module = null_mut();
    let mut options = [ERROR_LOG, ERROR_LOG_BYTES];
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
            log => DeviceError::Compile(format!("{error}\n{log}")).into(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PtxText;

    const TWO: &str = ".version 6.0\n.target sm_70\n.address_size 64\n.extern .shared .align 16 .b8 bytes[];\n\
        .extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 list);\n.func helper()\n{\n\tret;\n}\n\
        .visible .entry one(.param .u8 a, .param .u64 b, .param .align 4 .b8 c[6])\n{\n\tcall helper;\n\tret;\n}\n\
        .visible .entry two()\n{\n\t.reg .b64 %rd;\n\t.param .b64 f;\n\t.param .b64 l;\n\t.param .b32 r;\n\
        \tcall.uni (r), vprintf, (f, l);\n\tret;\n}\n";

    #[test]
    fn what_a_launch_needs_is_read_off_the_kernels_text() {
        let source = PtxText::new(TWO);
        let facts = |name: &str| {
            let module = read(&source.text_for(name).expect("it is there")).expect("it is PTX");
            let entry = module.function(name).expect("it is there");
            (param_bytes(entry), prints(&module))
        };
        assert_eq!(facts("one"), (22, false));
        assert_eq!(facts("two"), (0, true));
    }

    #[test]
    fn kernels_that_share_variables_stay_together() {
        let divisible = |ptx: String| Loaded::new(Arc::new(PtxText::new(ptx))).is_divisible().expect("it is PTX");
        assert!(divisible(TWO.to_owned()));
        assert!(!divisible(TWO.replace(".extern .shared .align 16 .b8 bytes[]", ".global .u32 counter")));
    }
}
