// The runtime API from C, with no kernels: memory, streams and events.
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void check(cudaError_t code, int line) {
    if (code != cudaSuccess) printf("line %d: %s\n", line, cudaGetErrorName(code)), failures++;
}
#define CHECK(call) check((call), __LINE__)

int main(void) {
    char text[] = "from host to device and back", back[sizeof text];
    void *a, *b;
    cudaStream_t stream;
    cudaEvent_t event;
    struct cudaExtent extent = {5, 6, 7};
    CHECK(cudaMalloc(&a, sizeof text));
    CHECK(cudaMalloc(&b, sizeof text));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaMemcpyAsync(a, text, sizeof text, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(b, a, sizeof text, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemsetAsync(b, '*', 4, stream));
    CHECK(cudaMemcpyAsync(back, b, sizeof text, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaEventSynchronize(event));
    printf("%s\n", back);
    CHECK(cudaMemcpy(back, text, sizeof text, cudaMemcpyHostToHost));
    printf("%s, %zu\n", back, extent.width * extent.height * extent.depth);
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    printf("%d failures\n", failures);
    return 0;
}
