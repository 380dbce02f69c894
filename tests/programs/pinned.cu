// Pinned memory, allocated and registered, in asynchronous copies.
#include "check.h"
#include <vector>

__global__ void negate(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = -data[i];
}

int main() {
    const int n = 1000;
    int *pinned, *device;
    std::vector<int> registered(n);
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    CHECK(cudaHostRegister(registered.data(), n * sizeof(int), cudaHostRegisterDefault));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; i++) pinned[i] = i;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));
    negate<<<(n + 127) / 128, 128, 0, stream>>>(device, n);
    CHECK(cudaMemcpyAsync(registered.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    long sum = 0;
    for (int v : registered) sum += v;
    printf("sum %ld\n", sum);
    printf("twice: %s\n", cudaGetErrorName(cudaHostRegister(registered.data(), n * sizeof(int), 0)));
    CHECK(cudaHostUnregister(registered.data()));
    printf("not registered: %s\n", cudaGetErrorName(cudaHostUnregister(registered.data())));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
}
