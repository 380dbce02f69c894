enum { BLOCK = 64, ROOM = 4096 };

// The largest of every 64 elements, one block for each 64.
extern "C" __global__ void largest(const float* in, float* out) {
    __shared__ float part[ROOM];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    #pragma unroll 1
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s) part[t] = fmaxf(part[t], part[t + s]);
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
