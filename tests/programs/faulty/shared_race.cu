// Finds: race
// Options: --check races

#include <cuda_runtime.h>

__global__ void sum(const int *in, int *out, bool right) {
    __shared__ int tile[64];
    int i = threadIdx.x;
    tile[i] = in[i];
    if (right) __syncthreads();
    int next = tile[(i + 33) % 64];  // here
    out[i] = next;
}

int main(int argc, char **) {
    bool right = argc > 1;
    int *in, *out, host[64] = {};
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 64>>>(in, out, right);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
}
