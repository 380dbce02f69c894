// The sum of 32 elements for every warp.
extern "C" __global__ void sums(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float x = in[i];
    for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xffffffff, x, d);
    if (lane == 0) out[i / 32] = x;
}
