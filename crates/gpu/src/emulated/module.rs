//! Modules: PTX that is decoded when a kernel of it is first needed.

use crate::{DeviceError, ModuleSource};
use std::collections::HashMap;
use std::sync::Arc;
use warpwise_simt::{Machine, ModuleId, Program};

/// A module and its decoded parts.
#[derive(Debug)]
pub(super) struct Loaded {
    source: Arc<dyn ModuleSource>,
    /// The part that has the variables; all others share them.
    declarations: ModuleId,
    /// The part that contains each kernel.
    parts: HashMap<Box<str>, ModuleId>,
}

impl Loaded {
    /// Places the module's variables.
    pub(super) fn new(machine: &mut Machine, source: Arc<dyn ModuleSource>) -> Result<Self, DeviceError> {
        let program = decode(&source.declarations())?;
        // A source that cannot be divided returns everything.
        let kernels: Vec<Box<str>> = program.kernels().iter().map(|kernel| kernel.name.clone()).collect();
        let declarations = machine.load(program)?;
        Ok(Self { source, declarations, parts: kernels.into_iter().map(|name| (name, declarations)).collect() })
    }

    pub(super) fn declarations(&self) -> ModuleId {
        self.declarations
    }

    /// Whether the kernel is decoded.
    pub(super) fn is_ready(&self, kernel: &str) -> bool {
        self.parts.contains_key(kernel)
    }

    /// The part with a kernel, decoded at its first use.
    pub(super) fn part_with(&mut self, machine: &mut Machine, kernel: &str) -> Result<ModuleId, DeviceError> {
        if let Some(&part) = self.parts.get(kernel) {
            return Ok(part);
        }
        let text = self.source.text_for(kernel).ok_or_else(|| DeviceError::NoKernel(kernel.to_owned()))?;
        let part = machine.load_part(self.declarations, decode(&text)?)?;
        self.parts.insert(kernel.into(), part);
        Ok(part)
    }
}

fn decode(ptx: &str) -> Result<Arc<Program>, DeviceError> {
    Program::load(ptx).map(Arc::new).map_err(|problem| DeviceError::Module(problem.to_string()))
}
