// How many blocks fit, and which block size fills a GPU.
#include "check.h"

__global__ void light(int *out) { out[threadIdx.x] = threadIdx.x; }
__global__ void heavy(int *out) {
    __shared__ int big[10240];
    for (int i = threadIdx.x; i < 10240; i += blockDim.x) big[i] = i;
    __syncthreads();
    out[threadIdx.x] = big[threadIdx.x * 7];
}

int main() {
    int blocks, with_shared, per_multiprocessor, threads, most;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 256, 0));
    CHECK(cudaDeviceGetAttribute(&per_multiprocessor, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    printf("light fills a multiprocessor: %d\n", blocks * 256 == per_multiprocessor);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&with_shared, heavy, 32, 0));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    printf("heavy is bound by shared memory: %d\n", with_shared == most / (40960 + 1024));
    int least_grid, block;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&least_grid, &block, light));
    CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
    printf("a good block: %d\n", block > 0 && block % 32 == 0 && block <= threads && least_grid > 0);
    size_t dynamic;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, light, 2, 128));
    printf("two blocks may have some: %d\n", dynamic > 0);
}
