// Finds: host_race

#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *data) {
    data[threadIdx.x] = 3;
}

int main(int argc, char **) {
    int *data;
    cudaMallocManaged(&data, 256 * sizeof(int));
    fill<<<1, 256>>>(data);
    if (argc > 1) cudaDeviceSynchronize();
    printf("%d\n", data[7]);  // here
    cudaDeviceSynchronize();
    cudaFree(data);
}
