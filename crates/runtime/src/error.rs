//! Names of error codes, and what they mean.

use std::ffi::{CStr, c_char};

use crate::driver;
use crate::status;
use crate::unasked;

/// The names of the codes, in the order of their numbers.
const NAMES: &[(i32, &CStr)] = &[
    (0, c"cudaSuccess"),
    (1, c"cudaErrorInvalidValue"),
    (2, c"cudaErrorMemoryAllocation"),
    (3, c"cudaErrorInitializationError"),
    (4, c"cudaErrorCudartUnloading"),
    (5, c"cudaErrorProfilerDisabled"),
    (6, c"cudaErrorProfilerNotInitialized"),
    (7, c"cudaErrorProfilerAlreadyStarted"),
    (8, c"cudaErrorProfilerAlreadyStopped"),
    (9, c"cudaErrorInvalidConfiguration"),
    (12, c"cudaErrorInvalidPitchValue"),
    (13, c"cudaErrorInvalidSymbol"),
    (16, c"cudaErrorInvalidHostPointer"),
    (17, c"cudaErrorInvalidDevicePointer"),
    (18, c"cudaErrorInvalidTexture"),
    (19, c"cudaErrorInvalidTextureBinding"),
    (20, c"cudaErrorInvalidChannelDescriptor"),
    (21, c"cudaErrorInvalidMemcpyDirection"),
    (22, c"cudaErrorAddressOfConstant"),
    (23, c"cudaErrorTextureFetchFailed"),
    (24, c"cudaErrorTextureNotBound"),
    (25, c"cudaErrorSynchronizationError"),
    (26, c"cudaErrorInvalidFilterSetting"),
    (27, c"cudaErrorInvalidNormSetting"),
    (28, c"cudaErrorMixedDeviceExecution"),
    (31, c"cudaErrorNotYetImplemented"),
    (32, c"cudaErrorMemoryValueTooLarge"),
    (34, c"cudaErrorStubLibrary"),
    (35, c"cudaErrorInsufficientDriver"),
    (36, c"cudaErrorCallRequiresNewerDriver"),
    (37, c"cudaErrorInvalidSurface"),
    (43, c"cudaErrorDuplicateVariableName"),
    (44, c"cudaErrorDuplicateTextureName"),
    (45, c"cudaErrorDuplicateSurfaceName"),
    (46, c"cudaErrorDevicesUnavailable"),
    (49, c"cudaErrorIncompatibleDriverContext"),
    (52, c"cudaErrorMissingConfiguration"),
    (53, c"cudaErrorPriorLaunchFailure"),
    (65, c"cudaErrorLaunchMaxDepthExceeded"),
    (66, c"cudaErrorLaunchFileScopedTex"),
    (67, c"cudaErrorLaunchFileScopedSurf"),
    (68, c"cudaErrorSyncDepthExceeded"),
    (69, c"cudaErrorLaunchPendingCountExceeded"),
    (98, c"cudaErrorInvalidDeviceFunction"),
    (100, c"cudaErrorNoDevice"),
    (101, c"cudaErrorInvalidDevice"),
    (102, c"cudaErrorDeviceNotLicensed"),
    (103, c"cudaErrorSoftwareValidityNotEstablished"),
    (127, c"cudaErrorStartupFailure"),
    (200, c"cudaErrorInvalidKernelImage"),
    (201, c"cudaErrorDeviceUninitialized"),
    (205, c"cudaErrorMapBufferObjectFailed"),
    (206, c"cudaErrorUnmapBufferObjectFailed"),
    (207, c"cudaErrorArrayIsMapped"),
    (208, c"cudaErrorAlreadyMapped"),
    (209, c"cudaErrorNoKernelImageForDevice"),
    (210, c"cudaErrorAlreadyAcquired"),
    (211, c"cudaErrorNotMapped"),
    (212, c"cudaErrorNotMappedAsArray"),
    (213, c"cudaErrorNotMappedAsPointer"),
    (214, c"cudaErrorECCUncorrectable"),
    (215, c"cudaErrorUnsupportedLimit"),
    (216, c"cudaErrorDeviceAlreadyInUse"),
    (217, c"cudaErrorPeerAccessUnsupported"),
    (218, c"cudaErrorInvalidPtx"),
    (219, c"cudaErrorInvalidGraphicsContext"),
    (220, c"cudaErrorNvlinkUncorrectable"),
    (221, c"cudaErrorJitCompilerNotFound"),
    (222, c"cudaErrorUnsupportedPtxVersion"),
    (223, c"cudaErrorJitCompilationDisabled"),
    (224, c"cudaErrorUnsupportedExecAffinity"),
    (225, c"cudaErrorUnsupportedDevSideSync"),
    (226, c"cudaErrorContained"),
    (300, c"cudaErrorInvalidSource"),
    (301, c"cudaErrorFileNotFound"),
    (302, c"cudaErrorSharedObjectSymbolNotFound"),
    (303, c"cudaErrorSharedObjectInitFailed"),
    (304, c"cudaErrorOperatingSystem"),
    (400, c"cudaErrorInvalidResourceHandle"),
    (401, c"cudaErrorIllegalState"),
    (402, c"cudaErrorLossyQuery"),
    (500, c"cudaErrorSymbolNotFound"),
    (600, c"cudaErrorNotReady"),
    (700, c"cudaErrorIllegalAddress"),
    (701, c"cudaErrorLaunchOutOfResources"),
    (702, c"cudaErrorLaunchTimeout"),
    (703, c"cudaErrorLaunchIncompatibleTexturing"),
    (704, c"cudaErrorPeerAccessAlreadyEnabled"),
    (705, c"cudaErrorPeerAccessNotEnabled"),
    (708, c"cudaErrorSetOnActiveProcess"),
    (709, c"cudaErrorContextIsDestroyed"),
    (710, c"cudaErrorAssert"),
    (711, c"cudaErrorTooManyPeers"),
    (712, c"cudaErrorHostMemoryAlreadyRegistered"),
    (713, c"cudaErrorHostMemoryNotRegistered"),
    (714, c"cudaErrorHardwareStackError"),
    (715, c"cudaErrorIllegalInstruction"),
    (716, c"cudaErrorMisalignedAddress"),
    (717, c"cudaErrorInvalidAddressSpace"),
    (718, c"cudaErrorInvalidPc"),
    (719, c"cudaErrorLaunchFailure"),
    (720, c"cudaErrorCooperativeLaunchTooLarge"),
    (721, c"cudaErrorTensorMemoryLeak"),
    (800, c"cudaErrorNotPermitted"),
    (801, c"cudaErrorNotSupported"),
    (802, c"cudaErrorSystemNotReady"),
    (803, c"cudaErrorSystemDriverMismatch"),
    (804, c"cudaErrorCompatNotSupportedOnDevice"),
    (805, c"cudaErrorMpsConnectionFailed"),
    (806, c"cudaErrorMpsRpcFailure"),
    (807, c"cudaErrorMpsServerNotReady"),
    (808, c"cudaErrorMpsMaxClientsReached"),
    (809, c"cudaErrorMpsMaxConnectionsReached"),
    (810, c"cudaErrorMpsClientTerminated"),
    (811, c"cudaErrorCdpNotSupported"),
    (812, c"cudaErrorCdpVersionMismatch"),
    (900, c"cudaErrorStreamCaptureUnsupported"),
    (901, c"cudaErrorStreamCaptureInvalidated"),
    (902, c"cudaErrorStreamCaptureMerge"),
    (903, c"cudaErrorStreamCaptureUnmatched"),
    (904, c"cudaErrorStreamCaptureUnjoined"),
    (905, c"cudaErrorStreamCaptureIsolation"),
    (906, c"cudaErrorStreamCaptureImplicit"),
    (907, c"cudaErrorCapturedEvent"),
    (908, c"cudaErrorStreamCaptureWrongThread"),
    (909, c"cudaErrorTimeout"),
    (910, c"cudaErrorGraphExecUpdateFailure"),
    (911, c"cudaErrorExternalDevice"),
    (912, c"cudaErrorInvalidClusterSize"),
    (913, c"cudaErrorFunctionNotLoaded"),
    (914, c"cudaErrorInvalidResourceType"),
    (915, c"cudaErrorInvalidResourceConfiguration"),
    (999, c"cudaErrorUnknown"),
    (10000, c"cudaErrorApiFailureBase"),
];

