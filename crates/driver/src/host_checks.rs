//! Mistakes of the host that can be seen in a single call: directions, pageable memory, arguments, constants; and
//! launches that failed and that nobody asked about.

use std::collections::HashSet;
use std::ffi::{CStr, c_char};

use warpwise_ptx::ast::Space;
use warpwise_trace::{HostKind, HostPlace, Unasked, source_name};

use crate::memory::Kind;
use crate::state::{self, State};

/// What is remembered from call to call.
#[derive(Default)]
pub(crate) struct HostChecks {
    /// Failed launches, until somebody asks.
    failed: Vec<Unasked>,
    /// `__constant__` variables that were set, by address.
    set: HashSet<u64>,
    /// Kernels whose constants have been looked at.
    looked: HashSet<u64>,
}

impl State {
    /// One side of a copy is given as memory of the host.
    pub(crate) fn check_host_side(&mut self, address: u64) {
        let found = self.memory.find(address).map(|(_, allocation)| allocation.kind);
        if matches!(found, Some(Kind::Device | Kind::Pooled | Kind::Array)) {
            self.trace.mistake(HostKind::CopyDirection, || {
                format!("{address:#x} is given as memory of the host, and is device memory")
            });
        }
    }

    /// One side of a copy is given as device memory, and is not.
    pub(crate) fn check_device_side(&mut self, address: u64) {
        if address != 0 && !self.memory.was_freed(address) {
            self.trace.mistake(HostKind::CopyDirection, || {
                format!("{address:#x} is given as device memory, and is memory of the host")
            });
        }
    }

    /// An asynchronous copy of so many bytes uses memory of the host.
    pub(crate) fn check_pinned(&mut self, address: u64, bytes: u64) {
        if address != 0 && bytes > 0 && self.trace.wants_places() && !self.is_device_address(address) {
            self.trace.mistake(HostKind::PageableCopy, || {
                format!("an asynchronous copy of {bytes} bytes of pageable memory waits until they are copied")
            });
        }
    }

    /// The arguments of a kernel come in a buffer of so many bytes, and its parameters take so many.
    pub(crate) fn check_arguments(&mut self, given: usize, wanted: usize) {
        // What follows the last one may be padding.
        if given < wanted || given > wanted.next_multiple_of(16) {
            self.trace.mistake(HostKind::ArgumentSize, || {
                format!("the arguments have {given} bytes, and the parameters of the kernel {wanted}")
            });
        }
    }

    /// A variable of a module is written.
    pub(crate) fn variable_is_set(&mut self, address: u64) {
        if self.trace.wants_places()
            && let Some((base, _)) = self.variable_at(address)
        {
            self.host_checks.set.insert(base);
        }
    }

    /// A kernel is about to be launched: the `__constant__` variables that it names have been set, or have values.
    pub(crate) fn check_constants(&mut self, function: u64) {
        if !self.trace.wants_places() || !self.host_checks.looked.insert(function) {
            return;
        }
        let Ok(found) = self.functions.get(function) else { return };
        let Ok(module) = self.modules.get(found.module) else { return };
        let program = &found.program;
        let text = body(program.source(), &found.name.to_string_lossy());
        let unset = |variable: &&warpwise_ptx::ast::Variable| {
            variable.space == Space::Const && variable.init.is_empty() && names(text, &variable.name)
        };
        let unset: Vec<String> = program
            .module()
            .variables
            .iter()
            .filter(unset)
            .filter(|variable| {
                let at = self.machine.global(module.id, &variable.name);
                at.is_some_and(|(base, _)| !self.host_checks.set.contains(&base.0))
            })
            .map(|variable| warpwise_simt::plain_name(&variable.name))
            .collect();
        let kernel = source_name(&found.name.to_string_lossy()).to_owned();
        for name in unset {
            self.trace.mistake(HostKind::ConstantUnset, || {
                format!("{kernel} reads the __constant__ {name}, which was never set and has no initial value")
            });
        }
    }

    /// Writes down the failed launches that nobody asked about.
    pub(crate) fn tell_unasked(&mut self) {
        for unasked in std::mem::take(&mut self.host_checks.failed) {
            self.trace.unasked(unasked);
        }
    }
}

/// The text of a kernel, from its name to the end of its body.
fn body<'t>(ptx: &'t str, kernel: &str) -> &'t str {
    let starts = ptx.match_indices(kernel).map(|(at, _)| at);
    let entry = starts.filter(|&at| ptx[..at].trim_end().ends_with(".entry")).last();
    let Some(start) = entry else { return "" };
    let rest = &ptx[start..];
    rest.find("\n}").map_or(rest, |end| &rest[..end])
}

/// Whether a text has a name, as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    text.match_indices(name).any(|(at, _)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

/// The runtime tells that a launch by `<<<>>>` has failed: its function, the error's name and number.
///
/// # Safety
///
/// Both names are null or end in zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpwise_launch_failed(function: u64, call: *const c_char, error: *const c_char, code: u32) {
    let text = |name: *const c_char| {
        // SAFETY: by the contract of this function.
        if name.is_null() { String::new() } else { unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned() }
    };
    let (call, error) = (text(call), text(error));
    let _ = std::panic::catch_unwind(|| {
        let Some(mut state) = state::try_lock() else { return };
        if state.trace.wants_places() {
            let kernel = state.functions.get(function).ok().map(|found| found.name.to_string_lossy().into_owned());
            let host = Some(HostPlace::here());
            state.host_checks.failed.push(Unasked { call, error, code, kernel, reason: None, host });
        }
    });
}

/// The runtime tells that the program asks for its last error.
#[unsafe(no_mangle)]
pub extern "C" fn warpwise_error_asked() {
    let _ = std::panic::catch_unwind(|| {
        if let Some(mut state) = state::try_lock() {
            state.host_checks.failed.clear();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_of_the_kernels_own_text() {
        let ptx = ".visible .entry first(\n)\n{\n\tld.const.f32 %f1, [factors+4];\n}\n\
                   .visible .entry second(\n)\n{\n\tld.const.f32 %f1, [factors2];\n}\n";
        assert!(names(body(ptx, "first"), "factors"));
        assert!(!names(body(ptx, "second"), "factors"), "another name that begins the same");
        assert!(names(body(ptx, "second"), "factors2") && !names(body(ptx, "first"), "factors2"));
        assert_eq!(body(ptx, "third"), "");
    }
}
