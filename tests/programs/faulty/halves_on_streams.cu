// Finds: stream_race

#include <cuda_runtime.h>

__global__ void fill(int *data, int from, int many) {
    if (threadIdx.x < many) data[from + threadIdx.x] = 3;
}

int main(int argc, char **) {
    int *data;
    cudaMalloc(&data, 256 * sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    fill<<<1, 256, 0, first>>>(data, 0, argc > 1 ? 128 : 129);
    fill<<<1, 256, 0, second>>>(data, 128, 128);  // here
    cudaDeviceSynchronize();
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(data);
}
