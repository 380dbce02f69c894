//! What the driver's errors mean, and what to do about them.

use super::api;
use crate::{DeviceError, Fault, FaultKind};
use std::ffi::{CStr, c_char};
use std::ptr::null;

/// A call of the driver that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{call} failed with {name}: {text}{}", advice(*.status))]
pub struct DriverError {
    /// The call.
    pub call: &'static str,
    /// The driver's number for the error.
    pub status: u32,
    /// The driver's name for it: `CUDA_ERROR_...`.
    pub name: String,
    /// The driver's text for it.
    pub text: String,
}

/// Why no CUDA device can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCuda {
    /// No driver.
    #[error("no NVIDIA driver is installed ({} not found)", crate::driver::looked_for().join(", "))]
    Driver,
    /// A driver that is too old.
    #[error("the NVIDIA driver supports CUDA {}.{}: {}.{} or newer is needed, so update it", have.0, have.1, OLDEST.0, OLDEST.1)]
    TooOld {
        /// The CUDA version it supports.
        have: (u32, u32),
    },
    /// A driver that lacks a function.
    #[error("the NVIDIA driver has no function {0}: update it")]
    Incomplete(&'static str),
    /// A driver that finds no GPU.
    #[error("the NVIDIA driver finds no GPU")]
    Gpu,
    /// A GPU that the kernels do not support.
    #[error("{name} has compute capability {}.{}: 7.0 or newer is needed", cc.0, cc.1)]
    Capability {
        /// The GPU.
        name: String,
        /// Its compute capability.
        cc: (u32, u32),
    },
    /// The driver fails.
    #[error(transparent)]
    Call(#[from] DriverError),
}

/// The oldest CUDA version that a driver may support.
pub(super) const OLDEST: (u32, u32) = (11, 0);

/// The driver's numbers for errors that mean something here: `CUDA_ERROR_...` of `cuda.h`.
pub(super) mod status {
    pub(in crate::cuda) const OUT_OF_MEMORY: u32 = 2;
    pub(in crate::cuda) const DEVICE_UNAVAILABLE: u32 = 46;
    pub(in crate::cuda) const NO_DEVICE: u32 = 100;
    pub(in crate::cuda) const NO_BINARY_FOR_GPU: u32 = 209;
    pub(in crate::cuda) const ECC_UNCORRECTABLE: u32 = 214;
    pub(in crate::cuda) const UNSUPPORTED_PTX_VERSION: u32 = 222;
    pub(in crate::cuda) const ILLEGAL_ADDRESS: u32 = 700;
    pub(in crate::cuda) const LAUNCH_OUT_OF_RESOURCES: u32 = 701;
    pub(in crate::cuda) const LAUNCH_TIMEOUT: u32 = 702;
    pub(in crate::cuda) const ASSERT: u32 = 710;
    pub(in crate::cuda) const HARDWARE_STACK_ERROR: u32 = 714;
    pub(in crate::cuda) const ILLEGAL_INSTRUCTION: u32 = 715;
    pub(in crate::cuda) const MISALIGNED_ADDRESS: u32 = 716;
    pub(in crate::cuda) const INVALID_ADDRESS_SPACE: u32 = 717;
    pub(in crate::cuda) const INVALID_PC: u32 = 718;
    pub(in crate::cuda) const LAUNCH_FAILED: u32 = 719;
    pub(in crate::cuda) const SYSTEM_NOT_READY: u32 = 802;
    pub(in crate::cuda) const SYSTEM_DRIVER_MISMATCH: u32 = 803;
    pub(in crate::cuda) const UNKNOWN: u32 = 999;
}

/// Turns a status into a result.
pub(super) fn check(call: &'static str, status: u32) -> Result<(), DriverError> {
    if status == 0 {
        return Ok(());
    }
    let api = api::functions();
    let ask = |function: unsafe extern "C" fn(u32, *mut *const c_char) -> u32| {
        let mut text = null();
        // SAFETY: the driver writes the address of a text that ends in a zero and is never freed, or null.
        unsafe {
            function(status, &raw mut text);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    };
    let name = ask(api.cuGetErrorName).unwrap_or_else(|| format!("error {status}"));
    let text = ask(api.cuGetErrorString).unwrap_or_else(|| "no text".into());
    Err(DriverError { call, status, name, text })
}

/// Calls a function of the driver: `driver!(cuInit(0))?`.
macro_rules! driver {
    ($name:ident ( $($argument:expr),* $(,)? )) => {
        $crate::cuda::error::check(
            stringify!($name),
            // SAFETY: every pointer given to the driver is to live memory of the size it expects, and handles are
            // ones that the driver gave out for the current context; each use is a few lines from where they are made.
            unsafe { ($crate::cuda::api::functions().$name)($($argument),*) },
        )
    };
}
pub(super) use driver;

impl DriverError {
    /// Whether memory ran out.
    pub(super) fn is_out_of_memory(&self) -> bool {
        self.status == status::OUT_OF_MEMORY
    }

    /// The kernel fault behind it. After one of these the context is unusable.
    pub(super) fn fault(&self) -> Option<FaultKind> {
        const KINDS: [(u32, FaultKind); 10] = [
            (status::ILLEGAL_ADDRESS, FaultKind::OutOfBounds),
            (status::MISALIGNED_ADDRESS, FaultKind::Misaligned),
            (status::INVALID_ADDRESS_SPACE, FaultKind::OutOfBounds),
            (status::INVALID_PC, FaultKind::Trap),
            (status::ILLEGAL_INSTRUCTION, FaultKind::Trap),
            (status::HARDWARE_STACK_ERROR, FaultKind::StackOverflow),
            (status::ASSERT, FaultKind::Trap),
            (status::LAUNCH_FAILED, FaultKind::Trap),
            (status::LAUNCH_TIMEOUT, FaultKind::Timeout),
            (status::ECC_UNCORRECTABLE, FaultKind::Trap),
        ];
        KINDS.iter().find(|(status, _)| *status == self.status).map(|&(_, kind)| kind)
    }

    /// The fault it stands for, in one of these kernels.
    pub(super) fn into_fault(self, kind: FaultKind, kernels: &[String]) -> Fault {
        let who = match kernels {
            [] => "a kernel".to_owned(),
            [one] => format!("the kernel {one}"),
            [.., last] => format!("one of the last {} kernels (the latest is {last})", kernels.len()),
        };
        let message = format!(
            "{who} failed on the GPU with {}: {}; the emulator (--device emulator) says which line it was",
            self.name, self.text
        );
        Fault::new(kind, message)
    }
}

impl From<DriverError> for DeviceError {
    fn from(error: DriverError) -> Self {
        Self::Driver(error.to_string())
    }
}

/// What can go wrong inside a call, before it is known whether a kernel caused it.
#[derive(Debug)]
pub(super) enum Failure {
    /// The driver returned an error.
    Driver(DriverError),
    /// Anything else.
    Device(DeviceError),
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Self {
        Self::Driver(error)
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

fn advice(status: u32) -> &'static str {
    const ADVICE: [(u32, &str); 7] = [
        (
            status::UNSUPPORTED_PTX_VERSION,
            "; the PTX is newer than the driver: update the driver, or compile with an older toolkit",
        ),
        (status::NO_BINARY_FOR_GPU, "; the PTX is for a newer GPU: compile it for this one's compute capability"),
        (status::LAUNCH_OUT_OF_RESOURCES, "; a block needs more registers than there are: use fewer threads"),
        (status::SYSTEM_DRIVER_MISMATCH, "; the driver was updated while it ran: restart the machine"),
        (status::SYSTEM_NOT_READY, "; the GPU's services are not up: see nvidia-smi"),
        (status::DEVICE_UNAVAILABLE, "; another process has the GPU to itself: wait for it"),
        (status::UNKNOWN, "; see nvidia-smi and the system's log"),
    ];
    ADVICE.iter().find(|(known, _)| *known == status).map_or("", |(_, text)| text)
}