/// The meanings of codes that only the runtime has. The driver knows the others.
const MEANINGS: &[(i32, &CStr)] = &[
    (9, c"invalid configuration argument"),
    (12, c"invalid pitch argument"),
    (13, c"invalid device symbol"),
    (16, c"invalid host pointer"),
    (17, c"invalid device pointer"),
    (18, c"invalid texture reference"),
    (19, c"texture is not bound to a pointer"),
    (20, c"invalid channel descriptor"),
    (21, c"invalid copy direction for memcpy"),
    (22, c"invalid address of constant"),
    (26, c"linear filtering not supported for non-float type"),
    (27, c"read as normalized float not supported for data type"),
    (31, c"feature not yet implemented"),
    (34, c"CUDA driver is a stub library"),
    (35, c"CUDA driver version is insufficient for CUDA runtime version"),
    (36, c"API call is not supported in the installed CUDA driver"),
    (37, c"invalid surface reference"),
    (43, c"duplicate global variable looked up by string name"),
    (46, c"CUDA-capable device(s) is/are busy or unavailable"),
    (49, c"incompatible driver context"),
    (52, c"__global__ function call is not configured"),
    (53, c"unspecified launch failure in prior launch"),
    (65, c"launch would exceed maximum depth of nested launches"),
    (69, c"launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"),
    (98, c"invalid device function"),
    (127, c"startup failure in cuda runtime"),
    (10000, c"api failure base"),
];

