// Finds: invalid_free

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

int main(int argc, char **) {
    void *host = malloc(64), *device;
    cudaMalloc(&device, 64);
    cudaError_t status = cudaFree(argc > 1 ? device : host);  // here
    if (status != cudaSuccess) printf("%s\n", cudaGetErrorName(status));
    if (argc == 1) cudaFree(device);
    free(host);
}
