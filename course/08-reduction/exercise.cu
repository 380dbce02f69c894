enum { BLOCK = 256 };

// The sum of 256 elements for every block.
extern "C" __global__ void sum(const float* in, float* out) {
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    // Here: a tree.
    if (t == 0) {
    #pragma unroll 1
        for (int k = 1; k < BLOCK; k++) part[0] += part[k];
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
