// CUB: a scan, a reduction and a block-wide sum.
#include "check.h"
#include <cub/cub.cuh>

__global__ void block_sums(const int *in, int *out) {
    typedef cub::BlockReduce<int, 128> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    int sum = Reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
    const int n = 4096;
    int *in, *out, *host = new int[n];
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    for (int i = 0; i < n; i++) host[i] = i % 10;
    CHECK(cudaMemcpy(in, host, n * sizeof(int), cudaMemcpyHostToDevice));
    size_t bytes = 0;
    void *storage = nullptr;
    CHECK(cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, n));
    CHECK(cudaMalloc(&storage, bytes));
    CHECK(cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, n));
    int *scanned = new int[n], wrong = 0, running = 0;
    CHECK(cudaMemcpy(scanned, out, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) wrong += scanned[i] != running, running += host[i];
    printf("scan: %d wrong\n", wrong);
    CHECK(cudaFree(storage));
    storage = nullptr, bytes = 0;
    CHECK(cub::DeviceReduce::Max(storage, bytes, in, out, n));
    CHECK(cudaMalloc(&storage, bytes));
    CHECK(cub::DeviceReduce::Max(storage, bytes, in, out, n));
    int most;
    CHECK(cudaMemcpy(&most, out, sizeof(int), cudaMemcpyDeviceToHost));
    printf("max %d\n", most);
    block_sums<<<n / 128, 128>>>(in, out);
    CHECK(cudaMemcpy(scanned, out, n / 128 * sizeof(int), cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < n / 128; i++) sum += scanned[i];
    printf("blocks: %d, expected %d\n", sum, running);
    CHECK(cudaFree(storage));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
