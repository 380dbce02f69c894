// A store to nowhere: the launch succeeds, what comes after does not.
// finds: out_of_bounds
#include "check.h"

__global__ void store(int *to) { *to = 1; }

int main() {
    int *good, host;
    CHECK(cudaMalloc(&good, sizeof(int)));
    store<<<1, 1>>>((int *)16);
    printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaError_t code = cudaDeviceSynchronize();
    printf("wait: %s (%s)\n", cudaGetErrorName(code), cudaGetErrorString(code));
    printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(&host, good, sizeof host, cudaMemcpyDeviceToHost)));
    printf("allocation: %s\n", cudaGetErrorName(cudaMalloc(&good, 4)));
}
