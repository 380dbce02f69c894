// Finds: out_of_bounds
// Options: --check memory

#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(float *data, int n, bool right) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!right || i < n) data[i] = 2.0f * i;  // here
}

int main(int argc, char **) {
    const int n = 1000;
    float *data;
    cudaMalloc(&data, n * sizeof(float));
    scale<<<4, 256>>>(data, n, argc > 1);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    cudaFree(data);
}