const UNRECOGNIZED: &CStr = c"unrecognized error code";

fn find(table: &[(i32, &'static CStr)], code: i32) -> Option<&'static CStr> {
    table.binary_search_by_key(&code, |(number, _)| *number).ok().map(|at| table[at].1)
}

/// `cudaGetErrorName` of the runtime API.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorName(code: i32) -> *const c_char {
    find(NAMES, code).unwrap_or(UNRECOGNIZED).as_ptr()
}

/// `cudaGetErrorString` of the runtime API.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetErrorString(code: i32) -> *const c_char {
    if let Some(meaning) = find(MEANINGS, code) {
        return meaning.as_ptr();
    }
    if find(NAMES, code).is_none() {
        return UNRECOGNIZED.as_ptr();
    }
    let mut text = std::ptr::null();
    // SAFETY: the driver writes the address of a text that lives as long as the process.
    match unsafe { driver::cuGetErrorString(code, &mut text) } {
        Ok(()) if !text.is_null() => text,
        _ => cudaGetErrorName(code),
    }
}

/// `cudaGetLastError` of the runtime API.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGetLastError() -> i32 {
    unasked::asked();
    status::take()
}

/// `cudaPeekAtLastError` of the runtime API.
#[unsafe(no_mangle)]
pub extern "C" fn cudaPeekAtLastError() -> i32 {
    unasked::asked();
    status::last()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(pointer: *const c_char) -> &'static str {
        // SAFETY: both functions return texts that live as long as the process.
        unsafe { CStr::from_ptr(pointer) }.to_str().unwrap()
    }

    #[test]
    fn tables_are_in_order() {
        assert!(NAMES.is_sorted_by_key(|(code, _)| *code));
        assert!(MEANINGS.is_sorted_by_key(|(code, _)| *code));
        assert!(MEANINGS.iter().all(|(code, _)| find(NAMES, *code).is_some()));
    }

    #[test]
    fn codes_have_names_and_meanings() {
        assert_eq!(text(cudaGetErrorName(0)), "cudaSuccess");
        assert_eq!(text(cudaGetErrorName(700)), "cudaErrorIllegalAddress");
        assert_eq!(text(cudaGetErrorName(12345)), "unrecognized error code");
        assert_eq!(text(cudaGetErrorString(9)), "invalid configuration argument");
        assert_eq!(text(cudaGetErrorString(12345)), "unrecognized error code");
    }
}
