// Finds: misaligned
// Options: --check memory

#include <cstdio>
#include <cuda_runtime.h>

__global__ void store(char *bytes, int at) {
    *reinterpret_cast<int *>(bytes + at) = 7;  // here
}

int main(int argc, char **) {
    char *bytes;
    cudaMalloc(&bytes, 64);
    store<<<1, 1>>>(bytes, argc > 1 ? 4 : 1);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    cudaFree(bytes);
}
