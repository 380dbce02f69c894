// Finds: out_of_bounds
// Says: 512 bytes, the third value in <<<>>>, are too little
// Options: --check memory

#include <cstdio>
#include <cuda_runtime.h>

__global__ void shift(const int *in, int *out) {
    extern __shared__ int row[];
    int i = threadIdx.x;
    row[i + 1] = in[i];  // here
    if (i == 0) row[0] = 0;
    __syncthreads();
    out[i] = row[i];
}

int main(int argc, char **) {
    const int n = 128;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(in, 0, n * sizeof(int));
    shift<<<1, n, (argc > 1 ? n + 1 : n) * sizeof(int)>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) printf("failed\n");
    cudaFree(in);
    cudaFree(out);
}
