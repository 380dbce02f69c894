// Finds: use_after_free

#include <cstdio>
#include <cuda_runtime.h>

int main(int argc, char **) {
    int host[16] = {};
    int *data;
    cudaMalloc(&data, sizeof host);
    if (argc == 1) cudaFree(data);
    cudaError_t status = cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);  // here
    if (status != cudaSuccess) printf("%s\n", cudaGetErrorName(status));
    if (argc > 1) cudaFree(data);
}
