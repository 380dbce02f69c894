// Finds: stream_race

#include <cuda_runtime.h>

__global__ void fill(int *data) {
    data[threadIdx.x] = 3;
}

int main(int argc, char **) {
    int *data, *host;
    cudaMalloc(&data, 256 * sizeof(int));
    cudaMallocHost(&host, 256 * sizeof(int));
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    fill<<<1, 256, 0, first>>>(data);
    cudaStream_t other = argc > 1 ? first : second;
    cudaMemcpyAsync(host, data, 256 * sizeof(int), cudaMemcpyDeviceToHost, other);  // here
    cudaDeviceSynchronize();
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFreeHost(host);
    cudaFree(data);
}
