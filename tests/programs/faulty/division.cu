// Finds: division_by_zero
// Options: --check init --fail-on warning

#include <cuda_runtime.h>

__global__ void divide(int *data, int by) {
    data[threadIdx.x] = 100 / (static_cast<int>(threadIdx.x) - by);  // here
}

int main(int argc, char **) {
    int *data;
    cudaMalloc(&data, 32 * sizeof(int));
    divide<<<1, 32>>>(data, argc > 1 ? -1 : 5);
    cudaDeviceSynchronize();
    cudaFree(data);
}
