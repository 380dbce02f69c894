// Finds: uninitialized
// Options: --check init

#include <cuda_runtime.h>

__global__ void gather(int *out, bool right) {
    __shared__ int tile[64];
    if (right || threadIdx.x < 32) tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];  // here
}

int main(int argc, char **) {
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    gather<<<1, 64>>>(out, argc > 1);
    cudaDeviceSynchronize();
    cudaFree(out);
}
