//! Errors of the driver API: their codes, names and descriptions.

use std::ffi::CStr;

/// An error of the driver API, by its code. Never 0, which is success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Error(pub(crate) u32);

/// What an API function does inside: its error, if any, becomes the code it returns.
pub(crate) type Outcome<T = ()> = Result<T, Error>;

/// A line of the table.
struct Row {
    code: u32,
    name: &'static CStr,
    text: &'static CStr,
}

const fn terminated(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("one NUL, at its end"),
    }
}

macro_rules! errors {
    ($($code:literal $constant:ident $text:literal;)*) => {
        #[allow(dead_code, reason = "the table is whole, whatever is used of it")]
        impl Error {
            $(pub(crate) const $constant: Self = Self($code);)*
        }

        static ERRORS: &[Row] = &[
            Row { code: 0, name: c"CUDA_SUCCESS", text: c"no error" },
            $(Row {
                code: $code,
                name: terminated(concat!("CUDA_ERROR_", stringify!($constant), "\0")),
                text: terminated(concat!($text, "\0")),
            },)*
        ];
    };
}

errors! {
    1 INVALID_VALUE "invalid argument";
    2 OUT_OF_MEMORY "out of memory";
    3 NOT_INITIALIZED "initialization error";
    4 DEINITIALIZED "driver shutting down";
    5 PROFILER_DISABLED "profiler disabled while using external profiling tool";
    6 PROFILER_NOT_INITIALIZED "profiler not initialized: call cudaProfilerInitialize()";
    7 PROFILER_ALREADY_STARTED "profiler already started";
    8 PROFILER_ALREADY_STOPPED "profiler already stopped";
    34 STUB_LIBRARY "CUDA driver is a stub library";
    36 CALL_REQUIRES_NEWER_DRIVER "API call is not supported in the installed CUDA driver";
    46 DEVICE_UNAVAILABLE "CUDA-capable device(s) is/are busy or unavailable";
    100 NO_DEVICE "no CUDA-capable device is detected";
    101 INVALID_DEVICE "invalid device ordinal";
    102 DEVICE_NOT_LICENSED "device doesn't have valid Grid license";
    200 INVALID_IMAGE "device kernel image is invalid";
    201 INVALID_CONTEXT "invalid device context";
    202 CONTEXT_ALREADY_CURRENT "context already current";
    205 MAP_FAILED "mapping of buffer object failed";
    206 UNMAP_FAILED "unmapping of buffer object failed";
    207 ARRAY_IS_MAPPED "array is mapped";
    208 ALREADY_MAPPED "resource already mapped";
    209 NO_BINARY_FOR_GPU "no kernel image is available for execution on the device";
    210 ALREADY_ACQUIRED "resource already acquired";
    211 NOT_MAPPED "resource not mapped";
    212 NOT_MAPPED_AS_ARRAY "resource not mapped as array";
    213 NOT_MAPPED_AS_POINTER "resource not mapped as pointer";
    214 ECC_UNCORRECTABLE "uncorrectable ECC error encountered";
    215 UNSUPPORTED_LIMIT "limit is not supported on this architecture";
    216 CONTEXT_ALREADY_IN_USE "exclusive-thread device already in use by a different thread";
    217 PEER_ACCESS_UNSUPPORTED "peer access is not supported between these two devices";
    218 INVALID_PTX "a PTX JIT compilation failed";
    219 INVALID_GRAPHICS_CONTEXT "invalid OpenGL or DirectX context";
    220 NVLINK_UNCORRECTABLE "uncorrectable NVLink error detected during the execution";
    221 JIT_COMPILER_NOT_FOUND "PTX JIT compiler library not found";
    222 UNSUPPORTED_PTX_VERSION "the provided PTX was compiled with an unsupported toolchain.";
    223 JIT_COMPILATION_DISABLED "PTX JIT compilation was disabled";
    224 UNSUPPORTED_EXEC_AFFINITY "the provided execution affinity is not supported";
    225 UNSUPPORTED_DEVSIDE_SYNC "the provided PTX contains unsupported call to cudaDeviceSynchronize";
    226 CONTAINED "an error was contained";
    300 INVALID_SOURCE "invalid source";
    301 FILE_NOT_FOUND "file not found";
    302 SHARED_OBJECT_SYMBOL_NOT_FOUND "shared object symbol not found";
    303 SHARED_OBJECT_INIT_FAILED "shared object initialization failed";
    304 OPERATING_SYSTEM "OS call failed or operation not supported on this OS";
    400 INVALID_HANDLE "invalid resource handle";
    401 ILLEGAL_STATE "the operation cannot be performed in the present state";
    402 LOSSY_QUERY "attempted introspection would be semantically lossy";
    500 NOT_FOUND "named symbol not found";
    600 NOT_READY "device not ready";
    700 ILLEGAL_ADDRESS "an illegal memory access was encountered";
    701 LAUNCH_OUT_OF_RESOURCES "too many resources requested for launch";
    702 LAUNCH_TIMEOUT "the launch timed out and was terminated";
    703 LAUNCH_INCOMPATIBLE_TEXTURING "launch uses incompatible texturing mode";
    704 PEER_ACCESS_ALREADY_ENABLED "peer access is already enabled";
    705 PEER_ACCESS_NOT_ENABLED "peer access has not been enabled";
    708 PRIMARY_CONTEXT_ACTIVE "cannot set while device is active in this process";
    709 CONTEXT_IS_DESTROYED "context is destroyed";
    710 ASSERT "device-side assert triggered";
    711 TOO_MANY_PEERS "peer mapping resources exhausted";
    712 HOST_MEMORY_ALREADY_REGISTERED "part or all of the requested memory range is already mapped";
    713 HOST_MEMORY_NOT_REGISTERED "pointer does not correspond to a registered memory region";
    714 HARDWARE_STACK_ERROR "hardware stack error";
    715 ILLEGAL_INSTRUCTION "an illegal instruction was encountered";
    716 MISALIGNED_ADDRESS "misaligned address";
    717 INVALID_ADDRESS_SPACE "operation not supported on global/shared address space";
    718 INVALID_PC "invalid program counter";
    719 LAUNCH_FAILED "unspecified launch failure";
    720 COOPERATIVE_LAUNCH_TOO_LARGE "too many blocks in cooperative launch";
    721 TENSOR_MEMORY_LEAK "tensor memory was not freed";
    800 NOT_PERMITTED "operation not permitted";
    801 NOT_SUPPORTED "operation not supported";
    802 SYSTEM_NOT_READY "system not yet initialized";
    803 SYSTEM_DRIVER_MISMATCH "system has unsupported display driver / cuda driver combination";
    804 COMPAT_NOT_SUPPORTED_ON_DEVICE "forward compatibility was attempted on non supported HW";
    805 MPS_CONNECTION_FAILED "MPS client failed to connect to the MPS control daemon or the MPS server";
    806 MPS_RPC_FAILURE "the remote procedural call between the MPS server and the MPS client failed";
    807 MPS_SERVER_NOT_READY "MPS server is not ready to accept new MPS client requests";
    808 MPS_MAX_CLIENTS_REACHED "the hardware resources required to create MPS client have been exhausted";
    809 MPS_MAX_CONNECTIONS_REACHED "the hardware resources required to support device connections have been exhausted";
    810 MPS_CLIENT_TERMINATED "the MPS client has been terminated by the server";
    811 CDP_NOT_SUPPORTED
        "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it";
    812 CDP_VERSION_MISMATCH "unsupported interaction between different versions of CUDA Dynamic Parallelism";
    900 STREAM_CAPTURE_UNSUPPORTED "operation not permitted when stream is capturing";
    901 STREAM_CAPTURE_INVALIDATED "operation failed due to a previous error during capture";
    902 STREAM_CAPTURE_MERGE "operation would result in a merge of separate capture sequences";
    903 STREAM_CAPTURE_UNMATCHED "capture was not ended in the same stream as it began";
    904 STREAM_CAPTURE_UNJOINED "capturing stream has unjoined work";
    905 STREAM_CAPTURE_ISOLATION "dependency created on uncaptured work in another stream";
    906 STREAM_CAPTURE_IMPLICIT "operation would make the legacy stream depend on a capturing blocking stream";
    907 CAPTURED_EVENT "operation not permitted on an event last recorded in a capturing stream";
    908 STREAM_CAPTURE_WRONG_THREAD "attempt to terminate a thread-local capture sequence from another thread";
    909 TIMEOUT "wait operation timed out";
    910 GRAPH_EXEC_UPDATE_FAILURE
        "the graph update was not performed because it included changes which violated constraints specific to \
         instantiated graph update";
    911 EXTERNAL_DEVICE "an async error has occured in external entity outside of CUDA";
    912 INVALID_CLUSTER_SIZE "a kernel launch error has occurred due to cluster misconfiguration";
    913 FUNCTION_NOT_LOADED "the function handle is not loaded when calling an API that requires a loaded function";
    914 INVALID_RESOURCE_TYPE "one or more resources passed in are not valid resource types for the operation";
    915 INVALID_RESOURCE_CONFIGURATION "one or more resources are insufficient or non-applicable for the operation";
    916 KEY_ROTATION "the requested operation is not permitted because a key rotation is in progress";
    999 UNKNOWN "unknown error";
}

fn row(code: u32) -> Option<&'static Row> {
    ERRORS.binary_search_by_key(&code, |row| row.code).ok().map(|at| &ERRORS[at])
}

/// The name of a code, such as `CUDA_ERROR_INVALID_VALUE`.
pub(crate) fn name(code: u32) -> Option<&'static CStr> {
    row(code).map(|row| row.name)
}

/// What a code means, in a few words.
pub(crate) fn text(code: u32) -> Option<&'static CStr> {
    row(code).map(|row| row.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_complete() {
        assert!(ERRORS.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert_eq!(ERRORS.len(), 101);
        assert_eq!(name(700), Some(c"CUDA_ERROR_ILLEGAL_ADDRESS"));
        assert_eq!(text(700), Some(c"an illegal memory access was encountered"));
        assert_eq!(name(12345), None);
    }
}
