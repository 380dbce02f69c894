//! Code: modules, libraries, and the kernels and variables in them.

mod attributes;
mod function;
mod image;
mod jit;
mod library;
mod load;

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;

use warpwise_simt::{KernelFacts, KernelId, ModuleId, Program};
use warpwise_trace::KernelKey;

use crate::error::{Error, Outcome};
use crate::launch::Legacy;
use crate::state::State;

pub(crate) use image::{Refused, link_texts, mark_registers, read_image, read_texts};
pub(crate) use jit::Options;

/// The functions of the API.
pub(crate) mod api {
    pub use super::attributes::*;
    pub use super::function::*;
    pub use super::library::*;
    pub use super::load::*;
}

/// A loaded module.
pub(crate) struct Module {
    /// The context that it is unloaded with; 0 if it is of a library.
    pub(crate) context: u64,
    /// The library that it is of, or 0.
    pub(crate) library: u64,
    /// Its place on the machine.
    pub(crate) id: ModuleId,
    pub(crate) program: Arc<Program>,
    /// Handles of its functions, by name.
    functions: HashMap<String, u64>,
    /// Its number in the trace.
    number: u32,
    /// Registers that its threads may have, where the program that loaded it has said so.
    max_registers: Option<u32>,
}

/// A library: a module that is of no context.
pub(crate) struct Library {
    pub(crate) module: u64,
}

/// A kernel: `CUfunction`, and `CUkernel` too.
pub(crate) struct Function {
    pub(crate) name: CString,
    pub(crate) module: u64,
    pub(crate) kernel: KernelId,
    /// Offset and size of every parameter.
    pub(crate) parameters: Vec<(usize, usize)>,
    pub(crate) parameter_bytes: usize,
    pub(crate) facts: KernelFacts,
    pub(crate) program: Arc<Program>,
    /// What programs may set.
    pub(crate) settings: Settings,
    /// What the calls of CUDA 3 and before have set for its next launch.
    pub(crate) legacy: Legacy,
    /// Where its launches are summed.
    pub(crate) key: KernelKey,
}

/// Attributes of a function that can be set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Dynamic shared memory that it may have; `None` for as much as fits beside the static in 48 KiB.
    pub(crate) dynamic_shared: Option<u32>,
    pub(crate) carveout: i32,
    pub(crate) cluster: [i32; 3],
    pub(crate) large_clusters: i32,
    pub(crate) cluster_policy: i32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { dynamic_shared: None, carveout: -1, cluster: [0; 3], large_clusters: 0, cluster_policy: 0 }
    }
}

impl Module {
    /// Its number in the trace.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }
}

impl State {
    /// Loads a program as a module.
    pub(crate) fn load_module(
        &mut self,
        program: Arc<Program>,
        context: u64,
        library: u64,
        options: &Options,
    ) -> Outcome<u64> {
        let id = self.machine.load(Arc::clone(&program)).map_err(|error| {
            crate::edge::tell(|| error.to_string());
            Error::OUT_OF_MEMORY
        })?;
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.trace.module(program.source(), || warpwise_trace::Module {
            module: number,
            kernels: program.kernels().iter().map(|kernel| kernel.name.to_string()).collect(),
            ..warpwise_trace::Module::default()
        });
        let max_registers = options.max_registers().or_else(|| image::marked_registers(program.source()));
        let functions = HashMap::new();
        Ok(self.modules.add(Module { context, library, id, program, functions, number, max_registers }))
    }

    /// Unloads a module with its functions.
    pub(crate) fn unload_module(&mut self, module: u64) -> Outcome {
        let module = self.modules.remove(module)?;
        for function in module.functions.into_values() {
            let _ = self.functions.remove(function);
        }
        let _ = self.machine.unload(module.id);
        Ok(())
    }

    /// Puts the variables of libraries back to their first values, after their context has gone.
    pub(crate) fn restore_libraries(&mut self) {
        let modules = self.modules.handles(|module| module.library != 0);
        for handle in modules {
            let Ok(module) = self.modules.get_mut(handle) else { continue };
            let _ = self.machine.unload(module.id);
            let Ok(id) = self.machine.load(Arc::clone(&module.program)) else { continue };
            module.id = id;
            for function in module.functions.values() {
                if let Ok(function) = self.functions.get_mut(*function)
                    && let Some(kernel) = self.machine.kernel(id, &function.name.to_string_lossy())
                {
                    function.kernel = kernel;
                }
            }
        }
    }

    /// The handle of a kernel of a module.
    pub(crate) fn function_of(&mut self, handle: u64, name: &str) -> Outcome<u64> {
        let module = self.modules.get(handle)?;
        if let Some(&known) = module.functions.get(name) {
            return Ok(known);
        }
        let program = Arc::clone(&module.program);
        let (id, number, max_registers) = (module.id, module.number, module.max_registers);
        let kernel = program.kernel(name).ok_or(Error::NOT_FOUND)?;
        let function = Function {
            name: CString::new(name).map_err(|_| Error::INVALID_VALUE)?,
            module: handle,
            kernel: self.machine.kernel(id, name).ok_or(Error::NOT_FOUND)?,
            parameters: kernel.params.iter().map(|p| (p.offset as usize, p.size as usize)).collect(),
            parameter_bytes: kernel.param_bytes as usize,
            facts: KernelFacts {
                registers: max_registers.unwrap_or(u32::MAX).min(program.facts(kernel).registers),
                ..program.facts(kernel)
            },
            settings: Settings::default(),
            legacy: Legacy::default(),
            key: self.trace.writer().kernel(number, name),
            program: Arc::clone(&program),
        };
        let function = self.functions.add(function);
        self.modules.get_mut(handle)?.functions.insert(name.to_owned(), function);
        Ok(function)
    }

    /// The handles of all kernels of a module, in the order of its text.
    pub(crate) fn functions_of(&mut self, module: u64) -> Outcome<Vec<u64>> {
        let program = Arc::clone(&self.modules.get(module)?.program);
        program.kernels().iter().map(|kernel| self.function_of(module, &kernel.name)).collect()
    }

    /// Address and size of a variable of a module.
    pub(crate) fn variable_of(&self, module: u64, name: &str) -> Outcome<(u64, u64)> {
        let (address, bytes) = self.machine.global(self.modules.get(module)?.id, name).ok_or(Error::NOT_FOUND)?;
        Ok((address.0, bytes))
    }

    /// The variable that an address lies in.
    pub(crate) fn variable_at(&self, address: u64) -> Option<(u64, u64)> {
        let all = self.modules.iter().flat_map(|(_, module)| {
            let names = module.program.module().variables.iter().map(|variable| &*variable.name);
            names.filter_map(|name| self.machine.global(module.id, name))
        });
        all.map(|(base, bytes)| (base.0, bytes)).find(|&(base, bytes)| address.wrapping_sub(base) < bytes)
    }
}
