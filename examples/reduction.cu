// A whole program as a course would hand it out: warpwise runs its kernel and sets the host code aside.
#include <cstdio>
#include <cuda_runtime.h>

// The sum of each block's elements: a tree in shared memory, halving the number of active threads at each step.
__global__ void reduce(const int *in, int *out, int n) {
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = partial[0];
        printf("block %d: %d\n", blockIdx.x, partial[0]);
    }
}

int main() {
    const int n = 1000;
    int *in, *out;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, 4 * sizeof(int));
    for (int i = 0; i < n; i++) in[i] = 1;
    reduce<<<4, 256>>>(in, out, n);
    cudaDeviceSynchronize();
    printf("%d\n", out[0] + out[1] + out[2] + out[3]);
}
