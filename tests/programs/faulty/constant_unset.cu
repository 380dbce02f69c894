// Finds: constant_unset
// Options: --fail-on warning

#include <cuda_runtime.h>

__constant__ float factors[4];

__global__ void scale(float *data) {
    data[threadIdx.x] *= factors[threadIdx.x % 4];
}

int main(int argc, char **) {
    float *data, values[4] = {1, 2, 3, 4};
    cudaMalloc(&data, 32 * sizeof(float));
    cudaMemset(data, 0, 32 * sizeof(float));
    if (argc > 1) cudaMemcpyToSymbol(factors, values, sizeof values);
    scale<<<1, 32>>>(data);  // here
    cudaDeviceSynchronize();
    cudaFree(data);
}
