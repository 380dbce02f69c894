// Finds: out_of_bounds
// Options: --fail-on warning

#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *data, int n) {
    if (threadIdx.x < n) data[threadIdx.x] = 1;  // here
}

int main(int argc, char **) {
    int *data;
    cudaMalloc(&data, 100 * sizeof(int));
    fill<<<1, 128>>>(data, argc > 1 ? 100 : 101);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    cudaFree(data);
}
