// A sum by trees in shared memory, launched until one number is left.
#include "check.h"

__global__ void sum(const int *in, int *out, int n) {
    __shared__ int part[256];
    int i = blockIdx.x * 512 + threadIdx.x;
    int own = 0;
    if (i < n) own += in[i];
    if (i + 256 < n) own += in[i + 256];
    part[threadIdx.x] = own;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

int main() {
    int n = 100000;
    int *host = new int[n];
    for (int i = 0; i < n; i++) host[i] = i % 7;
    long expected = 0;
    for (int i = 0; i < n; i++) expected += host[i];
    int *from, *to;
    CHECK(cudaMalloc(&from, n * sizeof(int)));
    CHECK(cudaMalloc(&to, n * sizeof(int)));
    CHECK(cudaMemcpy(from, host, n * sizeof(int), cudaMemcpyHostToDevice));
    int rounds = 0;
    while (n > 1) {
        int blocks = (n + 511) / 512;
        sum<<<blocks, 256>>>(from, to, n);
        CHECK(cudaGetLastError());
        int *swap = from;
        from = to, to = swap;
        n = blocks, rounds++;
    }
    int result;
    CHECK(cudaMemcpy(&result, from, sizeof(int), cudaMemcpyDeviceToHost));
    printf("sum %d, expected %ld, %d rounds\n", result, expected, rounds);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}
