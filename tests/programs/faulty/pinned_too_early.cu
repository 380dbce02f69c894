// Finds: host_race

#include <cstdio>
#include <cuda_runtime.h>

int main(int argc, char **) {
    int *data, *host;
    cudaMalloc(&data, 1024);
    cudaMemset(data, 0, 1024);
    cudaMallocHost(&host, 1024);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(host, data, 1024, cudaMemcpyDeviceToHost, stream);
    if (argc > 1) cudaStreamSynchronize(stream);
    printf("%d\n", host[7]);  // here
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFreeHost(host);
    cudaFree(data);
}
