enum { BLOCK = 64 };

extern "C" __global__ void sums(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK + 2];
    int i = blockIdx.x * BLOCK + threadIdx.x, t = threadIdx.x + 1;
    tile[t] = i < n ? in[i] : 0;
    if (t == 1) tile[0] = i > 0 ? in[i - 1] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}
