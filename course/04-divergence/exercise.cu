// Elements with an even index take 60 steps, the others 4; one thread for each.
extern "C" __global__ void steps(float* values, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int i = t;
    int count = i % 2 == 0 ? 60 : 4;
    float x = values[i];
#pragma unroll 1
    for (int k = 0; k < count; k++) x += 1;
    values[i] = x;
}
