// Both APIs in one program: memory of one in a launch of the other.
// nvcc: -lcuda
#include "check.h"
#include <cuda.h>

__global__ void triple(int *data) { data[threadIdx.x] *= 3; }

int main() {
    int *data, host[4] = {1, 2, 3, 4};
    CHECK(cudaMalloc(&data, sizeof host));
    if (cuMemcpyHtoD((CUdeviceptr)data, host, sizeof host) != CUDA_SUCCESS) return 1;
    cudaFunction_t function;
    CHECK(cudaGetFuncBySymbol(&function, (const void *)triple));
    void *arguments[] = {&data};
    if (cuLaunchKernel((CUfunction)function, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr) != CUDA_SUCCESS)
        return 2;
    CUdeviceptr more;
    if (cuMemAlloc(&more, sizeof host) != CUDA_SUCCESS) return 3;
    CHECK(cudaMemcpy((void *)more, data, sizeof host, cudaMemcpyDeviceToDevice));
    triple<<<1, 4>>>((int *)more);
    CHECK(cudaMemcpy(host, (void *)more, sizeof host, cudaMemcpyDefault));
    printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
    CUcontext context, primary;
    CUdevice device;
    if (cuCtxGetCurrent(&context) != CUDA_SUCCESS || cuCtxGetDevice(&device) != CUDA_SUCCESS) return 4;
    if (cuDevicePrimaryCtxRetain(&primary, device) != CUDA_SUCCESS) return 5;
    printf("the runtime uses the primary context: %d\n", context == primary);
    cuDevicePrimaryCtxRelease(device);
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuMemFree", &entry, 12000, cudaEnableDefault, &found));
    printf("found: %d\n", found == cudaDriverEntryPointSuccess);
    if (((CUresult (*)(CUdeviceptr))entry)(more) != CUDA_SUCCESS) return 6;
    CHECK(cudaGetDriverEntryPointByVersion("cuNothing", &entry, 12000, cudaEnableDefault, &found));
    printf("not found: %d\n", found == cudaDriverEntryPointSymbolNotFound);
    CHECK(cudaFree(data));
}
