//! Loading programs: their variables and the heap.

use std::collections::HashMap;
use std::sync::Arc;

use warpwise_ptx::ast::{Initializer, Space};

use super::kernels::{Prepared, function_address};
use super::{DevicePtr, Machine};
use crate::Program;
use crate::memory::{Heap, MachineError};

/// A module loaded on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(pub(super) u32);

/// Addresses and sizes of variables.
type Variables = HashMap<Box<str>, (u64, u64)>;

/// A loaded module: the program and where its variables are.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) program: Arc<Program>,
    pub(super) variables: Variables,
    /// Addresses of the variables that it placed itself.
    own: Vec<u64>,
    /// What launches of each kernel need, once it was launched.
    pub(super) prepared: Vec<Option<Prepared>>,
}

impl Machine {
    /// Loads a program: places its global and constant variables and initialises them.
    pub fn load(&mut self, program: Arc<Program>) -> Result<ModuleId, MachineError> {
        self.load_with(HashMap::new(), program)
    }

    /// Loads another part of a module: variables that the first part has are shared, with their addresses and current
    /// contents.
    pub fn load_part(&mut self, first: ModuleId, program: Arc<Program>) -> Result<ModuleId, MachineError> {
        let known = self.loaded(first).ok_or(MachineError::NoModule)?.variables.clone();
        self.load_with(known, program)
    }

    fn load_with(&mut self, known: Variables, program: Arc<Program>) -> Result<ModuleId, MachineError> {
        let mut own = Vec::new();
        let placed = self.place_variables(&program, known, &mut own).and_then(|variables| {
            self.make_heap_for(&program)?;
            self.make_children_for(&program)?;
            Ok(variables)
        });
        let variables = match placed {
            Ok(variables) => variables,
            Err(error) => {
                // What was placed before something did not fit must not stay.
                own.iter().try_for_each(|&address| self.memory.free(address))?;
                return Err(error);
            }
        };
        let prepared = program.kernels().iter().map(|_| None).collect();
        self.modules.push(Some(Box::new(Loaded { program, variables, own, prepared })));
        Ok(ModuleId(self.modules.len() as u32 - 1))
    }

    /// Unloads a module: its variables are gone. Parts that share variables with it must not be launched any more.
    pub fn unload(&mut self, module: ModuleId) -> Result<(), MachineError> {
        let slot = self.modules.get_mut(module.0 as usize).ok_or(MachineError::NoModule)?;
        let loaded = slot.take().ok_or(MachineError::NoModule)?;
        loaded.own.iter().try_for_each(|&address| self.memory.free(address))
    }

    pub(super) fn loaded(&self, module: ModuleId) -> Option<&Loaded> {
        self.modules.get(module.0 as usize)?.as_deref()
    }

    /// The program of a module.
    pub fn program(&self, module: ModuleId) -> Option<&Arc<Program>> {
        self.loaded(module).map(|loaded| &loaded.program)
    }

    /// Places the variables of a program that have no place yet and initialises them. Their addresses are added to
    /// `own`, also if it fails.
    fn place_variables(
        &mut self,
        program: &Program,
        mut variables: Variables,
        own: &mut Vec<u64>,
    ) -> Result<Variables, MachineError> {
        let module = program.module();
        let mut fresh = Vec::new();
        for v in module.variables.iter().filter(|v| matches!(v.space, Space::Global | Space::Const)) {
            if variables.contains_key(&v.name) {
                continue;
            }
            let address = self.memory.alloc(v.size, v.space == Space::Const)?;
            own.push(address);
            // A variable without an initialiser is zero.
            self.memory.bytes_mut(address, v.size)?;
            self.memory.name(address, &crate::watch::plain_name(&v.name))?;
            variables.insert(v.name.clone(), (address, v.size));
            fresh.push((v, address));
        }
        for (v, base) in fresh {
            for init in &v.init {
                let (offset, bytes) = match init {
                    Initializer::Bytes { offset, bytes } => (*offset, bytes.clone()),
                    Initializer::Symbol { offset, width, name, addend, mask, .. } => {
                        let code = module.functions.iter().position(|f| f.name == *name).map(function_address);
                        let address = variables.get(name).map(|&(a, _)| a).or(code).ok_or_else(|| {
                            MachineError::Unresolved { variable: v.name.to_string(), name: name.to_string() }
                        })?;
                        let value = address.wrapping_add_signed(*addend);
                        let value = match mask {
                            Some(mask) if *mask != 0 => (value & mask) >> mask.trailing_zeros(),
                            _ => value,
                        };
                        (*offset, value.to_le_bytes()[..(*width).min(8) as usize].to_vec())
                    }
                };
                // The reader keeps initialisers inside their variable; anything that would not fit is ignored.
                if offset.checked_add(bytes.len() as u64).is_some_and(|end| end <= v.size) {
                    self.memory.bytes_mut(base + offset, bytes.len() as u64)?.copy_from_slice(&bytes);
                }
            }
        }
        Ok(variables)
    }

    /// Makes the heap, if a kernel of the program can call `malloc` and there is none.
    fn make_heap_for(&mut self, program: &Program) -> Result<(), MachineError> {
        if self.heap.is_none() && program.kernels().iter().any(|k| k.uses_heap) {
            let heap = self.memory.alloc(self.heap_bytes, false)?;
            self.memory.name(heap, "the device heap")?;
            self.heap = Some(Arc::new(Heap::new(heap, self.heap_bytes)));
        }
        Ok(())
    }

    /// Sets the size of the heap that `malloc` in kernels takes memory from; 8 MiB if it is never set. All modules share
    /// it. False, and nothing changes, if kernels have taken memory from it already, or if the new size does not fit.
    pub fn set_heap_bytes(&mut self, bytes: u64) -> bool {
        let Some(heap) = self.heap.clone() else {
            self.heap_bytes = bytes;
            return true;
        };
        if heap.is_used() {
            return false;
        }
        let Ok(larger) = self.memory.alloc(bytes, false) else { return false };
        let named = self.memory.name(larger, "the device heap").and_then(|()| self.memory.free(heap.base()));
        self.heap = Some(Arc::new(Heap::new(larger, bytes)));
        self.heap_bytes = bytes;
        named.is_ok()
    }

    /// The size of the heap.
    pub fn heap_bytes(&self) -> u64 {
        self.heap_bytes
    }

    /// Address and size of a module's global or constant variable.
    pub fn global(&self, module: ModuleId, name: &str) -> Option<(DevicePtr, u64)> {
        let &(address, size) = self.loaded(module)?.variables.get(name)?;
        Some((DevicePtr(address), size))
    }
}
