// Managed memory with advice and wishes about where it should be.
#include "check.h"

__global__ void add(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] += i;
}

static cudaError_t move(void *data, size_t bytes, int device) {
#if CUDART_VERSION >= 13000
    cudaMemLocation location = {device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                                device < 0 ? 0 : device};
    return cudaMemPrefetchAsync(data, bytes, location, 0, 0);
#else
    return cudaMemPrefetchAsync(data, bytes, device, 0);
#endif
}

static cudaError_t advise(void *data, size_t bytes, cudaMemoryAdvise advice) {
#if CUDART_VERSION >= 13000
    return cudaMemAdvise(data, bytes, advice, {cudaMemLocationTypeDevice, 0});
#else
    return cudaMemAdvise(data, bytes, advice, 0);
#endif
}

int main() {
    const int n = 4096;
    int *data;
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    for (int i = 0; i < n; i++) data[i] = 1;
    CHECK(advise(data, n * sizeof(int), cudaMemAdviseSetReadMostly));
    CHECK(advise(data, n * sizeof(int), cudaMemAdviseUnsetReadMostly));
    CHECK(move(data, n * sizeof(int), 0));
    add<<<n / 256, 256>>>(data, n);
    CHECK(move(data, n * sizeof(int), -1));
    CHECK(cudaDeviceSynchronize());
    printf("%d %d\n", data[0], data[n - 1]);
    CHECK(cudaFree(data));
}
