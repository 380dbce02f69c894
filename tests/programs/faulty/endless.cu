// Finds: timeout
// Options: --time-limit 2

#include <cstdio>
#include <cuda_runtime.h>

__global__ void wait(volatile int *flag) {
    while (*flag == 0) {  // here
    }
}

int main(int argc, char **) {
    int *flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, argc > 1 ? 1 : 0, sizeof(int));
    wait<<<1, 1>>>(flag);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    cudaFree(flag);
}
