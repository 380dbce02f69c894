// Finds: out_of_bounds
// Options: --check none

#include <cstdio>
#include <cuda_runtime.h>

__global__ void store(int *out) {
    out[threadIdx.x] = 1;  // here
}

int main(int argc, char **) {
    int *out = nullptr;
    if (argc > 1) cudaMalloc(&out, 32 * sizeof(int));
    store<<<1, 32>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    cudaFree(out);
}
