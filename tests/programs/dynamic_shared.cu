// Shared memory whose size the launch says, up to what a kernel must ask for.
#include "check.h"

__global__ void reverse(int *data, int n) {
    extern __shared__ int copy[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) copy[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = copy[n - 1 - i];
}

int main() {
    const int n = 15000;  // 60000 bytes
    int *data, *host = new int[n];
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    CHECK(cudaMemcpy(data, host, n * sizeof(int), cudaMemcpyHostToDevice));
    reverse<<<1, 256, 1000 * sizeof(int)>>>(data, 1000);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    reverse<<<1, 256, n * sizeof(int)>>>(data, n);
    printf("without asking: %s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(int)));
    reverse<<<1, 256, n * sizeof(int)>>>(data, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", host[0], host[n - 1], host[n - 1000]);
    CHECK(cudaFree(data));
}
