// Counts in shared memory first, then in global memory.
#include "check.h"

__global__ void count(const unsigned char *data, int n, unsigned *bins) {
    __shared__ unsigned own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[data[i] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main() {
    const int n = 50000;
    unsigned char *data = new unsigned char[n];
    unsigned seed = 1;
    for (int i = 0; i < n; i++) seed = seed * 1664525 + 1013904223, data[i] = seed >> 24;
    unsigned expected[16] = {}, bins[16];
    for (int i = 0; i < n; i++) expected[data[i] % 16]++;
    unsigned char *d;
    unsigned *b;
    CHECK(cudaMalloc(&d, n));
    CHECK(cudaMalloc(&b, sizeof bins));
    CHECK(cudaMemset(b, 0, sizeof bins));
    CHECK(cudaMemcpy(d, data, n, cudaMemcpyHostToDevice));
    count<<<8, 128>>>(d, n, b);
    CHECK(cudaMemcpy(bins, b, sizeof bins, cudaMemcpyDeviceToHost));
    unsigned all = 0, wrong = 0;
    for (int i = 0; i < 16; i++) all += bins[i], wrong += bins[i] != expected[i];
    printf("%u counted, %u bins wrong\n", all, wrong);
    CHECK(cudaFree(d));
    CHECK(cudaFree(b));
}
