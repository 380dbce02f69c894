// Mistakes for `check`: a tile that is read before its neighbours have written it, and counters without atomics.

__global__ void smooth(const float* in, float* out) {
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    float left = threadIdx.x > 0 ? tile[threadIdx.x - 1] : 0.0f;
    out[i] = 0.5f * (left + tile[threadIdx.x]);
}

__global__ void count(const int* in, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[in[i] % 8]++;
}

__global__ void twice(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2.0f * in[i];
}
