// Finds: copy_out_of_bounds

#include <cstdio>
#include <cuda_runtime.h>

int main(int argc, char **) {
    int host[100] = {};
    int *data;
    cudaMalloc(&data, 90 * sizeof(int));
    size_t many = argc > 1 ? 90 : 100;
    cudaError_t status = cudaMemcpy(data, host, many * sizeof(int), cudaMemcpyHostToDevice);  // here
    if (status != cudaSuccess) printf("%s\n", cudaGetErrorName(status));
    cudaFree(data);
}
