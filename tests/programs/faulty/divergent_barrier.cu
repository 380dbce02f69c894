// Finds: barrier_divergence
// Options: --check sync

#include <cstdio>
#include <cuda_runtime.h>

__global__ void meet(int *out, bool right) {
    __shared__ int seen;
    if (threadIdx.x == 0) seen = 1;
    if (right || threadIdx.x < 48)
        __syncthreads();  // here
    if (threadIdx.x == 0) out[0] = seen;
}

int main(int argc, char **) {
    int *out;
    cudaMalloc(&out, sizeof(int));
    meet<<<1, 64>>>(out, argc > 1);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    cudaFree(out);
}
