//! Calls: their targets and operands.

use super::function::Home;

/// A call instruction's target and operands.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) callee: Callee,
    pub(crate) args: Vec<Home>,
    pub(crate) rets: Vec<Home>,
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    Function(u32),
    /// A function that the emulator provides.
    Builtin(Builtin),
    /// A pointer in a register.
    Indirect(u32),
    /// A name that is not defined.
    Unknown(Box<str>),
}

/// Functions that the driver provides on a GPU, and the emulator provides here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Vprintf,
    AssertFail,
    Malloc,
    Free,
    /// `cudaGetParameterBufferV2`.
    ParameterBuffer,
    /// `cudaLaunchDeviceV2`.
    LaunchDevice,
}

/// The name of a function of the device runtime without what comes before it: headers of CUDA 12 and later call
/// `cudaLaunchDeviceV2` also `__cudaCDP2LaunchDeviceV2`.
pub(crate) fn device_runtime(name: &str) -> Option<&str> {
    let plain = name.strip_prefix("__cudaCDP2").or_else(|| name.strip_prefix("cuda"))?;
    Some(plain.strip_suffix("_ptsz").unwrap_or(plain))
}

impl Builtin {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "vprintf" => Self::Vprintf,
            "__assertfail" => Self::AssertFail,
            "malloc" => Self::Malloc,
            "free" => Self::Free,
            _ => match device_runtime(name)? {
                "GetParameterBufferV2" => Self::ParameterBuffer,
                "LaunchDeviceV2" => Self::LaunchDevice,
                _ => return None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_device_runtime_have_two_names() {
        for name in ["cudaLaunchDeviceV2", "__cudaCDP2LaunchDeviceV2", "__cudaCDP2LaunchDeviceV2_ptsz"] {
            assert_eq!(Builtin::named(name), Some(Builtin::LaunchDevice), "{name}");
        }
        assert_eq!((Builtin::named("LaunchDeviceV2"), Builtin::named("cudaLaunchDevice")), (None, None));
        assert_eq!(device_runtime("__cudaCDP2StreamDestroy"), Some("StreamDestroy"));
    }
}
