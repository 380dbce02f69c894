// A whole program, as in an exercise: the kernel has an error in its last line.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>
#include "device_launch_parameters.h"
#include <math.h>

#define CHECK(call) { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } }

__global__ void add(const int *a, const int *b, int *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) printf("adding %d numbers\n", (int)(gridDim.x * blockDim.x));
    c[i] = a[i] + b[i];
}

template <typename T, int BLOCK>
__global__ void reverse(T *a) {
    __shared__ T tile[BLOCK];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

int main(void) {
    int *a, *b, *c;
    CHECK(cudaMallocManaged(&a, 4096));
    CHECK(cudaMallocManaged(&b, 4096));
    CHECK(cudaMallocManaged(&c, 4096));
    add<<<4, 256>>>(a, b, c);
    reverse<int, 256><<<1, 256>>>(a);
    CHECK(cudaDeviceSynchronize());
    printf("%f\n", sqrt((double)c[5]));
    return 0;
}
