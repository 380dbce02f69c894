enum { BLOCK = 256 };

extern "C" __global__ void sum(const float* in, float* out) {
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    #pragma unroll 1
    for (int s = 1; s < BLOCK; s *= 2) {
        int i = 2 * s * t;
        if (i < BLOCK) part[i] += part[i + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
