//! What launches of a kernel have in common: prepared at the first one, kept for the others.

use std::sync::atomic::AtomicU64;

use super::Machine;
use super::modules::{Loaded, ModuleId};
use crate::image::{Constant, FunctionCode, Kernel};
use crate::memory;
use crate::warp::{Buffer, Hints};

/// A kernel of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId {
    pub(super) module: ModuleId,
    /// Its place among the kernels of the program.
    pub(super) number: u32,
}

impl KernelId {
    /// The module that it belongs to.
    pub fn module(self) -> ModuleId {
        self.module
    }
}

/// What launches of a kernel need that does not depend on the launch.
pub(super) struct Prepared {
    /// Initial registers of each function that the kernel can run; nothing for the others.
    pub(super) templates: Vec<Buffer>,
    pub(super) hints: Hints,
    /// See [`Context::cost`](crate::warp::Context::cost).
    pub(super) cost: AtomicU64,
}

impl Prepared {
    pub(super) fn new(loaded: &Loaded, kernel: &Kernel) -> Self {
        let functions = &loaded.program.image.functions;
        let mut templates: Vec<Buffer> = functions.iter().map(|_| Buffer::default()).collect();
        for &at in &kernel.reach {
            templates[at as usize] = template(&functions[at as usize], loaded, kernel);
        }
        Self { templates, hints: Hints::default(), cost: AtomicU64::new(u64::MAX) }
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Prepared({} functions)", self.templates.len())
    }
}

impl Machine {
    /// The kernel of that (mangled) name, for [`Machine::launch_kernel`].
    pub fn kernel(&self, module: ModuleId, name: &str) -> Option<KernelId> {
        let kernels = self.loaded(module)?.program.kernels();
        let number = kernels.iter().position(|kernel| &*kernel.name == name)?;
        Some(KernelId { module, number: number as u32 })
    }
}

/// The address of the n-th function, for indirect calls.
pub(super) fn function_address(index: usize) -> u64 {
    memory::CODE + memory::CODE_STEP * index as u64
}

/// The initial registers of a function: its constants, with addresses filled in.
fn template(function: &FunctionCode, loaded: &Loaded, kernel: &Kernel) -> Buffer {
    let mut buffer = Buffer::new(function.frame_bytes as usize);
    let regs = buffer.as_mut_slice();
    // Slot 0 is the predicate that is always true.
    regs[..4].fill(0xff);
    for (slot, width, constant) in &function.constants {
        let value = match constant {
            Constant::Bits(bits) => *bits,
            Constant::BodyShared(key, addend) => {
                u64::from(kernel.shared.get(key).copied().unwrap_or(0)).wrapping_add_signed(*addend)
            }
            Constant::Symbol(name, addend) => address_of(name, loaded, kernel).wrapping_add_signed(*addend),
        };
        let bytes = &value.to_le_bytes()[..*width as usize];
        for lane in regs[*slot as usize..][..32 * *width as usize].chunks_exact_mut(*width as usize) {
            lane.copy_from_slice(bytes);
        }
    }
    buffer
}

/// The address of a module-level name: a shared variable's offset, a variable's or function's address.
fn address_of(name: &str, loaded: &Loaded, kernel: &Kernel) -> u64 {
    if let Some(&offset) = kernel.shared.get(name) {
        return offset.into();
    }
    if let Some(&(address, _)) = loaded.variables.get(name) {
        return address;
    }
    let at = loaded.program.module().functions.iter().position(|f| &*f.name == name);
    at.map_or(0, function_address)
}
