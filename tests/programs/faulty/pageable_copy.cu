// Finds: pageable_copy
// Options: --fail-on warning

#include <cuda_runtime.h>

int main(int argc, char **) {
    int pageable[256] = {}, *pinned, *data;
    cudaMallocHost(&pinned, sizeof pageable);
    cudaMalloc(&data, sizeof pageable);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int *host = argc > 1 ? pinned : pageable;
    cudaMemcpyAsync(data, host, sizeof pageable, cudaMemcpyHostToDevice, stream);  // here
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(data);
    cudaFreeHost(pinned);
}
