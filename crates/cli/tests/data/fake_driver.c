/* A libcuda that is none: it notes that it was loaded, and answers as a broken machine's driver would.
   -DVERSION=n: the CUDA version it claims; -DINIT=n: what cuInit returns; -DLACKS_LAUNCH: no cuLaunchKernel. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void loaded(void) {
    const char *note = getenv("FAKE_DRIVER_NOTE");
    FILE *file = note ? fopen(note, "w") : NULL;
    if (file) fclose(file);
}

int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuInit(unsigned flags) { (void)flags; return INIT; }
int cuGetErrorName(int status, const char **name) {
    *name = status == 100 ? "CUDA_ERROR_NO_DEVICE" : status == 803 ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" : "CUDA_ERROR_UNKNOWN";
    return 0;
}
int cuGetErrorString(int status, const char **text) { (void)status; *text = "a fake says so"; return 0; }

#define REFUSES(name) int name(void) { return 999; }
REFUSES(cuDeviceGet) REFUSES(cuDeviceGetCount) REFUSES(cuDeviceGetName) REFUSES(cuDeviceGetAttribute)
REFUSES(cuDeviceTotalMem_v2) REFUSES(cuCtxCreate_v2) REFUSES(cuCtxDestroy_v2) REFUSES(cuCtxSetCurrent)
REFUSES(cuStreamCreate) REFUSES(cuStreamSynchronize) REFUSES(cuEventCreate)
REFUSES(cuEventRecord) REFUSES(cuEventDestroy_v2) REFUSES(cuEventSynchronize) REFUSES(cuEventElapsedTime)
REFUSES(cuMemAlloc_v2) REFUSES(cuMemFree_v2) REFUSES(cuMemGetInfo_v2) REFUSES(cuMemAllocHost_v2)
REFUSES(cuMemcpyHtoDAsync_v2) REFUSES(cuMemcpyDtoHAsync_v2) REFUSES(cuMemcpyDtoDAsync_v2) REFUSES(cuMemsetD8Async)
REFUSES(cuModuleLoadDataEx) REFUSES(cuModuleGetFunction) REFUSES(cuModuleGetGlobal_v2) REFUSES(cuFuncSetAttribute)
REFUSES(cuFuncGetAttribute) REFUSES(cuStreamDestroy_v2) REFUSES(cuStreamWaitEvent)
#ifndef LACKS_LAUNCH
REFUSES(cuLaunchKernel)
#endif
