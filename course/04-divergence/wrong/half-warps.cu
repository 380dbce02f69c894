extern "C" __global__ void steps(float* values, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int lane = t % 32, first = t - lane;
    int i = lane < 16 ? first + 2 * lane : first + 2 * (lane - 16) + 1;
    int count = i % 2 == 0 ? 60 : 4;
    float x = values[i];
#pragma unroll 1
    for (int k = 0; k < count; k++) x += 1;
    values[i] = x;
}
