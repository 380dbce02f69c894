// Finds: out_of_bounds
// Says: it is memory of the host
// Options: --check none

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void store(int *out) {
    out[threadIdx.x] = 1;  // here
}

int main(int argc, char **) {
    int *host = static_cast<int *>(malloc(32 * sizeof(int)));
    int *device;
    cudaMalloc(&device, 32 * sizeof(int));
    store<<<1, 32>>>(argc > 1 ? device : host);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    cudaFree(device);
    free(host);
}
