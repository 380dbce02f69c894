// Finds: use_after_free

#include <cstdio>
#include <cuda_runtime.h>

int main(int argc, char **) {
    char *first, *second;
    cudaMalloc(&first, 4096);
    cudaMalloc(&second, 4096);
    cudaFree(first);
    cudaError_t status = cudaMemset(argc > 1 ? second : first, 0, 4096);  // here
    if (status != cudaSuccess) printf("%s\n", cudaGetErrorName(status));
    cudaFree(second);
}
