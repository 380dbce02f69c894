// Finds: copy_out_of_bounds

#include <cstdio>
#include <cuda_runtime.h>

int main(int argc, char **) {
    char *data;
    cudaMalloc(&data, 1000);
    cudaError_t status = cudaMemset(data, 0, argc > 1 ? 1000 : 1001);  // here
    if (status != cudaSuccess) printf("%s\n", cudaGetErrorName(status));
    cudaFree(data);
}
