// Finds: race
// Options: --check races

#include <cuda_runtime.h>

__global__ void count(int *total, bool right) {
    if (right)
        atomicAdd(total, 1);
    else
        *total += 1;  // here
}

int main(int argc, char **) {
    int *total;
    cudaMalloc(&total, sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    count<<<4, 1>>>(total, argc > 1);
    cudaDeviceSynchronize();
    cudaFree(total);
}
