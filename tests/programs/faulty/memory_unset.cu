// Finds: uninitialized
// Options: --check init

#include <cuda_runtime.h>

__global__ void twice(const int *in, int *out) {
    out[threadIdx.x] = 2 * in[threadIdx.x];  // here
}

int main(int argc, char **) {
    int *in, *out;
    cudaMalloc(&in, 32 * sizeof(int));
    cudaMalloc(&out, 32 * sizeof(int));
    if (argc > 1) cudaMemset(in, 0, 32 * sizeof(int));
    twice<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
