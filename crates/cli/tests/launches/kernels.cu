// Kernels for launch files: some are right, some are wrong on purpose.

extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}

extern "C" __global__ void sum(const int* in, int* total) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(total, part[0]);
}

extern "C" __global__ void transpose(const float* in, float* out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void shift(const int* in, int* out) {
    __shared__ int tile[128];
    int t = threadIdx.x;
    tile[t] = in[t];
    out[t] = tile[t > 0 ? t - 1 : 0];
}

extern "C" __global__ void any_negative(const int* in, int* found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // warpwise: allow race - every thread writes the same value
    if (in[i] < 0) *found = 1;
}
