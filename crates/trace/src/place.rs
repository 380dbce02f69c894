//! Places: in kernels, and in the code of the host.

use serde::{Deserialize, Serialize};
use std::ffi::{CStr, c_int, c_void};
use std::path::Path;

/// A line of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Line {
    /// The file, as line information names it.
    pub file: String,
    /// One-based.
    pub line: u32,
}

/// Where in a kernel and its grid something happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DevicePlace {
    /// The function.
    pub function: String,
    /// One-based line of the module's PTX.
    pub ptx_line: u32,
    /// The instruction as written.
    pub instruction: String,
    /// The line of the source, where the module says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Line>,
    /// The line of a header that is inlined there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner: Option<Line>,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// `threadIdx`.
    pub thread: [u32; 3],
}

/// Where in the host's code a call was made: the return addresses of its callers, the innermost first, without those of
/// the driver and the runtime themselves. Debug information turns them into lines afterwards, outside the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HostPlace {
    /// The callers.
    pub frames: Vec<HostFrame>,
}

/// A return address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HostFrame {
    /// The program or shared library that it is in.
    pub object: String,
    /// The address in that file: its distance from where the file was loaded.
    pub offset: u64,
}

/// Return addresses that are looked at, our own included, and callers that are remembered.
const DEEPEST: usize = 96;
const KEPT: usize = 16;

/// Return addresses of this thread, the innermost first: quick to take, also in a signal handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    addresses: [usize; DEEPEST],
    depth: usize,
}

impl Default for Stack {
    fn default() -> Self {
        Self { addresses: [0; DEEPEST], depth: 0 }
    }
}

impl Stack {
    /// Those of now. Nothing is allocated.
    pub fn here() -> Self {
        let mut stack = Self::default();
        // SAFETY: `visit` gets the pointer that is passed here, to a stack that outlives the walk.
        unsafe { _Unwind_Backtrace(visit, (&raw mut stack).cast()) };
        stack
    }

    /// Those of now in a signal handler, where `interrupted` is the instruction that the signal came at.
    pub fn of_signal(interrupted: usize) -> Self {
        let mut stack = Self::here();
        // It is no return address: nothing of it has been executed yet.
        stack.addresses[..stack.depth].iter_mut().filter(|at| **at == interrupted).for_each(|at| *at += 1);
        stack
    }

    /// The files that they are in.
    pub fn place(&self) -> HostPlace {
        let frames = self.addresses[..self.depth].iter().filter_map(|&address| HostFrame::of(address));
        HostPlace { frames: frames.filter(|frame| !frame.is_ours()).take(KEPT).collect() }
    }
}

impl HostPlace {
    /// Where the caller of the driver or the runtime is now. It takes microseconds: ask once for each place that calls.
    pub fn here() -> Self {
        Stack::here().place()
    }

    /// The place of a known return address, if it is in a file.
    pub fn at(address: usize) -> Option<Self> {
        HostFrame::of(address).map(|frame| Self { frames: vec![frame] })
    }
}

impl HostFrame {
    /// The file that an address is in, and where in it.
    fn of(address: usize) -> Option<Self> {
        let mut info = libc::Dl_info {
            dli_fname: std::ptr::null(),
            dli_fbase: std::ptr::null_mut(),
            dli_sname: std::ptr::null(),
            dli_saddr: std::ptr::null_mut(),
        };
        // SAFETY: `dladdr` looks the address up and reads nothing behind it; `info` is ours to write.
        let found = unsafe { libc::dladdr(address as *const c_void, &raw mut info) };
        if found == 0 || info.dli_fname.is_null() {
            return None;
        }
        // SAFETY: a name that `dladdr` found is a string that ends in NUL and lives as long as its object is loaded.
        let object = unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned();
        Some(Self { object, offset: (address as u64).wrapping_sub(info.dli_fbase as u64) })
    }

    /// Whether it is in the driver or the runtime.
    fn is_ours(&self) -> bool {
        const OURS: [&str; 5] =
            ["libcuda.so", "libcudart.so", "libwarpwise_driver", "libwarpwise_cudart", "libwarpwise_witness"];
        let name = Path::new(&self.object).file_name().and_then(|name| name.to_str()).unwrap_or("");
        OURS.iter().any(|ours| name.starts_with(ours))
    }
}

/// What the unwinder knows of a frame.
#[repr(C)]
struct UnwindContext {
    private: [u8; 0],
}

// The interface that the C++ ABI describes; the Rust runtime links the library that has it.
unsafe extern "C" {
    fn _Unwind_Backtrace(
        visit: extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
}

/// The walk goes on.
const GO_ON: c_int = 0;
/// The walk has seen enough.
const ENOUGH: c_int = 5;

extern "C" fn visit(context: *mut UnwindContext, argument: *mut c_void) -> c_int {
    // SAFETY: `argument` is the stack that `here` passes, which nobody else uses during the walk.
    let stack = unsafe { &mut *argument.cast::<Stack>() };
    // SAFETY: the unwinder hands its own context over.
    let address = unsafe { _Unwind_GetIP(context) };
    if address == 0 || stack.depth == DEEPEST {
        return ENOUGH;
    }
    stack.addresses[stack.depth] = address;
    stack.depth += 1;
    GO_ON
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_found_in_their_files() {
        let place = HostPlace::here();
        let own = std::env::current_exe().expect("a test is a program");
        let name = own.file_name().expect("it has a name").to_string_lossy().into_owned();
        assert!(place.frames.len() > 2, "{place:?}");
        assert!(place.frames[0].object.ends_with(&name) && place.frames[0].offset > 0, "{place:?}");
        assert_eq!(HostPlace::at(0), None);
    }

    #[test]
    fn an_interrupted_instruction_is_not_a_return_address() {
        let stack = Stack::here();
        let outermost = stack.addresses[stack.depth - 1];
        let again = Stack::of_signal(outermost);
        assert_eq!(again.addresses[again.depth - 1], outermost + 1);
        assert!(again.depth > 2 && again.place().frames.len() > 2);
    }

    #[test]
    fn our_own_libraries_are_left_out() {
        let frame = |object: &str| HostFrame { object: object.to_owned(), offset: 1 };
        assert!(frame("/x/libcuda.so.1").is_ours() && frame("/x/libcudart.so.13").is_ours());
        assert!(!frame("/x/libcudamine.so").is_ours() && !frame("/x/app").is_ours());
    }
}
