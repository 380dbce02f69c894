//! Modules: PTX that is decoded when a kernel of it is first needed.

use crate::{DeviceError, ModuleSource};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use warpwise_simt::{Machine, ModuleId, Program};

/// A module and its decoded parts.
#[derive(Debug)]
pub(super) struct Loaded {
    source: Arc<dyn ModuleSource>,
    /// Whether its launches are checked.
    checked: bool,
    /// The part that has the variables; all others share them.
    declarations: ModuleId,
    /// The part that contains each kernel.
    parts: HashMap<Box<str>, ModuleId>,
}

impl Loaded {
    /// Places the module's variables.
    pub(super) fn new(
        machine: &mut Machine,
        source: Arc<dyn ModuleSource>,
        checked: bool,
    ) -> Result<Self, DeviceError> {
        let program = decode(&*source, &source.declarations(), checked)?;
        // A source that cannot be divided returns everything.
        let kernels: Vec<Box<str>> = program.kernels().iter().map(|kernel| kernel.name.clone()).collect();
        let declarations = machine.load(program)?;
        Ok(Self {
            source,
            checked,
            declarations,
            parts: kernels.into_iter().map(|name| (name, declarations)).collect(),
        })
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
        let part = machine.load_part(self.declarations, decode(&*self.source, &text, self.checked)?)?;
        self.parts.insert(kernel.into(), part);
        Ok(part)
    }
}

/// Decodes PTX; checks also look at the files that it was compiled from.
fn decode(source: &dyn ModuleSource, ptx: &str, checked: bool) -> Result<Arc<Program>, DeviceError> {
    let program = Program::load(ptx).map_err(|problem| DeviceError::Module(problem.to_string()))?;
    let text = |path: &str| source.file(path).map(Cow::into_owned);
    Ok(Arc::new(if checked { program.with_files(text) } else { program }))
}
