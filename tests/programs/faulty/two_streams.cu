// Finds: stream_race

#include <cuda_runtime.h>

__global__ void fill(int *data, int value) {
    data[threadIdx.x] = value;
}

int main(int argc, char **) {
    int *data;
    cudaMalloc(&data, 256 * sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEvent_t ready;
    cudaEventCreate(&ready);
    fill<<<1, 256, 0, first>>>(data, 1);
    cudaEventRecord(ready, first);
    if (argc > 1) cudaStreamWaitEvent(second, ready, 0);
    fill<<<1, 256, 0, second>>>(data, 2);  // here
    cudaDeviceSynchronize();
    cudaEventDestroy(ready);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(data);
}
