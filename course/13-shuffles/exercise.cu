// The sum of 32 elements for every warp.
extern "C" __global__ void sums(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    __shared__ float part[64];
    part[threadIdx.x] = in[i];
    for (int d = 16; d > 0; d /= 2) {
        __syncthreads();
        if (lane < d) part[threadIdx.x] += part[threadIdx.x + d];
    }
    float x = part[threadIdx.x];
    if (lane == 0) out[i / 32] = x;
}
