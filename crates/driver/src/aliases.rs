//! Forms of functions whose default stream is that of the calling thread.
//!
//! Work is done in order whatever the stream, so that they are the plain forms under other names.

use std::arch::naked_asm;

macro_rules! aliases {
    ($($alias:ident = $function:ident,)*) => {$(
        #[doc = concat!("`", stringify!($function), "`, with the default stream of the calling thread.")]
        ///
        /// # Safety
        ///
        /// It takes the arguments of the plain form, whatever its type says here.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $alias() -> u32 {
            #[cfg(target_arch = "x86_64")]
            naked_asm!("jmp {}", sym crate::api::$function);
            #[cfg(target_arch = "aarch64")]
            naked_asm!("b {}", sym crate::api::$function);
        }
    )*};
}

aliases! {
    cuEventRecordWithFlags_ptsz = cuEventRecordWithFlags,
    cuEventRecord_ptsz = cuEventRecord,
    cuGraphInstantiateWithParams_ptsz = cuGraphInstantiateWithParams,
    cuGraphLaunch_ptsz = cuGraphLaunch,
    cuGraphUpload_ptsz = cuGraphUpload,
    cuLaunchCooperativeKernel_ptsz = cuLaunchCooperativeKernel,
    cuLaunchHostFunc_ptsz = cuLaunchHostFunc,
    cuLaunchKernelEx_ptsz = cuLaunchKernelEx,
    cuLaunchKernel_ptsz = cuLaunchKernel,
    cuMemAllocAsync_ptsz = cuMemAllocAsync,
    cuMemAllocFromPoolAsync_ptsz = cuMemAllocFromPoolAsync,
    cuMemDiscardAndPrefetchBatchAsync_ptsz = cuMemDiscardAndPrefetchBatchAsync,
    cuMemDiscardBatchAsync_ptsz = cuMemDiscardBatchAsync,
    cuMemFreeAsync_ptsz = cuMemFreeAsync,
    cuMemPrefetchAsync_ptsz = cuMemPrefetchAsync,
    cuMemPrefetchAsync_v2_ptsz = cuMemPrefetchAsync_v2,
    cuMemPrefetchBatchAsync_ptsz = cuMemPrefetchBatchAsync,
    cuMemcpy2DAsync_v2_ptsz = cuMemcpy2DAsync_v2,
    cuMemcpy2DUnaligned_v2_ptds = cuMemcpy2DUnaligned_v2,
    cuMemcpy2D_v2_ptds = cuMemcpy2D_v2,
    cuMemcpy3DAsync_v2_ptsz = cuMemcpy3DAsync_v2,
    cuMemcpy3DPeerAsync_ptsz = cuMemcpy3DPeerAsync,
    cuMemcpy3DPeer_ptds = cuMemcpy3DPeer,
    cuMemcpy3D_v2_ptds = cuMemcpy3D_v2,
    cuMemcpyAsync_ptsz = cuMemcpyAsync,
    cuMemcpyAtoA_v2_ptds = cuMemcpyAtoA_v2,
    cuMemcpyAtoD_v2_ptds = cuMemcpyAtoD_v2,
    cuMemcpyAtoHAsync_v2_ptsz = cuMemcpyAtoHAsync_v2,
    cuMemcpyAtoH_v2_ptds = cuMemcpyAtoH_v2,
    cuMemcpyBatchAsync_ptsz = cuMemcpyBatchAsync,
    cuMemcpyBatchAsync_v2_ptsz = cuMemcpyBatchAsync_v2,
    cuMemcpyDtoA_v2_ptds = cuMemcpyDtoA_v2,
    cuMemcpyDtoDAsync_v2_ptsz = cuMemcpyDtoDAsync_v2,
    cuMemcpyDtoD_v2_ptds = cuMemcpyDtoD_v2,
    cuMemcpyDtoHAsync_v2_ptsz = cuMemcpyDtoHAsync_v2,
    cuMemcpyDtoH_v2_ptds = cuMemcpyDtoH_v2,
    cuMemcpyHtoAAsync_v2_ptsz = cuMemcpyHtoAAsync_v2,
    cuMemcpyHtoA_v2_ptds = cuMemcpyHtoA_v2,
    cuMemcpyHtoDAsync_v2_ptsz = cuMemcpyHtoDAsync_v2,
    cuMemcpyHtoD_v2_ptds = cuMemcpyHtoD_v2,
    cuMemcpyPeerAsync_ptsz = cuMemcpyPeerAsync,
    cuMemcpyPeer_ptds = cuMemcpyPeer,
    cuMemcpy_ptds = cuMemcpy,
    cuMemsetD16Async_ptsz = cuMemsetD16Async,
    cuMemsetD16_v2_ptds = cuMemsetD16_v2,
    cuMemsetD2D16Async_ptsz = cuMemsetD2D16Async,
    cuMemsetD2D16_v2_ptds = cuMemsetD2D16_v2,
    cuMemsetD2D32Async_ptsz = cuMemsetD2D32Async,
    cuMemsetD2D32_v2_ptds = cuMemsetD2D32_v2,
    cuMemsetD2D8Async_ptsz = cuMemsetD2D8Async,
    cuMemsetD2D8_v2_ptds = cuMemsetD2D8_v2,
    cuMemsetD32Async_ptsz = cuMemsetD32Async,
    cuMemsetD32_v2_ptds = cuMemsetD32_v2,
    cuMemsetD8Async_ptsz = cuMemsetD8Async,
    cuMemsetD8_v2_ptds = cuMemsetD8_v2,
    cuStreamAddCallback_ptsz = cuStreamAddCallback,
    cuStreamAttachMemAsync_ptsz = cuStreamAttachMemAsync,
    cuStreamBatchMemOp_ptsz = cuStreamBatchMemOp,
    cuStreamBatchMemOp_v2_ptsz = cuStreamBatchMemOp_v2,
    cuStreamBeginCaptureToGraph_ptsz = cuStreamBeginCaptureToGraph,
    cuStreamBeginCapture_ptsz = cuStreamBeginCapture,
    cuStreamBeginCapture_v2_ptsz = cuStreamBeginCapture_v2,
    cuStreamCopyAttributes_ptsz = cuStreamCopyAttributes,
    cuStreamEndCapture_ptsz = cuStreamEndCapture,
    cuStreamGetAttribute_ptsz = cuStreamGetAttribute,
    cuStreamGetCaptureInfo_ptsz = cuStreamGetCaptureInfo,
    cuStreamGetCaptureInfo_v2_ptsz = cuStreamGetCaptureInfo_v2,
    cuStreamGetCaptureInfo_v3_ptsz = cuStreamGetCaptureInfo_v3,
    cuStreamGetCtx_ptsz = cuStreamGetCtx,
    cuStreamGetCtx_v2_ptsz = cuStreamGetCtx_v2,
    cuStreamGetDevice_ptsz = cuStreamGetDevice,
    cuStreamGetFlags_ptsz = cuStreamGetFlags,
    cuStreamGetId_ptsz = cuStreamGetId,
    cuStreamGetPriority_ptsz = cuStreamGetPriority,
    cuStreamIsCapturing_ptsz = cuStreamIsCapturing,
    cuStreamQuery_ptsz = cuStreamQuery,
    cuStreamSetAttribute_ptsz = cuStreamSetAttribute,
    cuStreamSynchronize_ptsz = cuStreamSynchronize,
    cuStreamUpdateCaptureDependencies_ptsz = cuStreamUpdateCaptureDependencies,
    cuStreamUpdateCaptureDependencies_v2_ptsz = cuStreamUpdateCaptureDependencies_v2,
    cuStreamWaitEvent_ptsz = cuStreamWaitEvent,
    cuStreamWaitValue32_ptsz = cuStreamWaitValue32,
    cuStreamWaitValue32_v2_ptsz = cuStreamWaitValue32_v2,
    cuStreamWaitValue64_ptsz = cuStreamWaitValue64,
    cuStreamWaitValue64_v2_ptsz = cuStreamWaitValue64_v2,
    cuStreamWriteValue32_ptsz = cuStreamWriteValue32,
    cuStreamWriteValue32_v2_ptsz = cuStreamWriteValue32_v2,
    cuStreamWriteValue64_ptsz = cuStreamWriteValue64,
    cuStreamWriteValue64_v2_ptsz = cuStreamWriteValue64_v2,
}
