extern "C" __global__ void steps(float* values, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;
    int i = 2 * t;
    int count = i % 2 == 0 ? 60 : 4;
    float x = values[i];
#pragma unroll 1
    for (int k = 0; k < count; k++) x += 1;
    values[i] = x;
}
