// Finds: copy_direction

#include <cstdio>
#include <cuda_runtime.h>

int main(int argc, char **) {
    int host[16] = {};
    int *data;
    cudaMalloc(&data, sizeof host);
    auto kind = argc > 1 ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    cudaError_t status = cudaMemcpy(host, data, sizeof host, kind);  // here
    if (status != cudaSuccess) printf("%s\n", cudaGetErrorName(status));
    cudaFree(data);
}
