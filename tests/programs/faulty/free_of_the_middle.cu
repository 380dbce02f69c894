// Finds: invalid_free

#include <cstdio>
#include <cuda_runtime.h>

int main(int argc, char **) {
    int *data;
    cudaMalloc(&data, 4096);
    cudaError_t status = cudaFree(argc > 1 ? data : data + 256);  // here
    if (status != cudaSuccess) printf("%s\n", cudaGetErrorName(status));
    if (argc == 1) cudaFree(data);
}
