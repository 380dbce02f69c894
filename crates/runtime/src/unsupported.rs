//! Names that the library has so that programs start, and that are not supported.

use crate::unsupported;

// Other graphics interfaces.
unsupported! {
    cudaEGLStreamConsumerAcquireFrame
    cudaEGLStreamConsumerConnect
    cudaEGLStreamConsumerConnectWithFlags
    cudaEGLStreamConsumerDisconnect
    cudaEGLStreamConsumerReleaseFrame
    cudaEGLStreamProducerConnect
    cudaEGLStreamProducerDisconnect
    cudaEGLStreamProducerPresentFrame
    cudaEGLStreamProducerReturnFrame
    cudaEventCreateFromEGLSync
    cudaGLGetDevices
    cudaGLMapBufferObject
    cudaGLMapBufferObjectAsync
    cudaGLRegisterBufferObject
    cudaGLSetBufferObjectMapFlags
    cudaGLSetGLDevice
    cudaGLUnmapBufferObject
    cudaGLUnmapBufferObjectAsync
    cudaGLUnregisterBufferObject
    cudaGraphicsEGLRegisterImage
    cudaGraphicsGLRegisterBuffer
    cudaGraphicsGLRegisterImage
    cudaGraphicsMapResources
    cudaGraphicsResourceGetMappedEglFrame
    cudaGraphicsResourceGetMappedMipmappedArray
    cudaGraphicsResourceGetMappedPointer
    cudaGraphicsResourceSetMapFlags
    cudaGraphicsSubResourceGetMappedArray
    cudaGraphicsUnmapResources
    cudaGraphicsUnregisterResource
    cudaGraphicsVDPAURegisterOutputSurface
    cudaGraphicsVDPAURegisterVideoSurface
    cudaVDPAUGetDevice
    cudaVDPAUSetVDPAUDevice
}

// External memory and semaphores, and NvSci.
unsupported! {
    cudaDestroyExternalMemory
    cudaDestroyExternalSemaphore
    cudaDeviceGetNvSciSyncAttributes
    cudaExternalMemoryGetMappedBuffer
    cudaExternalMemoryGetMappedMipmappedArray
    cudaGraphAddExternalSemaphoresSignalNode
    cudaGraphAddExternalSemaphoresWaitNode
    cudaGraphExecExternalSemaphoresSignalNodeSetParams
    cudaGraphExecExternalSemaphoresWaitNodeSetParams
    cudaGraphExternalSemaphoresSignalNodeGetParams
    cudaGraphExternalSemaphoresSignalNodeSetParams
    cudaGraphExternalSemaphoresWaitNodeGetParams
    cudaGraphExternalSemaphoresWaitNodeSetParams
    cudaImportExternalMemory
    cudaImportExternalSemaphore
    cudaSignalExternalSemaphoresAsync
    cudaSignalExternalSemaphoresAsync_ptsz
    cudaWaitExternalSemaphoresAsync
    cudaWaitExternalSemaphoresAsync_ptsz
}

// Pools shared between processes.
unsupported! {
    cudaMemPoolExportPointer
    cudaMemPoolExportToShareableHandle
    cudaMemPoolImportFromShareableHandle
    cudaMemPoolImportPointer
}

// Batches of boxes.
unsupported! {
    cudaMemcpy3DBatchAsync
    cudaMemcpy3DBatchAsync_ptsz
}

// The rest.
unsupported! {
    cudaArrayGetMemoryRequirements
    cudaDeviceRegisterAsyncNotification
    cudaDeviceUnregisterAsyncNotification
    cudaGetExportTable
    cudaMipmappedArrayGetMemoryRequirements
    cudaMipmappedArrayGetSparseProperties
}
