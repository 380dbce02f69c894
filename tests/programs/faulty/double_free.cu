// Finds: double_free

#include <cstdio>
#include <cuda_runtime.h>

int main(int argc, char **) {
    int *data;
    cudaMalloc(&data, 64);
    cudaFree(data);
    if (argc > 1) data = nullptr;
    cudaError_t status = cudaFree(data);  // here
    if (status != cudaSuccess) printf("%s\n", cudaGetErrorName(status));
}
