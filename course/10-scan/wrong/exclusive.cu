enum { BLOCK = 128 };

extern "C" __global__ void scan(const int* in, int* out) {
    __shared__ int sums[BLOCK];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
#pragma unroll 1
    for (int d = 1; d < BLOCK; d *= 2) {
        int before = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    out[t] = sums[t] - in[t];
}
