// Several copies by one call; no kernels.
#include "check.h"

int main() {
    const int parts = 3, n = 16;
    int *device, *in, *out;
    CHECK(cudaMalloc(&device, parts * n * sizeof(int)));
    CHECK(cudaMallocHost(&in, parts * n * sizeof(int)));
    CHECK(cudaMallocHost(&out, parts * n * sizeof(int)));
    for (int i = 0; i < parts * n; i++) in[i] = i, out[i] = -1;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    void *targets[parts], *sources[parts];
    size_t bytes[parts], first = 0;
    // The parts change places.
    for (int i = 0; i < parts; i++)
        targets[i] = device + (parts - 1 - i) * n, sources[i] = in + i * n, bytes[i] = (i + 1) * 4 * sizeof(int);
    CHECK(cudaMemset(device, 0, parts * n * sizeof(int)));
    cudaMemcpyAttributes attributes = {};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
#if CUDART_VERSION >= 13000
    CHECK(cudaMemcpyBatchAsync(targets, (const void **)sources, bytes, parts, &attributes, &first, 1, stream));
#else
    size_t failed;
    CHECK(cudaMemcpyBatchAsync(targets, sources, bytes, parts, &attributes, &first, 1, &failed, stream));
#endif
    CHECK(cudaMemcpyAsync(out, device, parts * n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%d %d, %d %d, %d %d\n", out[0], out[11], out[16], out[24], out[32], out[36]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
}
