//! What the driver's errors mean, and what to do about them.

use crate::{DeviceError, Fault, FaultKind};
use cudarc::driver::sys::CUresult;

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

/// Turns a status into a result.
pub(super) fn check(call: &'static str, status: CUresult) -> Result<(), DriverError> {
    let Err(error) = status.result() else { return Ok(()) };
    let name = error.error_name().map_or_else(|_| format!("{status:?}"), |name| name.to_string_lossy().into_owned());
    let text = error.error_string().map_or_else(|_| "no text".into(), |text| text.to_string_lossy().into_owned());
    Err(DriverError { call, status: status as u32, name, text })
}

/// Calls a function of the driver: `driver!(cuInit(0))?`.
macro_rules! driver {
    ($name:ident ( $($argument:expr),* $(,)? )) => {
        $crate::cuda::error::check(
            stringify!($name),
            // SAFETY: every pointer given to the driver is to live memory of the size it expects, and handles are
            // ones that the driver gave out for the current context; each use is a few lines from where they are made.
            unsafe { cudarc::driver::sys::$name($($argument),*) },
        )
    };
}
pub(super) use driver;

impl DriverError {
    /// Whether memory ran out.
    pub(super) fn is_out_of_memory(&self) -> bool {
        self.status == CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32
    }

    /// The kernel fault behind it. After one of these the context is unusable.
    pub(super) fn fault(&self) -> Option<FaultKind> {
        use CUresult as E;
        const KINDS: [(E, FaultKind); 10] = [
            (E::CUDA_ERROR_ILLEGAL_ADDRESS, FaultKind::OutOfBounds),
            (E::CUDA_ERROR_MISALIGNED_ADDRESS, FaultKind::Misaligned),
            (E::CUDA_ERROR_INVALID_ADDRESS_SPACE, FaultKind::OutOfBounds),
            (E::CUDA_ERROR_INVALID_PC, FaultKind::Trap),
            (E::CUDA_ERROR_ILLEGAL_INSTRUCTION, FaultKind::Trap),
            (E::CUDA_ERROR_HARDWARE_STACK_ERROR, FaultKind::StackOverflow),
            (E::CUDA_ERROR_ASSERT, FaultKind::Trap),
            (E::CUDA_ERROR_LAUNCH_FAILED, FaultKind::Trap),
            (E::CUDA_ERROR_LAUNCH_TIMEOUT, FaultKind::Timeout),
            (E::CUDA_ERROR_ECC_UNCORRECTABLE, FaultKind::Trap),
        ];
        KINDS.iter().find(|(status, _)| *status as u32 == self.status).map(|&(_, kind)| kind)
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
    use CUresult as E;
    const ADVICE: [(E, &str); 7] = [
        (
            E::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
            "; the PTX is newer than the driver: update the driver, or compile with an older toolkit",
        ),
        (E::CUDA_ERROR_NO_BINARY_FOR_GPU, "; the PTX is for a newer GPU: compile it for this one's compute capability"),
        (E::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "; a block needs more registers than there are: use fewer threads"),
        (E::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "; the driver was updated while it ran: restart the machine"),
        (E::CUDA_ERROR_SYSTEM_NOT_READY, "; the GPU's services are not up: see nvidia-smi"),
        (E::CUDA_ERROR_DEVICE_UNAVAILABLE, "; another process has the GPU to itself: wait for it"),
        (E::CUDA_ERROR_UNKNOWN, "; see nvidia-smi and the system's log"),
    ];
    ADVICE.iter().find(|(known, _)| *known as u32 == status).map_or("", |(_, text)| text)
}
