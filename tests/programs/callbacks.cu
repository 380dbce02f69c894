// The host is told how far a stream has come.
#include "check.h"

__global__ void set(int *value, int to) { *value = to; }

static void CUDART_CB told(cudaStream_t, cudaError_t status, void *data) {
    printf("callback: %s, %d\n", cudaGetErrorName(status), *(int *)data);
}

static void CUDART_CB called(void *data) { printf("host function: %d\n", *(int *)data), *(int *)data += 1; }

int main() {
    int *value, *host;
    CHECK(cudaMalloc(&value, sizeof(int)));
    CHECK(cudaMallocHost(&host, sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    set<<<1, 1, 0, stream>>>(value, 11);
    CHECK(cudaMemcpyAsync(host, value, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamAddCallback(stream, told, host, 0));
    CHECK(cudaLaunchHostFunc(stream, called, host));
    CHECK(cudaMemcpyAsync(value, host, sizeof(int), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    int result;
    CHECK(cudaMemcpy(&result, value, sizeof(int), cudaMemcpyDeviceToHost));
    printf("result %d\n", result);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(value));
}
