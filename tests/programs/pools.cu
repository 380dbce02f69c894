// Memory in the order of a stream, from pools.
#include "check.h"

__global__ void fill(int *data, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = value;
}

int main() {
    int supported;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    printf("supported %d\n", supported);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    const int n = 1000;
    int *data, host[n];
    for (int round = 0; round < 3; round++) {
        CHECK(cudaMallocAsync(&data, sizeof host, stream));
        fill<<<4, 256, 0, stream>>>(data, n, round);
        CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(data, stream));
        CHECK(cudaStreamSynchronize(stream));
        printf("round %d: %d %d\n", round, host[0], host[n - 1]);
    }
    cudaMemPool_t pool, standard;
    CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
    unsigned long long threshold = 1 << 20, found = 0;
    CHECK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &found));
    printf("threshold %llu\n", found);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice, properties.location.id = 0;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    CHECK(cudaMallocFromPoolAsync(&data, sizeof host, pool, stream));
    fill<<<4, 256, 0, stream>>>(data, n, 42);
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    unsigned long long used = 0;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    printf("own pool: %d, in use %d\n", host[n - 1], used >= sizeof host);
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaStreamDestroy(stream));
}
