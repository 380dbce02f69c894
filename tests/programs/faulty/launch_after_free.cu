// Finds: out_of_bounds
// Says: the memory was freed before the launch

#include <cstdio>
#include <cuda_runtime.h>

__global__ void store(int *out) {
    out[threadIdx.x] = 1;  // here
}

int main(int argc, char **) {
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    if (argc == 1) cudaFree(out);
    store<<<1, 32>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    if (argc > 1) cudaFree(out);
}
